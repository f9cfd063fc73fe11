//! Sheets of boards, and their keys.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use taquin::{
    Board, Counts, Ending, Method, Monitor, Notation, Puzzle, Report, Session, Task, Watch,
};
use taquin_draw::{Worksheet, WorksheetItem, csv_field};
use taquin_lab::amounts::{count, seconds, thousands};
use taquin_lab::grade::rubric_toml;
use taquin_lab::{Course, FigureKind, Value, optimum};

use crate::failure::Failure;
use crate::output::{check_writable, write_file};
use crate::pictures::{format, write_pages};
use crate::suggest;

/// Files to write in addition to the boards.
#[derive(Args, Debug)]
pub(super) struct ExamArgs {
    /// Write the boards as pages to print: a .pdf, .svg or .png file
    #[arg(long, value_name = "FILE")]
    pub(super) sheet: Option<PathBuf>,
    /// Write optimal lengths, solutions and counts: a .pdf, .svg, .png or .csv file, or a .toml
    /// file, which is a rubric for 'taquin grade'
    #[arg(long, value_name = "FILE")]
    pub(super) key: Option<PathBuf>,
    /// With --sheet or --key: the title of the pages
    #[arg(long, value_name = "TEXT", default_value = "Exercises")]
    title: String,
    /// With --key: methods whose counts are in the key
    #[arg(long, short, value_name = "METHOD", value_parser = suggest::methods(), hide_possible_values = true)]
    method: Vec<String>,
    /// Use the goal of a course, and in the key its methods and counts (see 'taquin list courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    pub(super) course: Option<String>,
}

/// The answers for a board.
struct Answer {
    optimum: Report,
    /// The counts of each method.
    runs: Vec<Report>,
}

/// The time for the shortest solution of a board, and for a method, in seconds.
const SECONDS: f64 = 60.0;

/// A key is a text that other programs read, or a picture.
enum KeyFile {
    Picture,
    Csv,
    Rubric,
}

/// The files to write, which were checked before the work.
pub(super) struct Exam<'a> {
    args: &'a ExamArgs,
    key: Option<KeyFile>,
    course: Option<Arc<Course>>,
    /// The methods, as the user names them.
    methods: Vec<(&'a str, Method)>,
}

