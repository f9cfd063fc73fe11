//! How much one client, and all of them together, may use.

#[cfg(feature = "server")]
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

/// The limits of the service.
#[derive(Clone, Debug, Serialize)]
pub struct ServiceLimits {
    /// Searches at a time.
    pub jobs: usize,
    /// Searches at a time for one client.
    pub jobs_each: usize,
    /// Open connections.
    pub connections: usize,
    /// Open connections for one client.
    pub connections_each: usize,
    /// The most seconds of a search.
    pub seconds: f64,
    /// The seconds of a search that asks for none.
    pub default_seconds: f64,
    /// The most bytes for the tables of a search.
    pub memory: u64,
    /// The most threads of a search.
    pub threads: usize,
    /// The most expansions to report.
    pub traced: u64,
    /// The most cells of a board.
    pub cells: usize,
    /// The most bytes of a request.
    pub request: usize,
    /// The timeout in seconds for slow or absent clients.
    pub patience: f64,
}

impl ServiceLimits {
    /// The document of `/api/status`.
    pub(crate) fn status(&self, running: usize, address: Option<&str>) -> Value {
        let version = env!("CARGO_PKG_VERSION");
        json!({ "version": version, "running": running, "address": address, "limits": self })
    }

    /// For the person at the machine.
    pub fn local() -> Self {
        Self {
            jobs: 16,
            jobs_each: 8,
            connections: 256,
            connections_each: 64,
            seconds: 120.0,
            default_seconds: 10.0,
            memory: 512 << 20,
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            traced: 20_000,
            cells: 400,
            request: 64 << 10,
            patience: 10.0,
        }
    }

    /// For the person in front of a browser, which has one thread for a search and 4 GB at most.
    pub(crate) fn in_browser() -> Self {
        Self { jobs: 4, jobs_each: 4, threads: 1, ..Self::local() }
    }

    /// For all machines that can reach this one.
    pub fn public() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        Self {
            jobs: (2 * cores).max(4),
            jobs_each: 4,
            connections: 512,
            connections_each: 32,
            seconds: 30.0,
            memory: 128 << 20,
            threads: 1,
            ..Self::local()
        }
    }

    #[cfg(feature = "server")]
    pub(crate) fn patience(&self) -> Duration {
        Duration::try_from_secs_f64(self.patience).unwrap_or_default()
    }

    /// The most expansions to report for a board with `cells` cells: their bytes are bounded too.
    pub(crate) fn traced(&self, cells: usize) -> u64 {
        const BYTES: usize = 48 << 20;
        // An expansion is about four events, each with a board.
        let expansion = 4 * (100 + 4 * cells);
        self.traced.min((BYTES / expansion) as u64)
    }
}
