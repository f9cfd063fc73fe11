//! `taquin page`.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;

use clap::Parser;
use taquin::write_bytes;

use crate::failure::{CommandResult, Failure};
use crate::input::open_file;
use crate::output::{replace_file, say};

/// Write the web page as files, for any web host
///
/// The page computes everything in the browser: it needs no server, and after the first visit no
/// network. It may be in any folder of a host.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin page --out site
  python3 -m http.server -d site     then open http://127.0.0.1:8000/")]
pub(crate) struct PageArgs {
    /// Folder to write to; it is created if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// WebAssembly module to use instead of the one in this program
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
}

pub(crate) fn run(args: &PageArgs) -> CommandResult {
    let module = match &args.module {
        Some(path) => {
            let mut module = Vec::new();
            let read = open_file(path, "a WebAssembly module")?.read_to_end(&mut module);
            read.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
            module
        }
        None => taquin_web::module().map(<[u8]>::to_vec).ok_or_else(|| {
            Failure::input("this program was built without the module of the page").hint(
                "in taquin's source, run 'rustup target add wasm32-unknown-unknown' and\n\
                 'cargo xtask page', then build the program again",
            )
        })?,
    };
    if !module.starts_with(b"\0asm") {
        return Err(Failure::input("the module is not WebAssembly")
            .hint("'cargo xtask page' builds crates/web/module/taquin.wasm"));
    }
    let failed = |error| Failure::input(format!("can't create {}: {error}", args.out.display()));
    fs::create_dir_all(&args.out).map_err(failed)?;
    let files = taquin_web::site(&module);
    for (name, bytes) in &files {
        replace_file(&args.out.join(name), |out| out.write_all(bytes))?;
    }
    let bytes = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    let written = format!("wrote {} files, {}, to", files.len(), write_bytes(bytes));
    say(&format!("{written} {}", args.out.display()));
    Ok(0)
}
