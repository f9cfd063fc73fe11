//! Answers that need no search: instance sets, other notations, estimates, random boards.

use std::path::Path;
use std::sync::Arc;

use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use taquin::{
    Board, BoardFormat, Costs, DepthError, Estimate, Event, IS_FIRST, Monitor, Notation, Puzzle,
    Random, Session, Task, Watch, convert_moves, excerpt, is_reachable, is_uniform_at_depth,
    read_board, read_moves, read_moves_detect, write_board, write_moves,
};
use taquin_lab::instances::{self, Instance};
use taquin_lab::{
    Check, Draw, ExplainError, Narrator, Request, ResolvedRequest, Verdict, Wording, clock_seed,
    estimates, read_goal, read_goal_of_size,
};

use crate::limits::ServiceLimits;
use crate::problem::Problem;
use crate::request::{check_cells, read, read_size, resolve};

/// The puzzles of a set that has a name.
pub(crate) fn instances(name: &str) -> Result<Vec<Instance>, Problem> {
    // A set with options could name a file, or be as large as memory.
    let set = instances::named().find(|set| set.usage == name);
    let unknown = || {
        let names: Vec<&str> = instances::named().map(|set| set.usage).collect();
        Problem::new(StatusCode::NOT_FOUND, format!("unknown instance set '{}'", excerpt(name)))
            .hint(format!("there are {}", names.join(", ")))
    };
    let (usage, session) = (set.ok_or_else(unknown)?.usage, Session::without_folder());
    let found = instances::read(usage, None, Path::new(""), &session);
    found.map_err(|error| Problem::broken(error.to_string()))
}

/// Whether a puzzle can be solved, and why.
pub(crate) fn check(request: &Request, limits: &ServiceLimits) -> Result<Check, Problem> {
    Ok(Check::new(resolve(request, limits)?.task.puzzle))
}

/// Moves that someone hands in for a puzzle.
pub(crate) struct VerifyRequest {
    task: Task,
    moves: String,
    notation: Option<Notation>,
}

impl VerifyRequest {
    /// Reads a task with `moves` and, if it is not clear from them, their `notation`.
    pub(crate) fn read(body: &[u8], limits: &ServiceLimits) -> Result<Self, Problem> {
        let mut fields: serde_json::Map<String, Value> = read(body)?;
        let mut text = |field: &str| match fields.remove(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Problem::invalid(format!("{field}: it is a text")).field(field)),
        };
        let (moves, notation) = (text("moves")?, text("notation")?);
        let moves = moves.ok_or_else(|| {
            Problem::invalid("there are no moves")
                .field("moves")
                .hint("send them, as in {\"board\": \"123406758\", \"moves\": \"DR\"}")
        })?;
        let notation = notation.map(|text| name(Some(&text))).transpose()?;
        let mut task = resolve(&read(Value::Object(fields).to_string().as_bytes())?, limits)?.task;
        // The methods of a course may find solutions that are not optimal.
        task.method = taquin::Method::default();
        Ok(Self { task, moves, notation })
    }

    /// Replays the moves. If they reach the goal, a search finds out whether they are optimal.
    pub(crate) fn verdict(
        &self,
        session: &Session,
        monitor: &Arc<Monitor>,
    ) -> Result<Verdict, Problem> {
        let best = || session.run(&self.task, Watch::by(monitor));
        match Verdict::new(&self.moves, self.notation, &self.task, best) {
            Err(error) if error.is_illegal() => Ok(Verdict::illegal(&error)),
            verdict => Ok(verdict?),
        }
    }

    pub(crate) fn task(&self) -> &Task {
        &self.task
    }
}

/// Which step is to be explained.
#[derive(Default)]
pub(crate) struct Step {
    step: Option<u64>,
    rivals: Option<usize>,
}

/// The most rivals that are listed.
const RIVALS: usize = 50;

impl Step {
    /// Reads the parameters of a request.
    pub(crate) fn read(query: &str) -> Result<Self, Problem> {
        let mut step = Self::default();
        let wrong = || {
            Problem::invalid(format!("'{query}' names no step"))
                .hint("write /api/explain?step=3&rivals=5")
        };
        for part in query.split('&') {
            match part.split_once('=') {
                Some(("step", number)) => step.step = Some(number.parse().map_err(|_| wrong())?),
                Some(("rivals", number)) => {
                    step.rivals = Some(number.parse().map_err(|_| wrong())?);
                }
                _ => {}
            }
        }
        Ok(step)
    }

