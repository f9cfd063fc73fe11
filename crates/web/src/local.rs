//! The same requests without a server: answered on the thread that asks, for a page that has the
//! program with it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use taquin::{Event, Instant, Monitor, Session, TableFiles, Tile, Watch};
use taquin_lab::instances;
use taquin_lab::{Course, Listing, Request, explain};

use crate::answers::{self, ConvertAsked, GenAsked, Step};
use crate::batching::{Batcher, Message, Sink, Standing, beginning};
use crate::limits::ServiceLimits;
use crate::problem::Problem;
use crate::request::{DESCRIBED, read, resolve};
use crate::space::{self, SpaceAsked};

/// Answers requests as the server does, on the thread of the caller.
///
/// ```
/// use taquin_web::Local;
///
/// let (answers, told) = std::sync::mpsc::channel();
/// let board = br#"{"board": "1 2 3/4 0 6/7 5 8"}"#;
/// Local::default().answer("check", board, move |name, document| {
///     let _ = answers.send(format!("{name}: {document}"));
/// });
/// let answer = told.recv()?;
/// assert!(answer.starts_with("answer: ") && answer.contains("\"reachable\":true"));
/// # Ok::<(), std::sync::mpsc::RecvError>(())
/// ```
#[derive(Debug)]
pub struct Local {
    session: Session,
    limits: ServiceLimits,
}

/// How often the progress is reported.
const OFTEN: Duration = Duration::from_millis(100);

impl Default for Local {
    fn default() -> Self {
        Self { session: Session::without_folder(), limits: ServiceLimits::in_browser() }
    }
}

impl Local {
    /// Answers requests with tables whose files are somewhere else.
    pub fn with_files(files: impl TableFiles + 'static) -> Self {
        Self { session: Session::with_files(files), ..Self::default() }
    }

    /// Answers requests within other limits than those of a browser.
    pub fn with_limits(limits: ServiceLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Answers a request. `path` is the part of the address after `/api/`, with its parameters; `body`
    /// is the document that is posted.
    ///
    /// `tell` is called with the name of each message and its document in JSON: `answer` or `problem`
    /// once, or for a job `started`, then `steps`, `progress` and `omitted`, and `report` at the end.
    pub fn answer(&self, path: &str, body: &[u8], tell: impl FnMut(&str, &str) + Send + 'static) {
        let tell: Tell = Arc::new(Mutex::new(Box::new(tell)));
        let result = match path {
            "jobs" => self.job(body, &tell),
            path => self.simple(path, body).map(|text| say(&tell, "answer", &text)),
        };
        if let Err(problem) = result {
            say(&tell, "problem", &written(&problem).unwrap_or_default());
        }
    }

    fn simple(&self, path: &str, body: &[u8]) -> Result<String, Problem> {
        let Self { session, limits } = self;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let monitor = Arc::<Monitor>::default();
        match path {
            "status" => written(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "running": 0,
                "address": null,
                "limits": limits,
            })),
            "methods" => written(&Listing::new()),
            "courses" => written(&Course::built_in()),
            "instances" => written(&instances::named().collect::<Vec<_>>()),
            "check" => written(&answers::check(&read::<Request>(body)?, limits)?),
            "convert" => written(&answers::convert(&read::<ConvertAsked>(body)?, limits)?),
            "heuristic" => {
                let task = resolve(&read::<Request>(body)?, limits)?.task;
                written(&answers::heuristic(session, &task.puzzle, &task.cost))
            }
            "gen" => {
                let plan = read::<GenAsked>(body)?.plan(limits)?;
                written(&answers::generate(plan, session, limits.memory, &monitor)?)
            }
            "solve" => {
                let asked = resolve(&read::<Request>(body)?, limits)?;
                written(&asked.run(session, Watch::by(&monitor)))
            }
            "explain" => {
                let (task, step, rivals) = step(query)?.task(&read(body)?, limits)?;
                written(&explain(session, &task, step, rivals, &monitor).map_err(answers::no_step)?)
            }
            "narrate" => {
                let asked = answers::narrated(&read(body)?, limits)?;
                written(&answers::narrate(&asked, session, &monitor))
            }
            "space" => {
                let goal = read::<SpaceAsked>(body)?.goal(limits)?;
                written(&space::explore(&goal, session, limits.memory, &monitor)?)
            }
            path => {
                match path.strip_prefix("instances/") {
                    Some(name) => written(&answers::instances(name)?),
                    None => Err(Problem::new(StatusCode::NOT_FOUND, "there is nothing here")
                        .hint(DESCRIBED)),
                }
            }
        }
    }

    fn job(&self, body: &[u8], tell: &Tell) -> Result<(), Problem> {
        let asked = resolve(&read::<Request>(body)?, &self.limits)?;
        say(tell, "started", &beginning("", "", &asked.task.method).to_string());
        let started = Instant::now();
        let board = Arc::<Mutex<Option<Vec<Tile>>>>::default();
        let monitor = Arc::new(Monitor::with_listener({
            let (tell, board, last) = (Arc::clone(tell), Arc::clone(&board), AtomicU64::new(0));
            move |monitor| {
                let now = started.elapsed();
                if now.saturating_sub(Duration::from_micros(last.load(Relaxed))) < OFTEN {
                    return;
                }
                last.store(now.as_micros() as u64, Relaxed);
                let board = board.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let standing = Standing::new(monitor, started, board);
                say(&tell, "progress", &json!(standing).to_string());
            }
        }));
        let batcher = RefCell::new(Batcher::new(Messages { tell, board: &board }, &asked.task));
        let mut listen = |event| batcher.borrow_mut().push(event);
        let limits = &asked.task.limits;
        let listens = limits.traced > Some(0) || limits.glimpses.is_some();
        let events = listens.then_some(&mut listen as &mut dyn FnMut(Event));
        let report = asked.run(&self.session, Watch { events, ..Watch::by(&monitor) });
        let mut batcher = batcher.into_inner();
        batcher.finish(report.report.counts.expanded);
        let report = serde_json::value::to_raw_value(&report);
        let report = report.map_err(|error| Problem::broken(error.to_string()))?;
        batcher.sink.send(Message::Report(report.into()));
        Ok(())
    }
}

type Tell = Arc<Mutex<Box<dyn FnMut(&str, &str) + Send>>>;

fn say(tell: &Tell, name: &str, document: &str) {
    let mut tell = tell.lock().unwrap_or_else(PoisonError::into_inner);
    tell(name, document);
}

/// A document in JSON.
fn written(value: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(|error| Problem::broken(error.to_string()))
}

/// The parameters of `explain`.
fn step(query: &str) -> Result<Step, Problem> {
    let mut step = Step { step: None, rivals: None };
    let wrong = || {
        Problem::invalid(format!("'{query}' names no step"))
            .hint("write /api/explain?step=3&rivals=5")
    };
    for part in query.split('&').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("step", number)) => step.step = Some(number.parse().map_err(|_| wrong())?),
            Some(("rivals", number)) => step.rivals = Some(number.parse().map_err(|_| wrong())?),
            _ => {}
        }
    }
    Ok(step)
}

/// Tells the messages at once.
struct Messages<'a> {
    tell: &'a Tell,
    board: &'a Mutex<Option<Vec<Tile>>>,
}

impl Sink for Messages<'_> {
    fn send(&mut self, message: Message) {
        let (name, document): (&str, Cow<'_, str>) = message.parts();
        say(self.tell, name, &document);
    }

    fn show(&mut self, board: &[Tile]) {
        *self.board.lock().unwrap_or_else(PoisonError::into_inner) = Some(board.to_vec());
    }
}
