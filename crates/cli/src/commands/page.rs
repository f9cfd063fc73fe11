//! `taquin page`.

use std::borrow::Cow;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use clap::Parser;
use taquin::write_bytes;
use taquin_web::Modules;

use crate::failure::{CommandResult, Failure};
use crate::input::open_file;
use crate::output::{replace_file, say};

/// Write the web page as files, for any web host
///
/// The page computes everything in the browser. It needs no server, and after the first visit no
/// network. You can put it in any folder of a web host.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin page --out site
  python3 -m http.server -d site     then open http://127.0.0.1:8000/")]
pub(crate) struct PageArgs {
    /// Folder to write to; it is created if it is missing
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// WebAssembly module to use instead of the one in this program
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// Small module that the page loads before that one
    #[arg(long, value_name = "FILE", requires = "module")]
    first: Option<PathBuf>,
}

fn read_module(path: &Path) -> Result<Cow<'static, [u8]>, Failure> {
    let mut module = Vec::new();
    let read = open_file(path, "a WebAssembly module")?.read_to_end(&mut module);
    read.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    match module.starts_with(b"\0asm") {
        true => Ok(module.into()),
        false => Err(Failure::input("the module is not WebAssembly")
            .hint("'cargo xtask page' builds crates/web/module/taquin.wasm")),
    }
}

pub(crate) fn run(args: &PageArgs) -> CommandResult {
    let modules = match &args.module {
        Some(path) => Modules {
            whole: read_module(path)?,
            first: args.first.as_deref().map(read_module).transpose()?,
        },
        None => Modules::built_in().ok_or_else(|| {
            Failure::input("this program was built without the page's WebAssembly module").hint(
                "download a release, or build taquin with the module: run 'rustup target add\n\
                 wasm32-unknown-unknown' and 'cargo xtask page' in its source, then build it again",
            )
        })?,
    };
    let failed = |error| Failure::input(format!("can't create {}: {error}", args.out.display()));
    fs::create_dir_all(&args.out).map_err(failed)?;
    let files = taquin_web::site(&modules);
    for (name, bytes) in &files {
        replace_file(&args.out.join(name), |out| out.write_all(bytes))?;
    }
    let bytes = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    let written = format!("wrote {} files, {}, to", files.len(), write_bytes(bytes));
    say(&format!("{written} {}", args.out.display()));
    Ok(0)
}
