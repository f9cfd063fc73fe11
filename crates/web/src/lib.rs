//! The laboratory in the browser: a JSON service, and the page that uses it.
//!
//! The page is part of the program and fetches nothing from elsewhere. The service can run
//! unattended: every search is limited in time, memory and events, and is cancelled if its reader
//! has gone.
//!
//! ```
//! use taquin_web::{Options, Server};
//!
//! let server = Server::bind(&Options { port: 0, ..Options::default() })?;
//! assert!(server.address().ip().is_loopback());
//! # Ok::<(), std::io::Error>(())
//! ```

mod answers;
mod batching;
#[cfg(feature = "server")]
mod build_command;
#[cfg(feature = "server")]
mod document;
#[cfg(feature = "server")]
mod guard;
#[cfg(feature = "server")]
mod jobs;
mod limits;
mod local;
#[cfg(feature = "server")]
mod page;
#[cfg(feature = "server")]
mod poll;
mod problem;
#[cfg(feature = "server")]
mod proxy;
#[cfg(feature = "server")]
mod quota;
mod request;
mod routes;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod service;
#[cfg(feature = "server")]
mod site;
mod space;
#[cfg(feature = "server")]
mod stream;

#[cfg(feature = "server")]
pub use build_command::{build_command, goal_options};
pub use limits::ServiceLimits;
pub use local::Local;
#[cfg(feature = "server")]
pub use server::{Options, Server, Stopper};
#[cfg(feature = "server")]
pub use site::{Modules, site};
pub use taquin::TableFiles;
