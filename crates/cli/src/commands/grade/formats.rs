//! The marks in the forms that lecturers and course platforms read.

use std::fmt::Write;
use std::time::UNIX_EPOCH;

use clap::ValueEnum;
use serde_json::{Value, json};
use taquin_draw::{csv_field, escaped};
use taquin_lab::amounts::utc;
use taquin_lab::grade::{BoardMarks, CheckMarks, StudentMarks};

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(super) enum GradeFormat {
    /// A line for each student
    #[default]
    Table,
    /// The text for each student
    Text,
    /// A spreadsheet: a row for each student, a column for each board
    Csv,
    /// One JSON document with everything
    Json,
    /// A test report in XML
    Junit,
    /// results.json for Gradescope: one submission
    Gradescope,
    /// result.json for Classroom 50: one submission
    Classroom50,
}

/// Writes a row for each student.
pub(super) fn csv(all: &[StudentMarks]) -> String {
    let boards = all.first().map_or(0, |first| first.boards.len());
    let mut out = String::from("name,marks,points");
    for number in 1..=boards {
        let _ = write!(out, ",board {number}");
    }
    out += ",remarks\n";
    for student in all {
        let _ = write!(out, "{},{},{}", cell(&student.name), student.marks, student.points);
        for board in &student.boards {
            let _ = write!(out, ",{}", board.marks());
        }
        let _ = writeln!(out, ",{}", cell(&remarks(student).join(" ")));
    }
    out
}

/// Writes a text as a cell of a spreadsheet that is never taken for a formula.
fn cell(text: &str) -> String {
    let is_formula = text.trim_start().starts_with(['=', '+', '-', '@', '|', '%']);
    csv_field(&if is_formula { format!("'{text}") } else { text.to_owned() })
}

/// The reasons for lost marks: the problems of boards, then the remarks.
fn remarks(student: &StudentMarks) -> Vec<String> {
    let problem =
        |board: &BoardMarks| Some(format!("Board {}: {}", board.number, board.problem.as_ref()?));
    let problems = student.boards.iter().filter_map(problem);
    problems.chain(student.remarks.iter().cloned()).collect()
}

/// Writes the report for a student.
pub(super) fn text(name: &str, student: &StudentMarks) -> String {
    let mut out = format!("{name}\n{}: {} of {}\n", student.name, student.marks, student.points);
    for board in &student.boards {
        let (marks, points) = (board.marks(), board.points());
        let _ = writeln!(out, "\n{}: {marks} of {points}", board.title());
        if let Some(problem) = &board.problem {
            let _ = writeln!(out, "  {problem}");
        }
        for CheckMarks { criterion, marks, points, comment } in &board.checks {
            let _ = writeln!(out, "  {criterion}: {marks} of {points}. {comment}");
        }
    }
    for remark in &student.remarks {
        let _ = writeln!(out, "\n{remark}");
    }
    out
}

/// Writes a report with a suite for each student and a case for each criterion.
pub(super) fn junit(name: &str, all: &[StudentMarks]) -> String {
    let failed = |student: &StudentMarks| {
        student.boards.iter().flat_map(|board| &board.checks).filter(|check| is_lost(check)).count()
    };
    let number = |student: &StudentMarks| {
        student.boards.iter().map(|board| board.checks.len()).sum::<usize>()
    };
    let (tests, failures): (usize, usize) =
        (all.iter().map(number).sum(), all.iter().map(failed).sum());
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"{}\" tests=\"{tests}\" failures=\"{failures}\">\n",
        escaped(name)
    );
    for student in all {
        let suite = escaped(&student.name);
        let (tests, failures) = (number(student), failed(student));
        let _ =
            writeln!(out, "<testsuite name=\"{suite}\" tests=\"{tests}\" failures=\"{failures}\">");
        for board in &student.boards {
            for check in &board.checks {
                let case = escaped(&format!("{}: {}", board.title(), check.criterion));
                let _ = write!(out, "<testcase classname=\"{suite}\" name=\"{case}\"");
                if !is_lost(check) {
                    out += "/>\n";
                    continue;
                }
                let message = format!("{} of {}. {}", check.marks, check.points, check.comment);
                let problem = escaped(board.problem.as_deref().unwrap_or(""));
                let _ = writeln!(
                    out,
                    "><failure message=\"{}\">{problem}</failure></testcase>",
                    escaped(&message)
                );
            }
        }
        let remarks = student.remarks.join("\n");
        if !remarks.is_empty() {
            let _ = writeln!(out, "<system-out>{}</system-out>", escaped(&remarks));
        }
        out += "</testsuite>\n";
    }
    out + "</testsuites>\n"
}

fn is_lost(check: &CheckMarks) -> bool {
    check.marks < check.points
}

/// The file `results.json` that Gradescope reads. The texts are plain: no mark-up of a student is
/// rendered.
pub(super) fn gradescope(student: &StudentMarks) -> Value {
    let test = |(number, title, problem, check): (String, String, Option<&String>, &CheckMarks)| {
        let output = match problem {
            Some(problem) => format!("{}\n{problem}", check.comment),
            None => check.comment.clone(),
        };
        json!({
            "name": format!("{title}: {}", check.criterion),
            "number": number,
            "score": check.marks,
            "max_score": check.points,
            "status": if is_lost(check) { "failed" } else { "passed" },
            "output": output,
        })
    };
    let checks = student.boards.iter().flat_map(|board| {
        (1..).zip(&board.checks).map(|(at, check)| {
            let number = format!("{}.{at}", board.number);
            (number, board.title(), board.problem.as_ref(), check)
        })
    });
    json!({
        "score": student.marks,
        "output": student.remarks.join("\n"),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "tests": checks.map(test).collect::<Vec<_>>(),
    })
}

/// The file `result.json` that Classroom 50 reads; its runner describes the submission in the
/// environment.
pub(super) fn classroom50(student: &StudentMarks) -> Value {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let test = |title: &str, check: &CheckMarks| {
        json!({
            "test-name": format!("{title}: {}", check.criterion),
            "passed": !is_lost(check),
            "score": check.marks,
            "max-score": check.points,
        })
    };
    let tests = student.boards.iter().flat_map(|board| {
        let title = board.title();
        board.checks.iter().map(move |check| test(&title, check))
    });
    let commit = of("COMMIT_URL");
    let now = UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
    let review = Some(of("REVIEW_URL")).filter(|url| !url.is_empty());
    json!({
        "schema": "classroom50/result/v1",
        "classroom": of("CLASSROOM"),
        "assignment": of("ASSIGNMENT"),
        "submission": of("SUBMISSION_TAG"),
        "release": of("RELEASE_URL"),
        "review": review.unwrap_or_else(|| commit.clone()),
        "commit": commit,
        "datetime": utc(now),
        "score": student.marks,
        "max-score": student.points,
        "tests": tests.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "=cmd|' /C calc'!A0"] {
            assert!(cell(text).trim_start_matches('"').starts_with('\''), "{text}");
        }
        assert_eq!(cell("Lu, Ann"), "\"Lu, Ann\"");
        assert_eq!(cell("a=b"), "a=b");
    }
}
