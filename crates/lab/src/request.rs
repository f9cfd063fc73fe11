//! The one way in: the user's request, and the task that it means.
//!
//! Every front end fills in a [`Request`] with texts: flags, JSON, a line of a plan, Python
//! arguments. [`Request::resolve`] makes a valid task from it, or reports the wrong field, its
//! place and the correct form. [`Request::setting`] resolves everything but the board, for commands
//! that solve many boards.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use taquin::{
    Algorithm, Board, Costs, Estimate, Method, MethodError, Metric, Monitor, MovesError, NamedGoal,
    Place, Puzzle, PuzzleError, ReadError, Report, Session, Size, SizeError, Task, TaskLimits,
    Watch, excerpt, is_moves, read_board, read_scramble,
};

use crate::course::{Course, CourseError, Figures};
use crate::optimum::second_look;

/// A user's request, as written.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// The start and the goal as data.
    pub puzzle: Option<Puzzle>,
    /// The board, in any notation.
    pub board: Option<String>,
    /// The board size, if the notation leaves it open.
    pub size: Option<String>,
    /// The goal: a name, or a board in any notation.
    pub goal: Option<String>,
    /// The course whose rules hold.
    #[serde(rename = "as")]
    pub course: Option<String>,
    /// The method, by taquin's spelling or a name of the course.
    pub method: Option<String>,
    /// The limits.
    pub limits: TaskLimits,
    /// The cost of a move: a text, or in a document a list of numbers.
    #[serde(deserialize_with = "read_costs")]
    pub cost: Option<Costs>,
    /// The definition of one move: as the field `metric` of the method.
    pub metric: Option<Metric>,
    /// The number of threads. Without it, a course uses one, since some counts depend on how the
    /// work is divided. Otherwise it is the number of cores.
    pub threads: Option<usize>,
    /// Whether to search even if the goal cannot be reached.
    pub search_anyway: bool,
    /// Whether a blank may step onto another.
    pub jumps: bool,
}

/// Which courses a request may name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Courses {
    /// The built-in ones: a service must not read files that strangers name.
    BuiltIn,
    /// The built-in ones and files.
    Files,
}

/// A request without its board: valid, and ready for any number of boards.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// The course.
    pub course: Option<Arc<Course>>,
    /// The method.
    pub method: Method,
    /// The method's name in the course, or its spelling.
    pub method_name: String,
    /// The differences between the request and the course.
    pub notes: Vec<String>,
    /// The size of boards whose notation leaves it open.
    pub size: Option<Size>,
    goal: Option<String>,
    cost: Costs,
    limits: TaskLimits,
    threads: usize,
    search_anyway: bool,
    jumps: bool,
}

/// A valid request.
#[derive(Clone, PartialEq, Debug)]
pub struct ResolvedRequest {
    /// The task.
    pub task: Task,
    /// The course whose rules hold.
    pub course: Option<Arc<Course>>,
    /// The method's name in the course, or its spelling.
    pub method_name: String,
    /// Notes for the user: the differences from the course, and the defaults.
    pub notes: Vec<String>,
}

/// Why a request is not valid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct RequestError {
    /// The field that is wrong.
    pub field: RequestField,
    /// The fault.
    pub fault: RequestFault,
}

taquin_search::named_enum! {
    /// The fields of a request, by their names in JSON.
    #[allow(missing_docs, reason = "each is a field of `Request`")]
    pub enum RequestField: "field" {
        Board = "board",
        Size = "size",
        Goal = "goal",
        Course = "as",
        Method = "method",
        Cost = "cost",
        Metric = "metric",
    }
}

/// A fault in a field.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum RequestFault {
    /// There is no board, and no course that has one.
    #[error("there is no board")]
    NoBoard,
    #[error("there are a puzzle and a board")]
    TwoBoards,
    /// The text is not a board.
    #[error(transparent)]
    Board(ReadError),
    /// The goal does not allow these moves.
    #[error(transparent)]
    Scramble(MovesError),
    /// The text is a word, but not the name of a goal.
    #[error("unknown goal '{0}'")]
    GoalName(String),
    #[error("start and goal have different tiles: {0}")]
    Tiles(PuzzleError),
    /// A goal without a board has too many or too few blanks.
    #[error("a {size} board has 1 to {} blanks, not {blanks}", size.cells())]
    Blanks { size: Size, blanks: usize },
    /// The text is not a size.
    #[error(transparent)]
    Size(SizeError),
    /// There is no such course, or no such method in it.
    #[error(transparent)]
    Course(CourseError),
    /// The text is not a method.
    #[error(transparent)]
    Method(MethodError),
    #[error("the list has {given} costs, but the board has {tiles} tiles")]
    Costs { given: usize, tiles: usize },
    #[error("the costs {costs} are too large on a board of {size}")]
    CostRange { costs: Box<Costs>, size: Size },
    #[error("a segment slides as one move of cost 1, so that cost and jumps have no meaning")]
    SegmentCost,
    #[error("{0} has no steps to follow: it runs several searches, or none")]
    NoSteps(Algorithm),
}

