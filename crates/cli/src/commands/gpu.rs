//! `taquin gpu`.

use std::fmt::Write;

use clap::Parser;
use serde::Serialize;
use taquin::{DeviceError, NamedGoal, Size, write_bytes};
use taquin_gpu::{Check, Device, GpuError, SelfTest, devices, self_test, space_extent};

use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, PLAIN, print, print_json, thousands};

/// List CUDA devices and test them
///
/// Compares each device's results with the CPU's. Exits with 1 if they differ.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin gpu
  taquin gpu --json
  taquin generate 5x5 | taquin solve - -m ida:pdb=6-6-6-6,on=gpu
  taquin solve --batch korf24 -m ida:pdb=6-6-6-6,on=gpu
  taquin solve --batch \"random 4x4 n=1000000 seed=1\" -m ida:pdb=7-8,on=gpu
  taquin enumerate 3x5 --on gpu    the first device does the work
  TAQUIN_DEVICES=1 taquin enumerate 3x5 --on gpu")]
pub(crate) struct GpuArgs {
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

/// A device and the results of its test.
#[derive(Serialize)]
struct TestedDevice {
    index: usize,
    name: String,
    memory: u64,
    free: u64,
    multiprocessors: u32,
    capability: String,
    cuda: String,
    /// The largest board whose whole space fits, and the bytes it takes.
    largest_space: Option<(Size, u64)>,
    /// The bytes that a 24-puzzle search takes.
    search_bytes: Option<u64>,
    /// Why that search was not tested.
    search_problem: Option<String>,
    checks: Vec<TestedPart>,
}

/// The comparison with the CPU in one part of the test.
#[derive(Serialize)]
struct TestedPart {
    count: u64,
    what: String,
    agrees: bool,
}

/// A device that cannot be used.
#[derive(Serialize)]
struct UnusableDevice {
    index: usize,
    problem: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FoundDevice {
    Tested(TestedDevice),
    Unusable(UnusableDevice),
}

/// The whole spaces that a device can enumerate, from the largest.
const SPACES: [(usize, usize); 6] = [(3, 5), (2, 7), (3, 4), (2, 6), (2, 5), (3, 3)];

fn failure(error: GpuError) -> Failure {
    Failure::from(DeviceError::from(error))
}

pub(crate) fn run(args: &GpuArgs) -> CommandResult {
    let none = |error: GpuError| {
        failure(error)
            .hint("a device is optional: everything but reproduce --on gpu works without one")
    };
    let devices = devices().map_err(none)?;
    if devices.is_empty() {
        return Err(none(GpuError::NoDevice { index: 0, found: 0 }));
    }
    let mut all_agree = true;
    let mut all = Vec::new();
    for (index, device) in devices.into_iter().enumerate() {
        let found = match device {
            Ok(device) => FoundDevice::Tested(tested(index, &device)?),
            // Another device may work.
            Err(error) => {
                FoundDevice::Unusable(UnusableDevice { index, problem: error.to_string() })
            }
        };
        if let FoundDevice::Tested(tested) = &found {
            all_agree &= tested.checks.iter().all(|check| check.agrees);
        }
        match args.json {
            true => all.push(found),
            false => print(&described(&found))?,
        }
    }
    if args.json {
        print_json(&all)?;
    }
    Ok(u8::from(!all_agree))
}

fn tested(index: usize, device: &Device) -> Result<TestedDevice, Failure> {
    let info = device.info();
    let fits = SPACES.iter().find_map(|&(rows, cols)| {
        let size = Size::new(rows, cols).ok()?;
        let extent = space_extent(&NamedGoal::First.board(size, 1)).ok()?;
        (extent.bytes <= info.free).then_some((size, extent.bytes))
    });
    let SelfTest { checks, search } = self_test(device).map_err(failure)?;
    let part =
        |check: Check| TestedPart { count: check.count, what: check.what, agrees: check.agrees };
    Ok(TestedDevice {
        index,
        name: info.name.clone(),
        memory: info.memory,
        free: info.free,
        multiprocessors: info.multiprocessors,
        capability: format!("{}.{}", info.capability.0, info.capability.1),
        cuda: format!("{}.{}", info.cuda / 1000, info.cuda % 1000 / 10),
        largest_space: fits,
        search_bytes: search.as_ref().ok().copied(),
        search_problem: search.err().map(|error| error.to_string()),
        checks: checks.into_iter().map(part).collect(),
    })
}

fn described(found: &FoundDevice) -> String {
    let device = match found {
        FoundDevice::Tested(device) => device,
        FoundDevice::Unusable(UnusableDevice { index, problem }) => {
            return format!("{BOLD}device {index}{PLAIN}\n  not usable: {problem}\n");
        }
    };
    let mut text = format!("{BOLD}device {}: {}{PLAIN}\n", device.index, device.name);
    let _ = writeln!(
        text,
        "  {} of memory, {} free; {} multiprocessors; compute capability {}; CUDA {}",
        write_bytes(device.memory),
        write_bytes(device.free),
        device.multiprocessors,
        device.capability,
        device.cuda,
    );
    if let Some((size, bytes)) = device.largest_space {
        let bytes = write_bytes(bytes);
        let _ = writeln!(text, "  enumerate --on gpu: {size} ({bytes}) and smaller boards");
    }
    let _ = match (device.search_bytes, &device.search_problem) {
        (Some(bytes), _) => {
            writeln!(text, "  ida:pdb=6-6-6-6,on=gpu: takes {}", write_bytes(bytes))
        }
        (None, problem) => {
            let problem = problem.as_deref().unwrap_or_default();
            writeln!(text, "  ida:pdb=6-6-6-6,on=gpu: not tested; {problem}")
        }
    };
    let _ = writeln!(text, "  anytime,on=gpu: takes up to nine tenths of what is free");
    for check in &device.checks {
        let verdict = if check.agrees { "as on the CPU" } else { "WRONG" };
        let count = thousands(check.count);
        let _ = writeln!(text, "  self-test: {count} {}: {verdict}", check.what);
    }
    text
}
