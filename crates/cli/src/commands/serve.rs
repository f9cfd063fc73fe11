//! `taquin serve`.

use std::io;
use std::process::{Command, Stdio};

use clap::Parser;
use taquin::write_bytes;
use taquin_web::{Options, Server, ServiceLimits};

use crate::failure::{CommandResult, Failure};
use crate::output::{print, say};

/// Show the laboratory in a browser
///
/// The page is at the address that is printed. Ctrl-C ends it.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin serve --open                  and the browser shows it
  taquin serve --port 9000
  taquin serve --port 0                any port that is free
  taquin serve --public                for the machines of a class, too

The API under /api is described in docs/api.md.")]
pub(crate) struct ServeArgs {
    /// The port to listen on; 0 is any that is free
    #[arg(long, default_value_t = Options::default().port, value_name = "N")]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Let other machines connect: anybody who can reach this one
    #[arg(long)]
    public: bool,
}

pub(crate) fn run(args: &ServeArgs) -> CommandResult {
    let limits = if args.public { ServiceLimits::public() } else { ServiceLimits::local() };
    if args.public {
        warn(&limits);
    }
    let options = Options { port: args.port, public: args.public, limits };
    let server = Server::bind(&options).map_err(|error| unbound(args.port, &error))?;
    let port = server.address().port();
    let address = format!("http://127.0.0.1:{port}/");
    print(&format!("{address}\n"))?;
    if args.open && !open(&address) {
        say("no browser could be started: open the address yourself");
    }
    server.run().map_err(|error| Failure::input(format!("can't serve: {error}")))?;
    Ok(0)
}

/// What it means to serve others.
fn warn(limits: &ServiceLimits) {
    say(&format!(
        "--public: every machine that can reach this one can use it, without a password, and what they\n\
         send is not encrypted. Each address may run {} searches at a time, all together {}, of {} seconds\n\
         and {} each.",
        limits.jobs_each,
        limits.jobs,
        limits.seconds,
        write_bytes(limits.memory),
    ));
}

fn unbound(port: u16, error: &io::Error) -> Failure {
    let failure = Failure::input(format!("can't listen on port {port}: {error}"));
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            failure.hint("something listens there: another taquin, perhaps; or choose --port 0")
        }
        io::ErrorKind::PermissionDenied => failure.hint("choose a port above 1023"),
        _ => failure,
    }
}

/// Opens an address the way the platform does, and says whether that could be tried.
fn open(address: &str) -> bool {
    let mut command = if cfg!(target_os = "windows") {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else {
        Command::new(if cfg!(target_os = "macos") { "open" } else { "xdg-open" })
    };
    let quiet = command.arg(address).stdin(Stdio::null()).stdout(Stdio::null());
    quiet.stderr(Stdio::null()).spawn().is_ok()
}
