//! `taquin gpu`.

use std::fmt::Write;

use clap::Parser;
use taquin::{DeviceError, NamedGoal, Size, write_bytes};
use taquin_gpu::{GpuError, SelfTest, devices, self_test, space_extent};

use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, PLAIN, print, thousands};

/// List CUDA devices and test them
///
/// Compares each device's results with the CPU's. Exits with 1 if they differ.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin gpu
  taquin generate 5x5 | taquin solve - -m ida:pdb=6-6-6-6,on=gpu
  taquin solve --batch korf24 -m ida:pdb=6-6-6-6,on=gpu
  taquin solve --batch \"random 4x4 n=1000000 seed=1\" -m ida:pdb=7-8,on=gpu
  taquin enumerate 3x5 --on gpu    the first device does the work
  TAQUIN_DEVICES=1 taquin enumerate 3x5 --on gpu")]
pub(crate) struct GpuArgs {}

/// The whole spaces that a device can enumerate, from the largest.
const SPACES: [(usize, usize); 6] = [(3, 5), (2, 7), (3, 4), (2, 6), (2, 5), (3, 3)];

pub(crate) fn run(_: &GpuArgs) -> CommandResult {
    let failure = |error: GpuError| Failure::from(DeviceError::from(error));
    let none = |error: GpuError| {
        failure(error)
            .hint("a device is optional: everything but reproduce --on gpu works without one")
    };
    let devices = devices().map_err(none)?;
    if devices.is_empty() {
        return Err(none(GpuError::NoDevice { index: 0, found: 0 }));
    }
    let mut all_agree = true;
    for (index, device) in devices.into_iter().enumerate() {
        let device = match device {
            Ok(device) => device,
            // Another device may work.
            Err(error) => {
                print(&format!("{BOLD}device {index}{PLAIN}\n  not usable: {error}\n"))?;
                continue;
            }
        };
        let info = device.info();
        let (major, minor) = info.capability;
        let mut text = format!("{BOLD}device {index}: {}{PLAIN}\n", info.name);
        let _ = writeln!(
            text,
            "  {} of memory, {} free; {} multiprocessors; compute capability {major}.{minor}; \
             CUDA {}.{}",
            write_bytes(info.memory),
            write_bytes(info.free),
            info.multiprocessors,
            info.cuda / 1000,
            info.cuda % 1000 / 10,
        );
        let fits = SPACES.iter().find_map(|&(rows, cols)| {
            let size = Size::new(rows, cols).ok()?;
            let extent = space_extent(&NamedGoal::First.board(size, 1)).ok()?;
            (extent.bytes <= info.free).then_some((size, extent.bytes))
        });
        if let Some((size, bytes)) = fits {
            let bytes = write_bytes(bytes);
            let _ = writeln!(text, "  enumerate --on gpu: {size} ({bytes}) and smaller boards");
        }
        let SelfTest { checks, search } = self_test(&device).map_err(failure)?;
        let _ = match search {
            Ok(bytes) => {
                writeln!(text, "  ida:pdb=6-6-6-6,on=gpu: takes {}", write_bytes(bytes))
            }
            Err(error) => writeln!(text, "  ida:pdb=6-6-6-6,on=gpu: not tested; {error}"),
        };
        let _ = writeln!(text, "  anytime,on=gpu: takes up to nine tenths of what is free");
        for check in checks {
            all_agree &= check.agrees;
            let verdict = if check.agrees { "as on the CPU" } else { "WRONG" };
            let count = thousands(check.count);
            let _ = writeln!(text, "  self-test: {count} {}: {verdict}", check.what);
        }
        print(&text)?;
    }
    Ok(u8::from(!all_agree))
}
