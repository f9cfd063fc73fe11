//! Every kernel compiles, within its limits, and its PTX matches its source.

use std::path::Path;
use std::process::Command;

use taquin_gpu::{Kernel, compile};

#[test]
fn ptx_is_up_to_date() {
    for kernel in Kernel::ALL {
        assert!(
            kernel.is_up_to_date(),
            "{} was changed: run 'cargo xtask gpu --compile'",
            kernel.name
        );
    }
}

#[test]
#[ignore = "needs NVRTC, a part of CUDA: cargo xtask gpu installs it"]
fn kernels_compile() {
    for kernel in Kernel::ALL {
        match compile(kernel) {
            Ok(ptx) => assert!(ptx.expect("NVRTC").contains(".entry"), "{}", kernel.name),
            Err(messages) => panic!("{messages}"),
        }
    }
}

#[test]
#[ignore = "needs ptxas, a part of CUDA: cargo xtask gpu installs it"]
fn kernels_stay_within_their_limits() {
    let ptxas = std::env::var_os("TAQUIN_PTXAS").expect("TAQUIN_PTXAS names ptxas");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for kernel in Kernel::ALL {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("kernels/ptx/{}.ptx", kernel.name));
        let output = Command::new(&ptxas)
            .args(["--verbose", "--gpu-name=sm_90", "--output-file"])
            .arg(folder.join(kernel.name))
            .arg(file)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{text}");
        for &(function, registers, spilled) in kernel.limits {
            let start = text.find(&format!("'{function}'")).unwrap_or_else(|| panic!("{text}"));
            let facts = &text[start..];
            let number = |before: &str, after: &str| -> u32 {
                let from = facts.find(before).unwrap() + before.len();
                let digits = facts[from..].split(after).next().unwrap();
                digits.trim().parse().unwrap()
            };
            assert!(number("Used ", " registers") <= registers, "{function}: {facts}");
            assert!(number("stack frame, ", " bytes spill stores") <= spilled, "{facts}");
        }
    }
}