impl RequestError {
    /// The place in a board that spans several lines, or in a goal.
    pub fn place(&self) -> Option<Place> {
        match &self.fault {
            RequestFault::Board(error) => error.place(),
            RequestFault::Scramble(error) => error.place(),
            _ => None,
        }
    }

    /// A remedy that fits every front end; one that names flags or keys is theirs to add.
    pub fn hint(&self) -> Option<String> {
        match &self.fault {
            RequestFault::Board(error) => error.hint().map(|hint| hint.to_string()),
            RequestFault::Scramble(error) => error.hint(),
            RequestFault::GoalName(_) => {
                Some("use last, first, spiral, or a board such as \"1 2 3/8 0 4/7 6 5\"".to_owned())
            }
            RequestFault::Tiles(_) => {
                Some("give both the same size and the same number of blanks".to_owned())
            }
            RequestFault::Course(error) => error.hint(),
            RequestFault::Method(error) => error.hint().map(str::to_owned),
            RequestFault::Costs { .. } => {
                Some("give one cost for each tile, or write unit or tile".to_owned())
            }
            RequestFault::CostRange { .. } => Some(
                "write tile, sqrt, or a list: the cost of every tile times its farthest distance has \
                 to add up to less than 4294967296"
                    .to_owned(),
            ),
            RequestFault::SegmentCost => Some("leave out cost and jumps".to_owned()),
            RequestFault::NoSteps(_) => {
                Some("choose a method with steps, such as bfs or astar:manhattan".to_owned())
            }
            _ => None,
        }
    }
}

impl RequestFault {
    const fn of(self, field: RequestField) -> RequestError {
        RequestError { field, fault: self }
    }
}

/// Reads a goal for boards like `start`: a name, or a board in any notation.
///
/// # Errors
/// Fails if it is neither.
pub fn read_goal(text: &str, start: &Board) -> Result<Board, RequestError> {
    if let Ok(named) = text.parse::<NamedGoal>() {
        return Ok(named.board(start.size(), start.blanks().count()));
    }
    if text.len() > 1 && text.chars().all(char::is_alphabetic) && !is_moves(text) {
        return Err(RequestFault::GoalName(excerpt(text)).of(RequestField::Goal));
    }
    read_board(text, Some(start.size()))
        .map_err(|error| RequestFault::Board(error).of(RequestField::Goal))
}

/// Reads the start of a puzzle: a board, or with a size moves from the goal, in tile notation as in
/// `R2DL3`. Without a goal, the moves start from the course's goal, or else from the usual one.
///
/// # Errors
/// Fails if the text is not a board, or if the goal does not allow the moves.
pub fn read_start(
    text: &str,
    size: Option<Size>,
    goal: Option<&str>,
    course: Option<&Course>,
) -> Result<Board, RequestError> {
    let Some(size) = size.filter(|_| is_moves(text)) else {
        return read_board(text, size)
            .map_err(|error| RequestFault::Board(error).of(RequestField::Board));
    };
    let last = NamedGoal::Last.board(size, 1);
    let goal = match (goal, course) {
        (Some(goal), _) => read_goal(goal, &last)?,
        (None, Some(course)) => course.goal.board(&last),
        (None, None) => last,
    };
    read_scramble(text, &goal)
        .map_err(|error| RequestFault::Scramble(error).of(RequestField::Board))
}

/// Reads a goal if only the size and the number of blanks are known.
///
/// # Errors
/// Fails if it is no goal, or if a board of that size cannot have that many blanks.
pub fn read_goal_of_size(text: &str, size: Size, blanks: usize) -> Result<Board, RequestError> {
    if !(1..=size.cells()).contains(&blanks) {
        return Err(RequestFault::Blanks { size, blanks }.of(RequestField::Goal));
    }
    read_goal(text, &NamedGoal::Last.board(size, blanks))
}

/// Makes a puzzle of a start and a goal.
///
/// # Errors
/// Fails if they have different tiles.
pub fn pair(start: Board, goal: Board) -> Result<Puzzle, RequestError> {
    Puzzle::new(start, goal).map_err(|error| RequestFault::Tiles(error).of(RequestField::Goal))
}

/// Reads costs: a text such as `tile` or `1,2,3`, or a list of numbers.
fn read_costs<'de, D: Deserializer<'de>>(document: D) -> Result<Option<Costs>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a cost is unit, tile or a list of numbers")]
    enum CostsDocument {
        Text(String),
        List(Vec<u64>),
    }
    let text = match Option::<CostsDocument>::deserialize(document)? {
        None => return Ok(None),
        Some(CostsDocument::Text(text)) => text,
        Some(CostsDocument::List(list)) => {
            list.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
        }
    };
    text.parse().map(Some).map_err(D::Error::custom)
}

