//! The kernels for CUDA devices: compiles them, and tests them if there is a device.
//!
//! The compiler (NVRTC) and the assembler (ptxas) are installed with pip, so that no CUDA
//! toolkit and no device are needed for checking that the kernels compile.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use taquin_gpu::{GpuError, Kernel, compile};

use crate::steps::Ending;
use crate::{cargo, path};

/// The compiler and the assembler, of one version: the PTX must not change by itself.
const PACKAGES: [&str; 2] = ["nvidia-cuda-nvrtc-cu12==12.4.127", "nvidia-cuda-nvcc-cu12==12.4.131"];

/// Their location.
struct Tools {
    library: PathBuf,
    ptxas: PathBuf,
}

impl Tools {
    /// Finds them, or installs them if `may_install`.
    fn find(may_install: bool) -> Option<Self> {
        let folder = path("target/cuda");
        let tools = Self {
            library: folder.join("nvidia/cuda_nvrtc/lib"),
            ptxas: folder.join("nvidia/cuda_nvcc/bin/ptxas"),
        };
        let are_there = || tools.library.is_dir() && tools.ptxas.is_file();
        if !are_there() && may_install {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]);
            did(pip.arg(&folder).args(PACKAGES));
        }
        are_there().then_some(tools)
    }

    /// A command that finds the compiler.
    fn given_to(&self, mut command: Command) -> Command {
        // The compiler's library is opened by its name, and opens another one.
        let mut folders: Vec<PathBuf> = vec![self.library.clone()];
        if let Some(before) = std::env::var_os("LD_LIBRARY_PATH") {
            folders.extend(std::env::split_paths(&before));
        }
        let folders = std::env::join_paths(folders).unwrap_or_else(|_| OsString::new());
        command.env("LD_LIBRARY_PATH", folders);
        command.env("TAQUIN_NVRTC", "1").env("TAQUIN_PTXAS", &self.ptxas);
        command
    }
}

const MISSING: &str = "NVRTC is missing; not run: compiling the kernels of crates/gpu";

/// Compiles every kernel, and checks the registers that it uses.
pub(crate) fn kernels(may_install: bool) -> Ending {
    let Some(tools) = Tools::find(may_install) else { return Ending::Skipped(MISSING.into()) };
    let mut test = tools.given_to(cargo());
    test.args(crate::steps::KERNELS.arguments.split(' '));
    if did(&mut test) { Ending::Passed } else { Ending::Failed }
}

/// Runs the tests that need a device.
pub(crate) fn device() -> Ending {
    match taquin_gpu::devices() {
        Ok(devices) if devices.is_empty() => Ending::Skipped("there is no CUDA device".into()),
        Err(error @ GpuError::NoDriver) => Ending::Skipped(error.to_string()),
        Err(error) => {
            eprintln!("{error}");
            Ending::Failed
        }
        Ok(_) => {
            let mut test = cargo();
            // The tests for the compiler are another step.
            test.args(["test", "--package", "taquin-gpu", "--", "--include-ignored"]);
            test.args(["--skip", "kernels_", "--nocapture", "--test-threads=1"]);
            if did(&mut test) && batch() && large() { Ending::Passed } else { Ending::Failed }
        }
    }
}

/// Solves a million random 15-puzzles with the program, once its databases have files, and prints
/// how many it solves per second.
fn batch() -> bool {
    let program = |arguments: &[&str]| {
        let mut command = cargo();
        command.args(["run", "--quiet", "--release", "--package", "taquin-cli", "--"]);
        command.args(arguments).stdout(Stdio::null());
        command
    };
    if !did(&mut program(&["pdb", "build", "7-8"])) {
        return false;
    }
    let set = "random 4x4 n=1000000 seed=1";
    ["ida:pdb=7-8,on=gpu", "auto"].into_iter().all(|method| {
        let started = Instant::now();
        let all = did(&mut program(&["solve", "--batch", set, "-m", method, "--jsonl"]));
        let seconds = started.elapsed().as_secs_f64();
        println!("{set}, {method}: {seconds:.1} s, {:.0} boards per second", 1e6 / seconds);
        all
    })
}

/// Solves one in ten of the large boards, and prints the table. `cargo xtask bench gpu` solves all.
fn large() -> bool {
    let program = std::env::current_exe().map(Command::new);
    program.is_ok_and(|mut program| did(program.args(["bench", "gpu", "--quick"])))
}

/// Writes the PTX of every kernel, in a process that finds the compiler.
pub(crate) fn write_ptx() -> anyhow::Result<bool> {
    if std::env::var_os("TAQUIN_NVRTC").is_none() {
        let tools = Tools::find(true).ok_or_else(|| anyhow::anyhow!("{MISSING}"))?;
        let mut again = tools.given_to(Command::new(std::env::current_exe()?));
        return Ok(did(again.args(["gpu", "--compile"])));
    }
    for kernel in Kernel::ALL {
        let ptx = compile(kernel).map_err(anyhow::Error::msg)?;
        let ptx = ptx.ok_or_else(|| anyhow::anyhow!("{MISSING}"))?;
        let file = format!("crates/gpu/kernels/ptx/{}.ptx", kernel.name);
        std::fs::write(path(&file), ptx)?;
        println!("{file}");
    }
    Ok(true)
}

fn did(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
