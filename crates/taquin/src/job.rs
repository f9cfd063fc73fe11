//! Jobs: all that a session runs, each with the result that it has.
//!
//! A job says what to do, and carries the relevant part of the plan: threads, limits and a device
//! are fields of a [`Task`](crate::Task), files are fields of the jobs that write some. A [`Watch`]
//! shows a job while it runs.

use crate::session::Session;
use crate::watch::Watch;

/// A job that [`Session::run`] runs: a reference to a [`Task`](crate::Task) or to a
/// [`SpaceJob`](crate::SpaceJob), or another job of this crate.
pub trait Job {
    /// Its result.
    type Output;

    /// Runs the job.
    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output;
}