/// Checks that a list of costs has one for each tile on the board, and that costs fit into numbers.
///
/// # Errors
/// Fails if it has more or fewer, or if the cost of a path might be too large.
pub fn check_costs(costs: &Costs, board: &Board) -> Result<(), RequestError> {
    let tiles = board.tiles().iter().filter(|tile| **tile != 0).count();
    match costs {
        Costs::List(list) if list.len() != tiles => {
            Err(RequestFault::Costs { given: list.len(), tiles }.of(RequestField::Cost))
        }
        _ if !costs.fits(board.size()) => {
            let (costs, size) = (Box::new(costs.clone()), board.size());
            Err(RequestFault::CostRange { costs, size }.of(RequestField::Cost))
        }
        _ => Ok(()),
    }
}

impl Request {
    /// Makes a valid task of the request.
    ///
    /// # Errors
    /// Fails if a field is wrong.
    pub fn resolve(&self, courses: Courses) -> Result<ResolvedRequest, RequestError> {
        let setting = self.setting(courses)?;
        match (&self.puzzle, &self.board) {
            (Some(_), Some(_)) => Err(RequestFault::TwoBoards.of(RequestField::Board)),
            (Some(puzzle), None) => setting.with_instance(puzzle.clone()),
            (None, Some(text)) => setting.read(text),
            (None, None) => setting.without_board(),
        }
    }

    /// Checks everything but the board.
    ///
    /// # Errors
    /// Fails if a field is wrong.
    pub fn setting(&self, courses: Courses) -> Result<Setting, RequestError> {
        let wrong = |error| RequestFault::Course(error).of(RequestField::Course);
        let find = match courses {
            Courses::BuiltIn => Course::find,
            Courses::Files => Course::resolve,
        };
        let course = self.course.as_deref().map(find).transpose().map_err(wrong)?;
        let mut notes = Vec::new();
        let (method, method_name) = match &course {
            Some(course) => {
                let choice = course
                    .method(self.method.as_deref())
                    .map_err(|error| RequestFault::Course(error).of(RequestField::Method))?;
                notes.extend(choice.overrides);
                let method = match self.metric {
                    None => choice.method,
                    Some(metric) => choice
                        .method
                        .with_fields(&format!("metric={metric}"))
                        .map_err(|error| RequestFault::Method(error).of(RequestField::Metric))?,
                };
                (method, choice.name)
            }
            None => {
                let text = self.method.as_deref().unwrap_or("auto");
                let text = &match self.metric {
                    None => text.to_owned(),
                    Some(metric) => format!("{text},metric={metric}"),
                };
                let method: Method = text
                    .parse()
                    .map_err(|error| RequestFault::Method(error).of(RequestField::Method))?;
                let name = method.to_string();
                (method, name)
            }
        };
        let mut limits = self.limits.clone();
        let mut cost = self.cost.clone().unwrap_or_default();
        if let Some(course) = &course {
            if self.cost.is_none() {
                cost = course.cost.clone();
            } else if cost != course.cost {
                notes.push(format!("cost={cost} instead of cost={}", course.cost));
            }
            if self.jumps && !course.jumps {
                notes.push("a blank may step onto another".to_owned());
            }
            match (course.seconds.map(f64::from), limits.seconds) {
                (Some(own), Some(asked)) if asked.to_bits() != own.to_bits() => {
                    notes.push(format!("a time limit of {asked} s instead of {own} s"));
                }
                (own, None) => limits.seconds = own,
                _ => {}
            }
            for note in &mut notes {
                *note = format!("differs from {}: {note}", course.name);
            }
        }
        if method.metric == Metric::Multi && (cost != Costs::Unit || self.jumps) {
            return Err(RequestFault::SegmentCost.of(RequestField::Metric));
        }
        let size = self.size.as_deref().map(str::parse).transpose();
        let cores = || std::thread::available_parallelism().map_or(1, Into::into);
        let threads = match course {
            Some(_) => self.threads.unwrap_or(1),
            None => self.threads.unwrap_or_else(cores),
        };
        Ok(Setting {
            jumps: self.jumps || course.as_ref().is_some_and(|course| course.jumps),
            course,
            method,
            method_name,
            notes,
            size: size.map_err(|error| RequestFault::Size(error).of(RequestField::Size))?,
            goal: self.goal.clone(),
            cost,
            limits,
            threads: threads.max(1),
            search_anyway: self.search_anyway,
        })
    }
}

impl Setting {
    /// The task for a board as text.
    ///
    /// # Errors
    /// Fails if the text is not a board, or the board does not fit the goal.
    pub fn read(&self, board: &str) -> Result<ResolvedRequest, RequestError> {
        let (goal, course) = (self.goal.as_deref(), self.course.as_deref());
        self.with_board(read_start(board, self.size, goal, course)?)
    }

