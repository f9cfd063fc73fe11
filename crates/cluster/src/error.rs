//! Why a space was not enumerated by several processes.

use std::io;

use taquin_tables::FileError;
use taquin_tables::whole::ExploreError;

/// Why a space was not enumerated by several processes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ClusterError {
    #[error("{address}: can't listen: {error}")]
    Listen { address: String, error: io::Error },
    #[error("no answer from {} within {seconds} s", peers.join(", "))]
    Unreachable { peers: Vec<String>, seconds: u64 },
    /// The other process, and the difference.
    #[error("{peer} does not fit: {reason}")]
    Refused { peer: String, reason: String },
    /// A process that cannot do its part.
    #[error("{peer}: {reason}")]
    Failed { peer: String, reason: String },
    #[error("{peer} needs {needed} bytes of memory, and {allowed} are allowed")]
    Memory { peer: String, needed: u64, allowed: u64 },
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// A process that has ended or cannot be reached any more.
    #[error("{peer} was lost")]
    Lost { peer: String },
    #[error("{folder}: no complete checkpoint")]
    NoCheckpoint { folder: String },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("a process can't be started: {0}")]
    Start(io::Error),
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A message from another process cannot be part of this space.
    #[error("the processes disagree about depth {depth}")]
    Inconsistent { depth: usize },
    /// It was cancelled. These are the boards at each depth that was completed.
    #[error("cancelled at depth {}", depths.len())]
    Cancelled { depths: Vec<u64> },
}
