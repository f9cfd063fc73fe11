//! Requests: JSON documents, and the puzzles and tasks that they ask for.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use taquin::{
    AUTO_TIME, Algorithm, Board, Costs, Estimate, Method, NamedGoal, Puzzle, Size, Task,
    TaskLimits, excerpt, read_board,
};
use taquin_lab::Course;

use crate::limits::Limits;
use crate::problem::Problem;
use crate::service::Service;

/// A request's body, read as JSON within the limits of the service.
pub(crate) struct Document<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Service> for Document<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, service: &Service) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
        // Anything else could be sent by a form of another site, without asking.
        if kind.split(';').next().is_none_or(|kind| kind.trim() != "application/json") {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body has to be JSON",
            )
            .hint("send the header Content-Type: application/json"));
        }
        let most = service.limits().request;
        let too_large = || {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a request may have {most} bytes"))
        };
        let length = request.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > most as u64) {
            return Err(too_large());
        }
        let patience = service.limits().patience();
        let read = tokio::time::timeout(patience, to_bytes(request.into_body(), most)).await;
        let late = || Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not come in time");
        let bytes = read.map_err(|_| late())?.map_err(|_| too_large())?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| {
            let is_data = error.classify() == serde_json::error::Category::Data;
            let status =
                if is_data { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
            Problem::new(status, error.to_string()).hint("the API is described in docs/api.md")
        })
    }
}

/// A puzzle as data, or as a person would write it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TaskAsked {
    puzzle: Option<Puzzle>,
    board: Option<String>,
    size: Option<String>,
    goal: Option<String>,
    #[serde(rename = "as")]
    course: Option<String>,
    method: Option<String>,
    limits: TaskLimits,
    cost: Option<Costs>,
    threads: Option<usize>,
    search_anyway: bool,
    jumps: bool,
}

/// A task within the limits of the service.
pub(crate) struct Asked {
    pub(crate) task: Task,
    pub(crate) course: Option<Arc<Course>>,
    pub(crate) notes: Vec<String>,
}

impl TaskAsked {
    /// The puzzle, and what a move costs.
    pub(crate) fn puzzle(&self, limits: &Limits) -> Result<(Puzzle, Costs), Problem> {
        let Asked { task, .. } = self.task(limits)?;
        Ok((task.puzzle, task.cost))
    }

    /// The task.
    pub(crate) fn task(&self, limits: &Limits) -> Result<Asked, Problem> {
        let course = self.course.as_deref().map(Course::find).transpose()?;
        let puzzle = self.read_puzzle(limits, course.as_deref())?;
        let (mut task, notes) = match &course {
            Some(course) => {
                let choice = course.method(self.method.as_deref())?;
                let notes = choice.overrides.iter();
                let notes = notes.map(|change| format!("{change}, as {} has it", course.name));
                (course.task(puzzle, choice.method), notes.collect())
            }
            None => {
                let method = self.method.as_deref().unwrap_or("auto").parse()?;
                (Task::new(puzzle, method), Vec::new())
            }
        };
        if let Some(cost) = &self.cost {
            task.cost = cost.clone();
        }
        task.jumps |= self.jumps;
        task.search_anyway = self.search_anyway;
        task.threads = self.threads.unwrap_or(1).clamp(1, limits.threads);
        let own = task.limits.seconds;
        task.limits = self.limits.clone();
        let seconds = task.limits.seconds.or(own).filter(|seconds| *seconds >= 0.0);
        let seconds = seconds.unwrap_or_else(|| match task.method.algorithm {
            Algorithm::Auto => AUTO_TIME.as_secs_f64(),
            _ => limits.default_seconds,
        });
        task.limits.seconds = Some(seconds.min(limits.seconds));
        task.limits.memory = Some(task.limits.memory.unwrap_or(u64::MAX).min(limits.memory));
        let traced = limits.traced(task.puzzle.size().cells());
        task.limits.traced = Some(task.limits.traced.unwrap_or(0).min(traced));
        Ok(Asked { task, course, notes })
    }

    fn read_puzzle(&self, limits: &Limits, course: Option<&Course>) -> Result<Puzzle, Problem> {
        let puzzle = match (&self.puzzle, &self.board) {
            (Some(puzzle), None) => puzzle.clone(),
            (None, Some(text)) => {
                let size = self.size.as_deref().map(read_size).transpose()?;
                let start = read_board(text, size)?;
                match (course, &self.goal) {
                    (Some(course), None) => course.puzzle(start),
                    (_, goal) => {
                        let goal = read_goal(goal.as_deref().unwrap_or("last"), &start)?;
                        pair(start, goal)?
                    }
                }
            }
            (Some(_), Some(_)) => {
                return Err(Problem::invalid("there are a puzzle and a board").hint("send one"));
            }
            (None, None) => {
                return Err(Problem::invalid("there is no puzzle")
                    .hint("send a board, as in {\"board\": \"1 2 3/4 0 6/7 5 8\"}"));
            }
        };
        check_cells(puzzle.size(), limits)?;
        Ok(puzzle)
    }
}

/// Refuses boards that are larger than the service takes.
pub(crate) fn check_cells(size: Size, limits: &Limits) -> Result<(), Problem> {
    match size.cells() <= limits.cells {
        true => Ok(()),
        false => Err(Problem::invalid(format!(
            "a board of {size} is too large for the service: it takes {} cells",
            limits.cells
        ))
        .hint("run 'taquin solve' for larger boards")),
    }
}

pub(crate) fn read_size(text: &str) -> Result<Size, Problem> {
    text.parse().map_err(|error: taquin::SizeError| Problem::invalid(format!("size: {error}")))
}

/// A goal by its name, or as a board.
pub(crate) fn read_goal(text: &str, start: &Board) -> Result<Board, Problem> {
    match text.parse::<NamedGoal>() {
        Ok(named) => Ok(named.board(start.size(), start.blanks().count())),
        Err(_) if text.len() > 1 && text.chars().all(char::is_alphabetic) => {
            Err(Problem::invalid(format!("no goal is called '{}'", excerpt(text)))
                .hint("send last, first, snail, or a board such as \"1 2 3/8 0 4/7 6 5\""))
        }
        Err(_) => Ok(read_board(text, Some(start.size()))?),
    }
}

fn pair(start: Board, goal: Board) -> Result<Puzzle, Problem> {
    Puzzle::new(start, goal).map_err(|error| {
        Problem::invalid(format!("start and goal have different tiles: {error}"))
            .hint("give both the same size and the same number of blanks")
    })
}

/// The partitions of the pattern databases that a method asks for: the service builds none.
pub(crate) fn partitions(method: &Method) -> Vec<taquin::Partition> {
    fn collect(estimate: &Estimate, found: &mut Vec<taquin::Partition>) {
        match estimate {
            Estimate::Pdb(partition) => found.push(partition.clone()),
            Estimate::Max(list) => list.iter().for_each(|one| collect(one, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Some(estimate) = &method.estimate {
        collect(estimate, &mut found);
    }
    found
}
