//! The laboratory in the browser: a service that speaks JSON, and the page that uses it.
//!
//! The page is part of the program; nothing is fetched from anywhere. The service is written to be
//! left alone: every search that it runs is limited in time, memory and events, and one whose reader
//! has gone is cancelled.
//!
//! ```
//! use taquin_web::{Options, Server};
//!
//! let server = Server::bind(&Options { port: 0, ..Options::default() })?;
//! assert!(server.address().ip().is_loopback());
//! # Ok::<(), std::io::Error>(())
//! ```

mod answers;
mod ask;
mod desk;
mod guard;
mod jobs;
mod limits;
mod page;
mod problem;
mod server;
mod service;
mod sessions;
mod stream;
mod teller;

pub use limits::Limits;
pub use server::{Options, Server, Stopper};
