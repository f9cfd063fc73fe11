//! Whole state spaces over several processes: each holds a share of the boards, and timely dataflow
//! carries data between them.
//!
//! ```no_run
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use taquin::Metric;
//! use taquin_cluster::{Group, Hosts, Job, enumerate};
//!
//! // The same on both machines, but for the number of the process.
//! let hosts = Hosts::read("10.0.0.1\n10.0.0.2", 0)?;
//! let job = Job {
//!     goal: "1 2 3/4 5 6/7 8 0".parse()?,
//!     metric: Metric::Single,
//!     checkpoint: None,
//!     is_resumed: false,
//!     memory: 1 << 30,
//!     threads: 4,
//!     secret: None,
//!     timeout: Duration::from_secs(60),
//! };
//! let found = enumerate(Group::from(hosts), job, &Arc::default(), |_| ())?;
//! assert_eq!(found.enumeration.states, 181_440);
//! found.shares.remove();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `hosts.rs`, `slurm.rs` | which processes there are |
//! | `connect.rs`, `handshake.rs` | connections, and what is compared before any data flows |
//! | `run.rs` | one process from its start to its end; what happens if another is lost |
//! | `layers.rs` | what all processes do, layer by layer |
//! | `post.rs`, `parcel.rs`, `data_stream.rs` | the dataflow: what they send one another |
//! | `checkpoint.rs` | the files of all shares at some depth |
//! | `local.rs` | several processes on one machine |
//!
//! The bits and their computation are in `taquin_tables::whole` (`Explorer`).

mod checkpoint;
mod connect;
mod data_stream;
mod error;
mod frame;
mod handshake;
mod hosts;
mod layers;
mod local;
mod parcel;
mod post;
mod run;
mod slurm;

pub use checkpoint::{any_share, has_shares};
pub use error::ClusterError;
pub use handshake::Secret;
pub use hosts::{Hosts, HostsError, PORT};
pub use run::{ClusterEnumeration, ClusterStart, Group, Job, Shares, enumerate};
