//! `POST /api/space`: the number of boards at each distance from a goal.

use std::sync::Arc;

use serde::Deserialize;
use taquin::space::Extent;
use taquin::{
    Board, Enumeration, Metric, Monitor, Session, SpaceError, SpaceJob, Watch, space, write_bytes,
};
use taquin_lab::amounts::thousands;
use taquin_lab::read_goal_of_size;

use crate::answers::name;
use crate::limits::ServiceLimits;
use crate::problem::Problem;
use crate::request::{check_cells, read_size};

/// A goal, and what counts as one move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpaceRequest {
    size: Option<String>,
    blanks: Option<usize>,
    goal: Option<String>,
    metric: Option<String>,
}

/// The most boards in a space: 3x3 and 2x5 take milliseconds, even in a browser.
const MAX_BOARDS: u64 = 2_000_000;

impl SpaceRequest {
    /// Returns the goal of a space that is small enough, and what counts as one move.
    pub(crate) fn goal(&self, limits: &ServiceLimits) -> Result<(Board, Metric), Problem> {
        let size = read_size(self.size.as_deref().unwrap_or("3x3"))?;
        check_cells(size, limits)?;
        let blanks = self.blanks.unwrap_or(1);
        let goal = read_goal_of_size(self.goal.as_deref().unwrap_or("last"), size, blanks)?;
        let metric = name(self.metric.as_deref())?;
        let Extent { states, bytes } = space::extent(&goal, metric);
        if states <= MAX_BOARDS {
            return Ok((goal, metric));
        }
        let count = match states {
            u64::MAX => "more than 10^19".to_owned(),
            _ => thousands(states),
        };
        // Where addresses have 32 bits, larger amounts are not computed: a board takes a bit.
        let memory = match (states, bytes) {
            (u64::MAX, _) => "more than 10^18 bytes".to_owned(),
            (_, bytes) if bytes < u64::from(u32::MAX) => write_bytes(bytes),
            _ => format!("about {}", write_bytes(states / 8)),
        };
        let option = if blanks == 1 { String::new() } else { format!(" --blanks {blanks}") };
        Err(Problem::invalid(format!("the space of {size} is too large for here: {count} boards"))
            .hint(format!("run 'taquin enumerate {size}{option}', which needs {memory} of memory")))
    }
}

/// Visits every board from which a goal can be reached.
pub(crate) fn explore(
    (goal, metric): &(Board, Metric),
    session: &Session,
    memory: u64,
    monitor: &Arc<Monitor>,
) -> Result<Enumeration, Problem> {
    let job = SpaceJob { metric: *metric, memory: Some(memory), ..SpaceJob::new(goal) };
    session.run(&job, Watch::by(monitor)).map_err(|error| match error {
        SpaceError::Cancelled { .. } => {
            Problem::invalid("the space was not visited in time").hint("run 'taquin enumerate'")
        }
        error => Problem::broken(error.to_string()),
    })
}
