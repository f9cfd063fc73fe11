//! `taquin grade`.

mod formats;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod workplace;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use taquin::{Monitor, decode, free_memory};
use taquin_lab::amounts::thousands;
use taquin_lab::grade::{
    Answer, BoardKey, BoardMarks, Criterion, Grader, Key, KeyError, Program, Rubric, RubricBoard,
    StudentMarks, answers,
};

use self::formats::GradeFormat;
use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::input::file_bytes;
use crate::output::{count, print, print_json, say, write_file};
use crate::tables;
use crate::watch::watched_by;

/// Grade submissions: students' programs or their outputs
///
/// Checks moves by replay, lengths against the optimum, and node counts against a course. If a
/// count differs, it says which policy the student implemented. Without submissions it prints the
/// key.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin grade rubric.toml                                  print the key
  taquin grade rubric.toml class/*.py                       marks as a table
  taquin grade rubric.toml class/*.txt --format csv > marks.csv
  taquin grade rubric.toml class/* --out reports            every format
  taquin grade rubric.toml /autograder/submission --format gradescope \\
      > /autograder/results/results.json

If the rubric has a command, a submission is a program or a folder with one. It
is copied to an empty folder and run once per board, without your environment
variables and with a time and a memory limit, and ended with its children. This
is no sandbox: run programs that you do not trust in a container. If the rubric
has no command, a submission is a file of outputs, or a folder with one file per
board. docs/grading.md describes rubrics.

Exits with 0 if everything was graded, whatever the marks.")]
pub(crate) struct GradeArgs {
    /// File with the boards, the points and how to run a program
    #[arg(value_name = "RUBRIC")]
    rubric: PathBuf,
    /// Files or folders that students have handed in
    #[arg(value_name = "SUBMISSION")]
    submissions: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: GradeFormat,
    /// Write every format to this folder, with a folder for each student
    #[arg(long, value_name = "DIR", requires = "submissions")]
    out: Option<PathBuf>,
    /// Nodes to expand per student to find the policy behind different counts
    #[arg(long, value_name = "COUNT", default_value = "3M", value_parser = taquin::read_count)]
    limit: u64,
}

pub(crate) fn run(args: &GradeArgs) -> CommandResult {
    let rubric = read_rubric(&args.rubric)?;
    let takes_one = matches!(args.format, GradeFormat::Gradescope | GradeFormat::Classroom50);
    if takes_one && args.submissions.len() != 1 {
        return Err(Failure::input("this format is for one submission")
            .hint("give one, or write the files of all with --out"));
    }
    if rubric.program.is_some() && !cfg!(unix) && !args.submissions.is_empty() {
        return Err(Failure::input("programs can't be run on this system")
            .hint("run them elsewhere and grade their output, with a rubric without [run]"));
    }
    if rubric.program.is_some() && !cfg!(target_os = "linux") {
        say("the memory of programs is limited on Linux only");
    }
    for submission in &args.submissions {
        if !submission.exists() {
            return Err(Failure::input(format!("{}: no such file", submission.display())));
        }
    }
    let is_program = |path: &&PathBuf| {
        path.extension().is_some_and(|ending| PROGRAM_ENDINGS.iter().any(|known| ending == *known))
    };
    if rubric.program.is_none()
        && let Some(program) = args.submissions.iter().find(is_program)
    {
        say(&format!(
            "{} is read as an output, because the rubric has no [run] table with a command",
            program.display()
        ));
    }
    let names = names(&args.submissions);
    let done = Arc::new(AtomicUsize::new(0));
    let (seen, all) = (Arc::clone(&done), args.submissions.len());
    let words = move |_| format!("{} of {all} graded", seen.load(Ordering::Relaxed));
    let session = tables::session();
    let memory = free_memory().map(|bytes| bytes / 4 * 3);
    let (key, graded) = watched_by(true, words, |monitor| {
        let key = Key::new(&rubric, &session, monitor, memory).map_err(|error| failure(&error))?;
        let (rubric, budget) = (&rubric, args.limit);
        let grader = Grader { rubric, key: &key, session: &session, monitor, budget, memory };
        let mut graded = Vec::new();
        for (submission, name) in args.submissions.iter().zip(&names) {
            let answers = match &rubric.program {
                Some(program) => run_program(program, rubric, &key, submission, monitor),
                None => read_outputs(submission, rubric.boards.len()),
            };
            graded.push(grader.grade(name, &answers));
            if monitor.is_cancelled() {
                return Err(Failure::interrupted());
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok((key, graded))
    })?;
    if args.submissions.is_empty() {
        print(&key_table(&rubric, &key))?;
        return Ok(0);
    }
    if let Some(folder) = &args.out {
        write_all(folder, &rubric, &graded)?;
    }
    match args.format {
        GradeFormat::Table => print(&table(&graded))?,
        GradeFormat::Text => {
            let texts: Vec<String> =
                graded.iter().map(|student| formats::text(&rubric.name, student)).collect();
            print(&texts.join("\n"))?;
        }
        GradeFormat::Csv => print(&formats::csv(&graded))?,
        GradeFormat::Json => print_json(&graded)?,
        GradeFormat::Junit => print(&formats::junit(&rubric.name, &graded))?,
        GradeFormat::Gradescope => print_json(&formats::gradescope(&graded[0]))?,
        GradeFormat::Classroom50 => print_json(&formats::classroom50(&graded[0]))?,
    }
    Ok(0)
}

fn read_rubric(path: &Path) -> Result<Rubric, Failure> {
    let bytes = file_bytes(path, "a rubric")?;
    let name = path.display();
    let text = decode(&bytes).map_err(|error| Failure::input(format!("{name}: {error}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Rubric::read(&text, folder).map_err(|error| {
        Failure::several(error.faults.iter().map(|fault| {
            let (line, column) = (fault.place.line, fault.place.column);
            (format!("{name}:{line}:{column}: {fault}"), fault.hint.clone())
        }))
        .hint_if_missing("'taquin generate --key rubric.toml' writes a rubric to start from")
    })
}

fn failure(error: &KeyError) -> Failure {
    match error {
        KeyError::Cancelled => Failure::interrupted(),
        KeyError::Optimum { .. } => Failure::input(error.to_string())
            .hint("choose an easier board, or give no points for 'optimal'"),
        KeyError::Method { .. } => Failure::input(error.to_string())
            .hint("choose an easier board, or give no points for counts"),
        _ => Failure::input(error.to_string()),
    }
}

/// Names each submission after its file without the ending, or after its whole path if two files
/// share a name.
fn names(submissions: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| {
        let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
        name.unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    };
    let mut number: HashMap<String, usize> = HashMap::new();
    for path in submissions {
        *number.entry(short(path)).or_default() += 1;
    }
    let name = |path: &PathBuf| match short(path) {
        name if number[&name] == 1 => name,
        _ => path.to_string_lossy().into_owned(),
    };
    submissions.iter().map(name).collect()
}

/// Reads the outputs in a file, or in a folder's files.
fn read_outputs(submission: &Path, boards: usize) -> Vec<Answer> {
    if !submission.is_dir() {
        return match read_text(submission) {
            Ok(text) => answers(&text, boards),
            Err(problem) => vec![Answer::None(problem); boards],
        };
    }
    let entries = fs::read_dir(submission).into_iter().flatten().flatten();
    // A link could lead to a file of the lecturer's.
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let mut files: Vec<PathBuf> = entries.filter(is_file).map(|entry| entry.path()).collect();
    files.sort();
    let answer = |number: usize| match file_of(&files, number, boards) {
        Some(path) => match read_text(path) {
            Ok(text) => Answer::Output { text, problem: None },
            Err(problem) => Answer::None(problem),
        },
        None => Answer::None(format!("There is no file with the number {number} in its name.")),
    };
    (1..=boards).map(answer).collect()
}

/// Returns the file for a board: its number is the last in the name.
fn file_of(files: &[PathBuf], number: usize, boards: usize) -> Option<&PathBuf> {
    if let ([only], 1) = (files, boards) {
        return Some(only);
    }
    let last_number = |path: &PathBuf| {
        let name = path.file_stem()?.to_string_lossy().into_owned();
        let digits = name.rsplit(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?;
        digits.parse::<usize>().ok()
    };
    files.iter().find(|path| last_number(path) == Some(number))
}

/// Reads a text as well as it can be read.
fn read_text(path: &Path) -> Result<String, String> {
    let bytes = file_bytes(path, "an output").map_err(|failure| failure.to_string())?;
    Ok(lossy(&bytes))
}

/// Bytes that are no text become replacement characters.
fn lossy(bytes: &[u8]) -> String {
    decode(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), Into::into)
}

/// Runs a submission on every board.
#[cfg(unix)]
fn run_program(
    program: &Program,
    rubric: &Rubric,
    key: &Key,
    submission: &Path,
    monitor: &Monitor,
) -> Vec<Answer> {
    let limits = process::ProgramLimits { time: program.time, memory: program.memory };
    let run = |(board, key): (&RubricBoard, &BoardKey)| {
        let write = |board: &taquin::Board| {
            let written = taquin::write_board(board, program.format, program.blank);
            written.map_err(|error| format!("The board can't be written: {error}."))
        };
        let prepared = || -> Result<_, String> {
            let copied = |error| format!("The submission can't be copied: {error}.");
            let place = workplace::Workplace::new(submission).map_err(copied)?;
            let (start, goal) = (write(&board.board)?, write(key.puzzle.goal())?);
            let file = place.write_board(&format!("{start}\n")).map_err(copied)?;
            let size = board.board.size();
            let size = match size.rows() == size.cols() {
                true => size.rows().to_string(),
                false => size.to_string(),
            };
            let fill = |text: &str| {
                let method = board.method_text.as_deref().unwrap_or("");
                let folder = place.folder();
                let paths = [&place.submission, &folder, &file].map(|path| path.display());
                let [submission, folder, file] = paths.map(|path| path.to_string());
                fill(
                    text,
                    &[
                        ("submission", &submission),
                        ("folder", &folder),
                        ("file", &file),
                        ("board", &start),
                        ("goal", &goal),
                        ("size", &size),
                        ("method", method),
                    ],
                )
            };
            let command: Vec<String> = program.command.iter().map(|word| fill(word)).collect();
            let input = fill(&program.input);
            Ok((place, command, input))
        };
        let (place, command, input) = match prepared() {
            Ok(prepared) => prepared,
            Err(problem) => return Answer::None(problem),
        };
        if let Some(output) = &program.output {
            // The submission is not an output of this run.
            let _ = fs::remove_file(place.folder().join(output));
        }
        let finished = process::run(&command, input, &place.folder(), limits, monitor);
        if finished.is_stopped {
            return Answer::None(finished.problem.unwrap_or_default());
        }
        let text = match &program.output {
            None => lossy(&finished.output),
            Some(output) => match output_file(&place.folder().join(output)) {
                Ok(text) => text,
                Err(problem) => {
                    let why = finished.problem.map_or_else(String::new, |why| format!(" {why}"));
                    return Answer::None(format!("{output}: {problem}.{why}"));
                }
            },
        };
        Answer::Output { text, problem: finished.problem }
    };
    rubric.boards.iter().zip(&key.boards).map(run).collect()
}

/// Reads a file that a program has written. A link could lead to a file of the lecturer's.
#[cfg(unix)]
fn output_file(path: &Path) -> Result<String, String> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() => read_text(path),
        Ok(_) => Err("the program did not write a file".to_owned()),
        Err(_) => Err("the program did not write this file".to_owned()),
    }
}

#[cfg(not(unix))]
fn run_program(
    _program: &Program,
    rubric: &Rubric,
    _key: &Key,
    _submission: &Path,
    _monitor: &Monitor,
) -> Vec<Answer> {
    vec![Answer::None("Programs can't be run on this system.".to_owned()); rubric.boards.len()]
}

/// Replaces words in braces; other braces stay.
#[cfg(unix)]
fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled += before;
        let word = after.split_once('}');
        let value = word.and_then(|(word, _)| values.iter().find(|(name, _)| *name == word));
        rest = match (word, value) {
            (Some((_, rest)), Some((_, value))) => {
                filled += value;
                rest
            }
            _ => {
                filled.push('{');
                after
            }
        };
    }
    filled + rest
}

/// Writes every format: one file of each for the class, and a folder for each student.
fn write_all(folder: &Path, rubric: &Rubric, graded: &[StudentMarks]) -> Result<(), Failure> {
    let make =
        |path: &Path| fs::create_dir_all(path).map_err(|error| Failure::unwritable(path, &error));
    make(folder)?;
    write_file(&folder.join("marks.csv"), formats::csv(graded).as_bytes())?;
    write_file(&folder.join("marks.json"), &serde_json::to_vec_pretty(graded)?)?;
    write_file(&folder.join("junit.xml"), formats::junit(&rubric.name, graded).as_bytes())?;
    for (number, student) in (1..).zip(graded) {
        // A name may hold anything that a file's name can't.
        let is_plain = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
        let name: String =
            student.name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(60).collect();
        let own = folder.join(format!("{number:03}-{}", name.trim_matches(['.', ' '])));
        make(&own)?;
        for (name, bytes) in [
            ("feedback.txt", formats::text(&rubric.name, student).into_bytes()),
            ("results.json", serde_json::to_vec_pretty(&formats::gradescope(student))?),
            ("result.json", serde_json::to_vec_pretty(&formats::classroom50(student))?),
        ] {
            let path = own.join(name);
            fs::write(&path, bytes).map_err(|error| Failure::unwritable(&path, &error))?;
        }
    }
    let students = count(graded.len() as u64, "student", "students");
    say(&format!("wrote the feedback for {students} below {}", folder.display()));
    Ok(())
}

/// Lists the marks: a line for each student, then the lines that explain them.
fn table(graded: &[StudentMarks]) -> String {
    let boards = graded.first().map_or(0, |first| first.boards.len());
    let shown = boards <= MAX_COLUMNS;
    let mut layout = "lr".to_owned();
    let mut headings = vec!["name".to_owned(), "marks".to_owned()];
    if shown {
        layout += &"r".repeat(boards);
        headings.extend((1..=boards).map(|number| number.to_string()));
    }
    let mut columns = Columns::new(&layout).headings(headings).bold_names();
    for student in graded {
        let mut row =
            vec![student.name.clone(), format!("{} of {}", student.marks, student.points)];
        if shown {
            row.extend(student.boards.iter().map(|board| board.marks().to_string()));
        }
        columns.row(row);
    }
    let mut text = columns.text();
    for student in graded.iter().filter(|student| !student.remarks.is_empty()) {
        let line = format!("\n{}: {}\n", student.name, student.remarks.join(" "));
        text += &crate::output::wrapped(&line, 2);
    }
    for student in graded {
        let problem = |board: &BoardMarks| Some((board.number, board.problem.clone()?));
        let problems: Vec<(usize, String)> = student.boards.iter().filter_map(problem).collect();
        if let [(number, first), ..] = &problems[..] {
            let (name, some, all) = (&student.name, problems.len(), student.boards.len());
            let line =
                format!("\n{name}: a problem on {some} of {all} boards. Board {number}: {first}\n");
            text += &crate::output::wrapped(&line, 2);
        }
    }
    text
}

/// The file name extensions of programs that students hand in.
const PROGRAM_ENDINGS: [&str; 12] =
    ["c", "class", "cpp", "go", "hs", "ipynb", "jar", "java", "js", "py", "rs", "sh"];

/// More boards have no columns of their own.
const MAX_COLUMNS: usize = 12;

/// Lists the key.
fn key_table(rubric: &Rubric, key: &Key) -> String {
    let columns = [
        Criterion::Optimal,
        Criterion::Length,
        Criterion::Expanded,
        Criterion::Generated,
        Criterion::Queue,
    ];
    let value = |board: &BoardKey, criterion| match criterion {
        Criterion::Optimal => board.optimum,
        _ => board.figure(criterion),
    };
    let used: Vec<Criterion> = columns
        .into_iter()
        .filter(|&criterion| key.boards.iter().any(|board| value(board, criterion).is_some()))
        .collect();
    let mut headings = vec!["board".to_owned(), "start".to_owned(), "method".to_owned()];
    headings.extend(used.iter().map(ToString::to_string));
    let mut table = Columns::new(&format!("rll{}", "r".repeat(used.len()))).headings(headings);
    for (number, (board, key)) in (1..).zip(rubric.boards.iter().zip(&key.boards)) {
        let start = match key.is_solvable {
            true => board.board.to_string(),
            false => format!("{} (unsolvable)", board.board),
        };
        let method = board.method_text.clone().unwrap_or_default();
        let mut row = vec![number.to_string(), start, method];
        let figure = |&criterion: &Criterion| value(key, criterion).map(thousands);
        row.extend(used.iter().map(|criterion| figure(criterion).unwrap_or_default()));
        table.row(row);
    }
    table.text()
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::PathBuf;

    use crate::commands::grade::{fill, names};

    #[test]
    fn placeholders_are_filled_once() {
        let values = [("board", "{goal}"), ("goal", "G")];
        assert_eq!(fill("a {board} {goal} {x} {", &values), "a {goal} G {x} {");
    }

    #[test]
    fn files_of_one_name_are_told_apart() {
        let paths = ["a/solve.py", "b/solve.py", "c/lu.py"].map(PathBuf::from);
        assert_eq!(names(&paths), ["a/solve.py", "b/solve.py", "lu"]);
    }
}