    /// The task, the step and the number of rivals.
    pub(crate) fn task(
        &self,
        request: &Request,
        limits: &ServiceLimits,
    ) -> Result<(Task, u64, usize), Problem> {
        let (step, rivals) = (self.step.unwrap_or(1), self.rivals.unwrap_or(5).min(RIVALS));
        let ResolvedRequest { mut task, .. } = resolve(request, limits)?.with_steps()?;
        let most = limits.traced;
        if step == 0 || step > most {
            return Err(Problem::invalid(format!("steps are counted from 1 to {most} here")));
        }
        task.limits.traced = None;
        if IS_FIRST && !task.is_in_first() {
            return Err(Problem::for_the_whole());
        }
        Ok((task, step, rivals))
    }
}

/// Why a step cannot be explained.
#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
pub(crate) fn no_step(error: ExplainError) -> Problem {
    Problem::invalid(error.to_string()).hint("choose a smaller step")
}

/// The most expansions in a search in words. Each may list every waiting node.
const NARRATED: u64 = 200;

/// A search that is to be told in words.
pub(crate) fn narrated(
    request: &Request,
    limits: &ServiceLimits,
) -> Result<ResolvedRequest, Problem> {
    let mut asked = resolve(request, limits)?.with_steps()?;
    let wanted = request.limits.traced.unwrap_or(NARRATED);
    asked.task.limits.traced = Some(wanted.min(NARRATED));
    Ok(asked)
}

/// A search in the words of its course, as `taquin solve --as .. --trace` prints it.
pub(crate) fn narrate(asked: &ResolvedRequest, session: &Session, monitor: &Arc<Monitor>) -> Value {
    let ResolvedRequest { task, course, method_name, .. } = asked;
    let wording = match course {
        Some(course) => &course.wording,
        None => Wording::plain(),
    };
    let mut narrator = Narrator::new(wording, task.puzzle.size());
    let mut text = String::new();
    if course.is_some() {
        text += &wording.puzzle(&task.puzzle, method_name);
        if task.search_anyway || is_reachable(&task.puzzle) {
            text += &wording.opening(&task.puzzle, method_name);
            text += &narrator.begin(&task.puzzle, method_name);
        }
    }
    let mut goal = String::new();
    let mut listen = |event| {
        let is_goal = matches!(event, Event::Goal(_));
        let words = narrator.tell(event);
        match is_goal {
            true => goal = words,
            false => text += &words,
        }
    };
    let watch = Watch { events: Some(&mut listen), ..Watch::by(monitor) };
    let report = asked.run(session, watch);
    let expanded = report.report.counts.expanded;
    text += &narrator.close(goal, expanded.saturating_sub(task.limits.traced.unwrap_or(0)));
    let figures = course.as_deref().zip(report.course.as_ref());
    let summary = figures.and_then(|(course, figures)| course.summary(&report.report, figures));
    text += &summary.unwrap_or_default();
    json!({ "text": text })
}

/// A board or moves, to be written in another notation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConvertRequest {
    board: Option<String>,
    size: Option<String>,
    goal: Option<String>,
    moves: Option<String>,
    from: Option<String>,
    to: Option<String>,
    blank: Option<char>,
}

pub(crate) fn convert(asked: &ConvertRequest, limits: &ServiceLimits) -> Result<Value, Problem> {
    let size = asked.size.as_deref().map(read_size).transpose()?;
    let board = asked.board.as_deref().map(|text| read_board(text, size)).transpose()?;
    if let Some(board) = &board {
        check_cells(board.size(), limits)?;
    }
    match (&asked.moves, board) {
        (Some(moves), board) => convert_list(asked, moves, board.as_ref()),
        (None, Some(board)) => {
            let format = name::<BoardFormat>(asked.to.as_deref())?;
            let text = write_board(&board, format, asked.blank.unwrap_or('0'))
                .map_err(|error| Problem::invalid(error.to_string()).hint("choose another 'to'"))?;
            let goal = asked.goal.as_deref().map(|goal| read_goal(goal, &board)).transpose()?;
            let mut answer = json!({
                "rows": board.size().rows(),
                "cols": board.size().cols(),
                "board": board.tiles(),
                "text": text,
            });
            if let Some(goal) = goal {
                answer["goal"] = json!(goal.tiles());
            }
            Ok(answer)
        }
        (None, None) => Err(Problem::invalid("there is nothing to convert")
            .hint("send a board or moves, as in {\"board\": \"123456780\", \"to\": \"rows\"}")),
    }
}