    /// The task for the board that the course offers.
    ///
    /// # Errors
    /// Fails if there is no course, or if it has no board.
    pub fn without_board(&self) -> Result<ResolvedRequest, RequestError> {
        let own = self.course.as_ref().and_then(|course| course.board.as_ref().zip(Some(course)));
        let Some((board, course)) = own else {
            return Err(RequestFault::NoBoard.of(RequestField::Board));
        };
        let mut asked = self.with_board(board.clone())?;
        asked.notes.insert(0, format!("no board given: this is the puzzle of {}", course.name));
        Ok(asked)
    }

    /// The task for a board.
    ///
    /// # Errors
    /// Fails if the board does not fit the goal.
    pub fn with_board(&self, start: Board) -> Result<ResolvedRequest, RequestError> {
        check_costs(&self.cost, &start)?;
        let own = self.course.as_ref().map_or_else(Default::default, |course| course.goal.clone());
        let own_goal = own.board(&start);
        let Some(text) = &self.goal else {
            return Ok(self.with_puzzle(pair(start, own_goal)?));
        };
        let goal = read_goal(text, &start)?;
        let differs = goal != own_goal;
        let mut asked = self.with_puzzle(pair(start, goal)?);
        if let Some(course) = self.course.as_ref().filter(|_| differs) {
            let note = format!("differs from {}: another goal than {own}", course.name);
            asked.notes.push(note);
        }
        Ok(asked)
    }

    /// The task for a puzzle that is not known to fit.
    ///
    /// # Errors
    /// Fails if the costs do not fit the board.
    pub fn with_instance(&self, puzzle: Puzzle) -> Result<ResolvedRequest, RequestError> {
        check_costs(&self.cost, puzzle.start())?;
        Ok(self.with_puzzle(puzzle))
    }

    /// The task for a puzzle that fits.
    pub fn with_puzzle(&self, puzzle: Puzzle) -> ResolvedRequest {
        // The report says which databases were used.
        let estimate =
            self.method.estimate.as_ref().map(|estimate| estimate.for_goal(puzzle.goal()));
        let task = Task {
            puzzle,
            method: Method { estimate, ..self.method.clone() },
            limits: self.limits.clone(),
            cost: self.cost.clone(),
            threads: self.threads,
            search_anyway: self.search_anyway,
            jumps: self.jumps,
        };
        ResolvedRequest {
            task,
            course: self.course.clone(),
            method_name: self.method_name.clone(),
            notes: self.notes.clone(),
        }
    }
}

impl ResolvedRequest {
    /// The same with a method whose steps can be followed: `auto`, which chooses anyway, then
    /// chooses A*.
    ///
    /// # Errors
    /// Fails if the requested method is another one without steps.
    pub fn with_steps(mut self) -> Result<Self, RequestError> {
        let algorithm = self.task.method.algorithm;
        if algorithm.row().has_steps {
            return Ok(self);
        }
        if algorithm != Algorithm::Auto {
            return Err(RequestFault::NoSteps(algorithm).of(RequestField::Method));
        }
        let metric = self.task.method.metric;
        let estimate = match metric {
            Metric::Single => Estimate::Manhattan,
            Metric::Multi => Estimate::Walking,
        };
        self.task.method = Method { metric, ..Method::new(Algorithm::Astar, Some(estimate)) };
        self.method_name = self.task.method.to_string();
        self.notes.push(format!("auto chose {}, whose steps can be followed", self.method_name));
        Ok(self)
    }

    /// Runs the task. The report has the notes, and a second search's findings about an answer that
    /// the first search could not prove optimal.
    pub fn run(&self, session: &Session, watch: Watch<'_>) -> CourseReport {
        let monitor = Arc::clone(&watch.monitor);
        let report = session.run(&self.task, watch);
        self.report(session, report, &monitor)
    }

    /// Completes the report of a task that has been run.
    pub fn report(
        &self,
        session: &Session,
        mut report: Report,
        monitor: &Arc<Monitor>,
    ) -> CourseReport {
        report.notes.extend(self.notes.iter().cloned());
        report.notes.extend(second_look(session, &self.task, &report, monitor));
        CourseReport::new(report, self.course.as_deref())
    }
}

/// A report, with the figures that the course prints.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CourseReport {
    /// The report.
    #[serde(flatten)]
    pub report: Report,
    /// The name of the course.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The figures that the course prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Figures>,
}

impl CourseReport {
    /// A report with the figures of a course.
    pub fn new(report: Report, course: Option<&Course>) -> Self {
        let figures = course.map(|course| course.figures(&report));
        Self { report, name: course.map(|course| course.name.clone()), course: figures }
    }
}
