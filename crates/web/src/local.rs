//! The same requests without a server: answered on the thread that asks, for a page that has the
//! program with it.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use taquin::{Instant, Monitor, Session, TableFiles, Tile};
use taquin_lab::Request;

use crate::batching::{Batcher, Message, SearchStatus, Sink, beginning};
use crate::limits::ServiceLimits;
use crate::problem::Problem;
use crate::request::{for_this_module, read, resolve};
use crate::routes::{Json, Work, json, route};

/// Answers requests as the server does, on the thread of the caller.
///
/// ```
/// use taquin_web::Local;
///
/// let (answers, told) = std::sync::mpsc::channel();
/// let board = br#"{"board": "1 2 3/4 0 6/7 5 8"}"#;
/// Local::default().answer("check", board, move |name, document| {
///     let _ = answers.send(format!("{name}: {document}"));
///     std::ops::ControlFlow::Continue(())
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
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

impl Default for Local {
    fn default() -> Self {
        Self { session: Session::without_folder(), limits: ServiceLimits::in_browser() }
    }
}

impl Local {
    /// Answers requests with tables whose files are elsewhere.
    pub fn with_files(files: impl TableFiles + 'static) -> Self {
        Self { session: Session::with_files(files), ..Self::default() }
    }

    /// Answers requests within other limits than a browser's.
    pub fn with_limits(limits: ServiceLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Answers a request. `path` is the part of the address after `/api/`, with its parameters;
    /// `body` is the posted document.
    ///
    /// `tell` is called with each message's name and JSON document: `answer` or `problem` once, or
    /// for a job `started`, then `steps`, `progress` and `omitted`, and `report` at the end. If it
    /// returns `Break` after `progress`, the search ends and reports its results so far.
    pub fn answer(
        &self,
        path: &str,
        body: &[u8],
        tell: impl FnMut(&str, &str) -> ControlFlow<()> + Send + 'static,
    ) {
        let tell: Notify = Arc::new(Mutex::new(Box::new(tell)));
        let result = match path {
            "jobs" => self.job(body, &tell).map(ControlFlow::Continue),
            path => self.simple(path, body).map(|answer| say(&tell, "answer", answer.get())),
        };
        if let Err(problem) = result {
            let _ = say(&tell, "problem", &serde_json::to_string(&problem).unwrap_or_default());
        }
    }

    fn simple(&self, path: &str, body: &[u8]) -> Result<Json, Problem> {
        let Self { session, limits } = self;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        if path == "status" {
            return json(&limits.status(0, None));
        }
        match route(path, query, body, limits)? {
            Work::Answer(answer) => Ok(answer),
            Work::Run(_, run) => run(session, &Arc::default()),
        }
    }

    fn job(&self, body: &[u8], tell: &Notify) -> Result<(), Problem> {
        let asked = for_this_module(resolve(&read::<Request>(body)?, &self.limits)?)?;
        let _ = say(tell, "started", &beginning("", "", &asked.task.method).to_string());
        let started = Instant::now();
        let board = Arc::<Mutex<Option<Vec<Tile>>>>::default();
        let monitor = Arc::new(Monitor::with_listener({
            let (tell, board, last) = (Arc::clone(tell), Arc::clone(&board), AtomicU64::new(0));
            move |monitor| {
                let now = started.elapsed();
                if now.saturating_sub(Duration::from_micros(last.load(Relaxed))) < PROGRESS_INTERVAL
                {
                    return;
                }
                last.store(now.as_micros() as u64, Relaxed);
                let board = board.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let standing = SearchStatus::new(monitor, started, board);
                if say(&tell, "progress", &json!(standing).to_string()).is_break() {
                    monitor.cancel();
                }
            }
        }));
        let mut batcher = Batcher::new(Messages { tell, board: &board }, &asked.task);
        let report = batcher.run(&asked, &self.session, &monitor);
        batcher.finish(report.report.counts.expanded);
        batcher.sink.send(Message::Report(json(&report)?.into()));
        Ok(())
    }
}

type Notify = Arc<Mutex<Box<dyn FnMut(&str, &str) -> ControlFlow<()> + Send>>>;

fn say(tell: &Notify, name: &str, document: &str) -> ControlFlow<()> {
    let mut tell = tell.lock().unwrap_or_else(PoisonError::into_inner);
    tell(name, document)
}

/// Sends the messages immediately.
struct Messages<'a> {
    tell: &'a Notify,
    board: &'a Mutex<Option<Vec<Tile>>>,
}

impl Sink for Messages<'_> {
    fn send(&mut self, message: Message) {
        let (name, document): (&str, Cow<'_, str>) = message.parts();
        let _ = say(self.tell, name, &document);
    }

    fn show(&mut self, board: &[Tile]) {
        *self.board.lock().unwrap_or_else(PoisonError::into_inner) = Some(board.to_vec());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_search_that_is_stopped_reports_its_best_solution() {
        let (sender, told) = std::sync::mpsc::channel();
        let tiles: Vec<String> = (0..62).rev().map(|tile| tile.to_string()).collect();
        let body = json!({ "board": format!("62 63 {}", tiles.join(" ")), "size": "8x8" });
        Local::default().answer("jobs", body.to_string().as_bytes(), move |name, document| {
            let document: Value = serde_json::from_str(document).unwrap_or_default();
            let stops = name == "progress" && document["best"].is_u64();
            let _ = sender.send((name.to_owned(), document));
            if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let told: Vec<(String, Value)> = told.iter().collect();
        let (name, report) = told.last().expect("it reports");
        let best = told.iter().rev().find_map(|(_, document)| document["best"].as_u64());
        assert_eq!((name.as_str(), report["outcome"].as_str()), ("report", Some("solved")));
        assert!(report["cost"].as_u64() <= best && best.is_some(), "{report}");
        assert!(report["moves"].as_str().is_some_and(|moves| !moves.is_empty()));
        assert!(report["seconds"].as_f64() < Some(AUTO_SECONDS), "it was not stopped");
    }

    /// How long the search takes if nothing stops it.
    const AUTO_SECONDS: f64 = 10.0;
}