fn convert_list(
    asked: &ConvertRequest,
    moves: &str,
    board: Option<&Board>,
) -> Result<Value, Problem> {
    let from: Option<Notation> = asked.from.as_deref().map(|from| name(Some(from))).transpose()?;
    let to = name(Some(asked.to.as_deref().unwrap_or("tile")))?;
    let text = match board {
        None => convert_moves(moves, from, to)?,
        Some(board) => {
            let slides = match (from, asked.goal.as_deref()) {
                (None, Some(goal)) => read_moves_detect(moves, board, &read_goal(goal, board)?)?.0,
                (from, _) => read_moves(moves, from, board)?,
            };
            write_moves(&slides, board, to)?
        }
    };
    Ok(json!({ "moves": text }))
}

/// Something by its name.
pub(crate) fn name<T>(text: Option<&str>) -> Result<T, Problem>
where
    T: std::str::FromStr + Default,
    T::Err: std::fmt::Display,
{
    text.map_or_else(|| Ok(T::default()), str::parse)
        .map_err(|error| Problem::invalid(error.to_string()))
}

/// Estimates that take their tables from a search's time are left out on larger boards.
const WALKABLE: usize = 16;

/// The estimate of each heuristic.
pub(crate) fn heuristic(session: &Session, puzzle: &Puzzle, cost: &Costs) -> Value {
    let is_quick =
        |which: &&Estimate| **which != Estimate::Walking || puzzle.size().cells() <= WALKABLE;
    let quick = Estimate::NAMED.iter().filter(is_quick);
    let estimates = estimates(quick, puzzle, cost, session);
    json!({ "puzzle": puzzle, "cost": cost, "estimates": estimates })
}

/// Random boards.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerateRequest {
    size: Option<String>,
    blanks: Option<usize>,
    goal: Option<String>,
    count: Option<usize>,
    seed: Option<u64>,
    walk: Option<usize>,
    depth: Option<u64>,
}

/// The boards to draw.
pub(crate) struct Plan {
    goal: Board,
    count: usize,
    seed: u64,
    draw: Draw,
}

/// The most boards at a time, and the longest walk.
const MAX_BOARDS: usize = 100;
const MAX_WALK: usize = 100_000;

impl GenerateRequest {
    pub(crate) fn plan(&self, limits: &ServiceLimits) -> Result<Plan, Problem> {
        let size = read_size(self.size.as_deref().unwrap_or("3x3"))?;
        check_cells(size, limits)?;
        let count = self.count.unwrap_or(1);
        if count > MAX_BOARDS || self.walk > Some(MAX_WALK) {
            let detail =
                format!("at most {MAX_BOARDS} boards and walks of {MAX_WALK} moves are allowed");
            return Err(Problem::invalid(detail).hint("run 'taquin generate' for more"));
        }
        let goal = self.goal.as_deref().unwrap_or("last");
        let goal = read_goal_of_size(goal, size, self.blanks.unwrap_or(1))?;
        if let Some(depth) = self.depth.filter(|depth| !is_uniform_at_depth(&goal, *depth)) {
            let detail = format!("boards of depth {depth} take too long to find");
            return Err(Problem::invalid(detail).hint("run 'taquin generate' for them"));
        }
        let draw = match (self.depth, self.walk) {
            (Some(_), Some(_)) => {
                return Err(Problem::invalid("there are a depth and a walk").hint("send one"));
            }
            (Some(depth), None) => Draw::Depth(depth),
            (None, Some(moves)) => Draw::Walk(moves),
            (None, None) => Draw::Uniform,
        };
        Ok(Plan { goal, count, seed: self.seed.unwrap_or_else(clock_seed), draw })
    }
}

pub(crate) fn generate(
    plan: Plan,
    session: &Session,
    memory: u64,
    monitor: &Arc<Monitor>,
) -> Result<Value, Problem> {
    let Plan { goal, count, seed, draw } = plan;
    let boards: Vec<Board> = draw
        .boards(&goal, count, Random::new(seed), session, Some(memory), monitor)
        .map_err(|error| {
            let problem = Problem::invalid(error.to_string());
            match error {
                DepthError::None { .. } => problem.hint("choose a smaller depth"),
                _ => problem.hint("choose a smaller depth or a smaller board"),
            }
        })?
        .collect();
    let tiles: Vec<_> = boards.iter().map(Board::tiles).collect();
    Ok(json!({
        "rows": goal.size().rows(),
        "cols": goal.size().cols(),
        "goal": goal.tiles(),
        "seed": seed,
        "boards": tiles,
    }))
}