impl<'a> Exam<'a> {
    /// Checks the arguments.
    pub(super) fn new(args: &'a ExamArgs) -> Result<Self, Failure> {
        let course = args.course.as_deref().map(Course::resolve).transpose()?;
        let method = |text: &'a String| {
            let method = match &course {
                Some(course) => course.method(Some(text))?.method,
                None => text.parse::<Method>()?,
            };
            Ok::<_, Failure>((text.as_str(), method))
        };
        let methods = args.method.iter().map(method).collect::<Result<_, _>>()?;
        if !args.method.is_empty() && args.key.is_none() {
            return Err(Failure::input("--method is for a key").hint("name its file with --key"));
        }
        if let Some(sheet) = &args.sheet {
            format(sheet)?;
        }
        let key = args.key.as_deref().map(|path| {
            let ending =
                path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            let kind = match ending.as_str() {
                "csv" => KeyFile::Csv,
                "toml" => KeyFile::Rubric,
                _ => return format(path).map(|_| KeyFile::Picture),
            };
            check_writable(path).map(|()| kind)
        });
        Ok(Self { args, key: key.transpose()?, course, methods })
    }

    /// The course's goal, if there is a course.
    pub(super) fn goal(&self) -> Option<String> {
        self.course.as_ref().map(|course| course.goal.to_string())
    }

    /// Writes the files for these boards.
    pub(super) fn write(
        &self,
        boards: &[Board],
        goal: &Board,
        session: &Session,
        monitor: &Arc<Monitor>,
        memory: Option<u64>,
    ) -> Result<(), Failure> {
        if let Some(sheet) = &self.args.sheet {
            let blanks = vec!["Moves".to_owned()];
            let items =
                (1..).zip(boards).map(|(number, board)| item(number, board, vec![], &blanks));
            let task = "Find a shortest solution for each board: moves that lead to this goal. \
                        Write U, D, L or R for each move, which says where the blank goes.";
            let task = WorksheetItem {
                title: "Goal".to_owned(),
                ..item(0, goal, vec![task.to_owned()], &[])
            };
            let worksheet = Worksheet {
                title: self.args.title.clone(),
                has_name: true,
                task: Some(task),
                items: items.collect(),
            };
            write_pages(sheet, &worksheet)?;
        }
        let (Some(path), Some(key)) = (&self.args.key, &self.key) else { return Ok(()) };
        if matches!(key, KeyFile::Rubric) {
            return self.write_rubric(path, boards, goal);
        }
        let answers = (1..)
            .zip(boards)
            .map(|(number, board)| self.answer(number, board, goal, session, monitor, memory))
            .collect::<Result<Vec<_>, _>>()?;
        match key {
            KeyFile::Csv => write_file(path, self.csv(boards, &answers).as_bytes()),
            _ => {
                let items = (1..)
                    .zip(boards)
                    .zip(&answers)
                    .map(|((number, board), answer)| item(number, board, self.lines(answer), &[]));
                let title = format!("{}: key", self.args.title);
                let items = items.collect();
                write_pages(path, &Worksheet { title, has_name: false, task: None, items })
            }
        }
    }

    fn answer(
        &self,
        number: usize,
        board: &Board,
        goal: &Board,
        session: &Session,
        monitor: &Arc<Monitor>,
        memory: Option<u64>,
    ) -> Result<Answer, Failure> {
        let puzzle = Puzzle::new(board.clone(), goal.clone())
            .map_err(|error| Failure::input(error.to_string()))?;
        let limited = |mut task: Task| {
            task.limits.seconds = Some(SECONDS);
            task.limits.memory = memory;
            task
        };
        let mut task = limited(Task::from(puzzle.clone()));
        if let Some(course) = &self.course {
            task.cost = course.cost.clone();
        }
        let best = optimum(session, &task, monitor)
            .unwrap_or_else(|| session.run(&task, Watch::by(monitor)));
        let run = |(_, method): &(&str, Method)| {
            let task = limited(match &self.course {
                Some(course) => course.task(puzzle.clone(), method.clone()),
                None => Task::new(puzzle.clone(), method.clone()),
            });
            session.prepare(&task, monitor, &mut |_| {})?;
            Ok::<_, Failure>(session.run(&task, Watch::by(monitor)))
        };
        let runs = self.methods.iter().map(run).collect::<Result<Vec<_>, _>>()?;
        if monitor.is_cancelled() {
            return Err(Failure::interrupted());
        }
        let unfinished = match best.optimal {
            true => runs
                .iter()
                .zip(&self.methods)
                .find(|(run, _)| run.outcome != Ending::Solved)
                .map(|(_, (name, _))| format!("{name} did not solve it")),
            false => Some("its shortest solution was not found".to_owned()),
        };
        match unfinished {
            None => Ok(Answer { optimum: best, runs }),
            Some(what) => Err(Failure::input(format!(
                "board {number}: {what} within {} or within the memory",
                seconds(SECONDS)
            ))
            .hint("choose a smaller --depth, or other methods")),
        }
    }

    /// The figures of a run, as the course names them.
    fn figures(&self, report: &Report) -> Vec<(String, u64)> {
        let Some(course) = &self.course else {
            let Counts { expanded, generated, frontier_peak, .. } = report.counts;
            return vec![
                ("expanded".to_owned(), expanded),
                ("generated".to_owned(), generated),
                ("frontier".to_owned(), frontier_peak),
            ];
        };
        let is_count = |what: FigureKind| what.is_number() && what.is_reproducible();
        let figures = course.figures.iter().filter(|figure| is_count(figure.what));
        figures
            .filter_map(|figure| match figure.what.value(report) {
                Value::Number(number) => Some((figure.key.clone(), number)),
                _ => None,
            })
            .collect()
    }

    /// The lines next to a board in the key.
    fn lines(&self, answer: &Answer) -> Vec<String> {
        let mut lines = vec![length(&answer.optimum), solution(&answer.optimum)];
        for ((name, _), report) in self.methods.iter().zip(&answer.runs) {
            let figures = self.figures(report);
            let figure = |(key, number): &(String, u64)| format!("{key} {}", thousands(*number));
            let figures: Vec<String> = figures.iter().map(figure).collect();
            lines.push(format!("{name}: {}", figures.join(", ")));
        }
        lines
    }

    fn csv(&self, boards: &[Board], answers: &[Answer]) -> String {
        let mut out = "number,board,cost,moves,solution".to_owned();
        if let Some(first) = answers.first() {
            for ((name, _), report) in self.methods.iter().zip(&first.runs) {
                for (key, _) in self.figures(report) {
                    let _ = write!(out, ",{}", csv_field(&format!("{name} {key}")));
                }
            }
        }
        out.push('\n');
        for ((number, board), answer) in (1..).zip(boards).zip(answers) {
            let best = &answer.optimum;
            let (cost, moves) = (best.cost.unwrap_or(0), best.depth.unwrap_or(0));
            let _ = write!(out, "{number},{board},{cost},{moves},{}", solution(best));
            for report in &answer.runs {
                for (_, figure) in self.figures(report) {
                    let _ = write!(out, ",{figure}");
                }
            }
            out.push('\n');
        }
        out
    }

    fn write_rubric(&self, path: &Path, boards: &[Board], goal: &Board) -> Result<(), Failure> {
        let names: Vec<&str> = self.methods.iter().map(|(name, _)| *name).collect();
        let course = self.args.course.as_deref();
        let goal = course.is_none().then_some(goal);
        let rows: Vec<(Board, Option<&str>)> = boards
            .iter()
            .flat_map(|board| match names.is_empty() {
                true => vec![(board.clone(), None)],
                false => names.iter().map(|name| (board.clone(), Some(*name))).collect(),
            })
            .collect();
        let toml = rubric_toml(&self.args.title, course, goal, &rows);
        write_file(path, toml.as_bytes())
    }
}

fn item(number: usize, board: &Board, lines: Vec<String>, blanks: &[String]) -> WorksheetItem {
    let (title, board, blanks) = (number.to_string(), board.clone(), blanks.to_vec());
    WorksheetItem { title, board, lines, blanks }
}

fn length(report: &Report) -> String {
    let moves = count(report.depth.unwrap_or(0), "move", "moves");
    match report.cost.map(u64::from) == report.depth {
        true => moves,
        false => format!("{moves}, cost {}", report.cost.unwrap_or(0)),
    }
}

fn solution(report: &Report) -> String {
    report.write_moves(Notation::Blank).unwrap_or_default()
}
