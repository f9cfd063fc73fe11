//! The laboratory in the browser: a service that speaks JSON, and the page that uses it.
//!
//! The page is part of the program; nothing is fetched from anywhere. The service can be
//! left alone: every search is limited in time, memory and events, and a search whose reader has gone
//! is cancelled.
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
mod guard;
mod jobs;
mod limits;
mod page;
mod problem;
mod quota;
mod request;
mod server;
mod service;
mod stream;

pub use limits::ServiceLimits;
pub use server::{Options, Server, Stopper};
