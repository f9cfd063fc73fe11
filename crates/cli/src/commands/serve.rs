//! `taquin serve`.

use std::io;
use std::net::IpAddr;
use std::process::{Command, Stdio};

use clap::Parser;
use taquin::{Session, write_bytes};
use taquin_web::{Options, Server, ServiceLimits};

use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::output::{print, say, warning};

/// Open the web page: play, solve, and step through searches
///
/// Prints the page's address and, with `--public`, the address for other machines. Press Ctrl-C to
/// stop.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin serve --open        open the page in a browser
  taquin serve --port 9000
  taquin serve --port 0      use any free port
  taquin serve --public      accept connections from other machines
  taquin serve --behind-proxy 127.0.0.1      for a web server on this machine

docs/api.md describes the API under /api.")]
pub(crate) struct ServeArgs {
    /// Port to listen on; 0 chooses a free one
    #[arg(long, default_value_t = Options::default().port, value_name = "N")]
    port: u16,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// Accept connections from every machine that can reach this one
    #[arg(long)]
    public: bool,
    /// Take the client from the X-Forwarded-For header of a proxy with this address
    ///
    /// The limits of --public apply to each client of the proxy. The header is ignored on all
    /// other connections. A proxy on another machine also needs --public.
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    behind_proxy: Vec<IpAddr>,
}

pub(crate) fn run(args: &ServeArgs) -> CommandResult {
    let remote = args.behind_proxy.iter().find(|proxy| !proxy.is_loopback());
    if let Some(proxy) = remote.filter(|_| !args.public) {
        let message = format!("the proxy {proxy} is on another machine, which can't connect");
        return Err(Failure::input(message).hint("add --public, so that it can"));
    }
    let is_shared = args.public || !args.behind_proxy.is_empty();
    let limits = if is_shared { ServiceLimits::public() } else { ServiceLimits::local() };
    if is_shared {
        warn(args, &limits);
    }
    let session = Session::for_service(CONFIG.store().ok())
        .with_warnings(|problem| warning(&problem.to_string()));
    let proxies = args.behind_proxy.clone();
    let options = Options { port: args.port, public: args.public, proxies, limits, session };
    let server = Server::bind(&options).map_err(|error| unbound(args.port, &error))?;
    let port = server.address().port();
    let mut address = format!("http://127.0.0.1:{port}/");
    print(&format!("{address}\n"))?;
    if let Some(public) = server.public_address() {
        // A link that is shared from there can be opened by others.
        address = public;
        print(&format!("{address}\n"))?;
    }
    if args.open && !open(&address) {
        say("no browser could be started; open the address yourself");
    }
    server.run().map_err(|error| Failure::input(format!("can't serve: {error}")))?;
    Ok(0)
}

/// Warns about the meaning of `--public` and `--behind-proxy`.
fn warn(args: &ServeArgs, limits: &ServiceLimits) {
    let who = if args.public {
        "--public: every machine that can reach this one can use the service, without a\n\
         password and without encryption."
    } else {
        "--behind-proxy: every client that the proxy lets through can use the service."
    };
    say(&format!(
        "{who} Limits: {} searches at a time per address, {} in\n\
         total, {} seconds and {} for each.",
        limits.jobs_each,
        limits.jobs,
        limits.seconds,
        write_bytes(limits.memory),
    ));
}

fn unbound(port: u16, error: &io::Error) -> Failure {
    let failure = Failure::input(format!("can't listen on port {port}: {error}"));
    match error.kind() {
        io::ErrorKind::AddrInUse => failure.hint(
            "another program uses this port; choose another one, or --port 0 for any free port",
        ),
        io::ErrorKind::PermissionDenied => failure.hint("choose a port above 1023"),
        _ => failure,
    }
}

/// Opens an address in the default browser. Returns whether the browser could be started.
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
