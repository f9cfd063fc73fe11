//! `grade`: a class of students, and programs that try to break the report.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::{Ran, folder, run, taquin};

/// Runs `grade` in a folder.
fn grade(folder: &Path, args: &[&str]) -> Ran {
    let output = taquin()
        .current_dir(folder)
        .arg("grade")
        .args(args)
        .env("COLUMNS", "100")
        .env("TMPDIR", folder)
        .output()
        .unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn json(folder: &Path, args: &[&str]) -> Vec<Value> {
    let ran = grade(folder, &[args, &["--format", "json"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// The comments of a student for a board.
fn comments(student: &Value, board: usize) -> Vec<&str> {
    let checks = student["boards"][board]["checks"].as_array().unwrap();
    checks.iter().map(|check| check["comment"].as_str().unwrap()).collect()
}

const RUBRIC: &str = r#"
name = "Search, sheet 3"
goal = "last"

[points]
solution = 4
optimal = 2
unsolvable = 3

[partial]
legal = 25
longer = 50

[[boards]]
board = "1 2 3/4 0 6/7 5 8"

[[boards]]
board = "0 1 2/4 5 3/7 8 6"

[[boards]]
board = "1 2 3/4 5 6/8 7 0"
"#;

/// The boards on a path of the blank, the start included, and the tiles that move. A move that
/// leads off the board is left out.
fn path(start: &str, moves: &str) -> (Vec<Vec<u8>>, Vec<u8>) {
    let mut board: Vec<u8> = start.bytes().map(|digit| digit - b'0').collect();
    let (mut boards, mut tiles) = (vec![board.clone()], Vec::new());
    for step in moves.chars() {
        let blank = board.iter().position(|tile| *tile == 0).unwrap();
        let to = match step {
            'U' => blank.checked_sub(3),
            'D' => Some(blank + 3).filter(|to| *to < 9),
            'L' => (blank % 3 > 0).then(|| blank - 1),
            _ => (blank % 3 < 2).then(|| blank + 1),
        };
        let Some(to) = to else { continue };
        tiles.push(board[to]);
        board.swap(blank, to);
        boards.push(board.clone());
    }
    (boards, tiles)
}

/// Writes moves in one of ten forms.
fn written(form: usize, start: &str, moves: &str) -> String {
    let words = |c: char| match c {
        'U' => "Up",
        'D' => "Down",
        'L' => "Left",
        _ => "Right",
    };
    let list = |quote: &str, separator: &str| {
        let quoted = |c: char| format!("{quote}{c}{quote}");
        moves.chars().map(quoted).collect::<Vec<_>>().join(separator)
    };
    let (boards, tiles) = path(start, moves);
    match form {
        0 => moves.to_owned(),
        1 => format!("[{}]", list("'", ",")),
        2 => format!("{{\"moves\": \"{moves}\", \"nodes\": 17}}"),
        3 => moves.chars().map(words).collect::<Vec<_>>().join(" "),
        4 => moves.chars().map(|c| ['↑', '↓', '←', '→']["UDLR".find(c).unwrap()]).collect(),
        5 => {
            let line = |(n, c): (usize, char)| format!("{n}. {}", words(c));
            (1..).zip(moves.chars()).map(line).collect::<Vec<_>>().join("\n")
        }
        6 => format!("Name: Lu\nStudent number: 12345\nSolution: {moves}\nTime: 0.2 s\n"),
        7 => format!("({})", list("", ", ")),
        8 => format!("path: {tiles:?}"),
        _ => {
            let row = |row: &[u8]| format!("| {} | {} | {} |\n", row[0], row[1], row[2]);
            let board = |board: &Vec<u8>| board.chunks(3).map(row).collect::<String>() + "\n";
            boards.iter().map(board).collect()
        }
    }
}

#[test]
fn a_class_of_thirty_gets_the_marks_that_it_should() {
    let folder = folder("grade-class");
    fs::write(folder.join("rubric.toml"), RUBRIC).unwrap();
    // Ten kinds of students: the moves for two boards, what they say about the third, the marks for
    // each board, and the first comment that is not praise.
    let (unsolvable, gave_up) = ("This board is UNSOLVABLE.", "I gave up.");
    let missed = "This board can't be solved, and your program does not say so.";
    let kinds = [
        (Some("DR"), Some("RRDD"), unsolvable, [6, 6, 3], ""),
        (
            Some("DRLR"),
            Some("RRDD"),
            unsolvable,
            [5, 6, 3],
            "The shortest solution has 2 moves, yours 4.",
        ),
        (
            Some("D"),
            Some("RRDDUD"),
            gave_up,
            [1, 5, 0],
            ") the board is 1 2 3/4 5 6/7 0 8, not the goal.",
        ),
        (
            Some("DR"),
            Some("RRRR"),
            unsolvable,
            [6, 0, 3],
            "The board does not allow your moves: move 3",
        ),
        (
            Some("DR"),
            None,
            unsolvable,
            [6, 0, 3],
            "Your program says that there is no solution, but there is.",
        ),
        (Some("DR"), Some("RRDD"), "DLUR", [6, 6, 0], missed),
        (Some("DR"), Some(""), unsolvable, [6, 0, 3], "Your output has no moves."),
        (
            None,
            None,
            unsolvable,
            [0, 0, 3],
            "Your program says that there is no solution, but there is.",
        ),
        (Some("UL"), Some("LLUU"), unsolvable, [6, 6, 3], ""),
        (Some(""), Some(""), "", [0, 0, 0], "Your output has no moves."),
    ];
    let mut files = Vec::new();
    let mut forms = Vec::new();
    for student in 0..30 {
        let (first, second, third, ..) = kinds[student / 3];
        // Tiles and boards have no moves that a board does not allow, and no notation.
        let form = match student / 3 {
            3 | 8 => [0, 1, 3][student % 3],
            kind => (3 * kind + student % 3) % 10,
        };
        forms.push(form);
        let answer = |moves: Option<&str>, start| match moves {
            Some("") => "Sorry.".to_owned(),
            Some(moves) => written(form, start, moves),
            None => "There is no solution.".to_owned(),
        };
        let text = format!(
            "Board 1:\n{}\nBoard 2:\n{}\nBoard 3:\n{third}\n",
            answer(first, "123406758"),
            answer(second, "012453786"),
        );
        let name = format!("student{student:02}.txt");
        fs::write(folder.join(&name), text).unwrap();
        files.push(name);
    }
    assert!((0..10).all(|form| forms.contains(&form)));
    let mut args = vec!["rubric.toml"];
    args.extend(files.iter().map(String::as_str));
    let graded = json(&folder, &args);
    assert_eq!(graded.len(), 30);
    for (student, marks) in graded.iter().enumerate() {
        let (first, _, _, right, reason) = kinds[student / 3];
        assert_eq!(marks["marks"], right.iter().sum::<u64>(), "{student}: {marks:#}");
        assert_eq!(marks["points"], 15);
        for (board, right) in right.into_iter().enumerate() {
            let checks = marks["boards"][board]["checks"].as_array().unwrap();
            let found: u64 = checks.iter().map(|check| check["marks"].as_u64().unwrap()).sum();
            assert_eq!(found, right, "{student}, board {board}: {marks:#}");
        }
        let all = (0..3).flat_map(|board| comments(marks, board)).collect::<Vec<_>>();
        let lost = |check: &&str| {
            !check.contains(" lead to the goal.")
                && !check.starts_with("No solution is ")
                && !check.starts_with("Your program is right")
        };
        let first_lost = all.iter().copied().find(lost).unwrap_or("");
        assert!(
            first_lost.contains(reason) && first_lost.is_empty() == reason.is_empty(),
            "{student}: {all:?}"
        );
        if first == Some("DR") {
            assert!(all[0].starts_with("Your 2 moves ("), "{all:?}");
        }
    }
    // A file that is not there is no submission.
    let ran = grade(&folder, &["rubric.toml", "student00.txt", "student99.txt"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("student99.txt: no such file"), "{}", ran.err);
    // The same marks in every form.
    let ran = grade(&folder, &args);
    assert_eq!(ran.out.lines().filter(|line| line.contains("15 of 15")).count(), 6, "{}", ran.out);
    let ran = grade(&folder, &[&args[..], &["--format", "csv"]].concat());
    assert!(ran.out.starts_with("name,marks,points,board 1,board 2,board 3,remarks\n"));
    assert!(ran.out.contains("\nstudent03,14,15,5,6,3,\n"), "{}", ran.out);
    let ran = grade(&folder, &[&args[..], &["--format", "junit"]].concat());
    let about = "<testsuites name=\"Search, sheet 3\" tests=\"150\" failures=\"63\">";
    assert!(ran.out.contains(about), "{}", ran.out);
    let ran = grade(&folder, &["rubric.toml", "student06.txt", "--format", "text"]);
    assert!(ran.out.contains("Board 1 (1 2 3/4 0 6/7 5 8): 1 of 6\n"), "{}", ran.out);
    let ran = grade(&folder, &["rubric.toml", "student03.txt", "--format", "gradescope"]);
    let upload: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&upload["score"], &upload["tests"][1]["score"]), (&14.into(), &1.into()));
    assert_eq!(
        (&upload["tests"][1]["status"], &upload["tests"][0]["status"]),
        (&"failed".into(), &"passed".into())
    );
    let output = taquin()
        .current_dir(&folder)
        .args(["grade", "rubric.toml", "student03.txt", "--format", "classroom50"])
        .envs([("CLASSROOM", "cs1"), ("ASSIGNMENT", "s3"), ("COMMIT_URL", "https://x.example/c")])
        .output()
        .unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["schema"], "classroom50/result/v1");
    assert_eq!(
        (&result["classroom"], &result["review"]),
        (&"cs1".into(), &"https://x.example/c".into())
    );
    assert_eq!((&result["score"], &result["max-score"]), (&14.into(), &15.into()));
    assert_eq!(result["tests"].as_array().unwrap().len(), 5);
    // Formats for one submission refuse several.
    let ran = grade(&folder, &[&args[..], &["--format", "gradescope"]].concat());
    assert_eq!(ran.code, Some(2));
    // The key.
    let ran = grade(&folder, &["rubric.toml"]);
    assert!(ran.out.contains("1 2 3/4 5 6/8 7 0 (unsolvable)"), "{}{}", ran.out, ran.err);
    // All formats at once.
    let ran =
        grade(&folder, &["rubric.toml", "student00.txt", "student03.txt", "--out", "reports"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for file in ["marks.csv", "marks.json", "junit.xml", "002-student03/feedback.txt"] {
        assert!(folder.join("reports").join(file).is_file(), "{file}");
    }
    let upload = fs::read(folder.join("reports/002-student03/results.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&upload).unwrap()["score"], 14);
    #[cfg(unix)]
    three_programs_of_the_class(&folder);
}

/// Three students hand in programs that solve the first board. On the second board, one crashes,
/// one runs past its time and one prints without end, which costs the marks for that board only.
#[cfg(unix)]
fn three_programs_of_the_class(folder: &Path) {
    let run = "[run]\ncommand = [\"sh\", \"{submission}\", \"{board}\"]\ntime = \"2s\"\n";
    fs::write(folder.join("programs.toml"), format!("{RUBRIC}\n{run}")).unwrap();
    let kinds = [
        ("crash", "kill -SEGV $$", "The program was ended by signal 11"),
        ("late", "sleep 600", "The program did not end within 2 s."),
        ("endless", "while :; do echo RRDDRRDDRRDDRRDDRRDDRRDDRRDD; done", "printed more than"),
    ];
    for (name, fault, _) in kinds {
        let script = format!(
            "case \"$1\" in\n  1*0*6*) echo DR ;;\n  0*) {fault} ;;\n  *) echo unsolvable ;;\nesac\n"
        );
        fs::write(folder.join(format!("{name}.sh")), script).unwrap();
    }
    let graded = json(folder, &["programs.toml", "crash.sh", "late.sh", "endless.sh"]);
    for (student, (name, _, words)) in graded.iter().zip(kinds) {
        assert_eq!((&student["marks"], &student["points"]), (&9.into(), &15.into()), "{student:#}");
        let problem = student["boards"][1]["problem"].as_str().unwrap();
        // A busy machine may take the time before the program prints enough.
        let is_late = name == "endless" && problem.contains("within 2 s");
        assert!(problem.contains(words) || is_late, "{name}: {problem}");
    }
}

#[test]
fn counts_are_explained_to_the_student() {
    let folder = folder("grade-counts");
    let boards = ["712485630", "1 2 3/4 0 6/7 5 8", "0 1 3/4 2 5/7 8 6"];
    let mut rubric = "course = \"ucr-list\"\n[points]\nlength = 1\nexpanded = 4\nqueue = 2\n\
                      [partial]\nexplained = 50\n"
        .to_owned();
    for board in boards {
        writeln!(rubric, "[[boards]]\nboard = \"{board}\"\nmethod = \"manhattan\"").unwrap();
    }
    fs::write(folder.join("rubric.toml"), rubric).unwrap();
    // Students' programs print the output of the course's program with another policy.
    for (name, method) in [
        ("right", "manhattan"),
        ("deepest", "manhattan,tie=high-g"),
        ("misplaced", "misplaced"),
        ("generation", "manhattan,goal=generation"),
    ] {
        let mut text = String::new();
        for (number, board) in (1..).zip(boards) {
            let ran = run(&["solve", board, "--as", "ucr-list", "-m", method]);
            writeln!(text, "== Board {number} ==\n{}", ran.out).unwrap();
        }
        fs::write(folder.join(format!("{name}.txt")), text).unwrap();
    }
    fs::write(folder.join("nothing.txt"), "Board 1\nBoard 2\nexpanded 2 nodes\n").unwrap();
    let files = ["right.txt", "deepest.txt", "misplaced.txt", "generation.txt", "nothing.txt"];
    let graded = json(&folder, &[&["rubric.toml"], &files[..]].concat());
    let remark = |at: usize| graded[at]["remarks"].as_array().unwrap();
    assert_eq!((&graded[0]["marks"], &graded[0]["points"]), (&21.into(), &21.into()));
    assert!(remark(0).is_empty());
    assert_eq!(comments(&graded[0], 0)[1], "The number of expanded nodes is right: 502.");
    assert_eq!(
        remark(1)[0],
        "manhattan: one change to the program that was asked for gives your counts. Your program \
         prefers the higher g among nodes of equal f. The one asked for prefers the lower g among \
         nodes of equal f."
    );
    let text = remark(2)[0].as_str().unwrap();
    assert!(
        text.contains("Your program uses the heuristic misplaced. The one asked for uses"),
        "{text}"
    );
    let text = remark(3)[0].as_str().unwrap();
    assert!(text.contains("tests for the goal when it generates a node"), "{text}");
    // Half of the points for counts that a policy explains.
    let wrong = comments(&graded[2], 0)[1];
    assert!(wrong.ends_with("A policy explains it: see below."), "{wrong}");
    let marks = &graded[2]["boards"][0]["checks"][1];
    assert_eq!((&marks["marks"], &marks["points"]), (&2.into(), &4.into()));
    assert_eq!(
        comments(&graded[4], 0)[1],
        "Your output does not have the number of expanded nodes."
    );
    assert_eq!(graded[4]["boards"][2]["problem"], "There is no answer below a heading 'Board 3'.");
}

#[test]
fn the_table_says_why_a_program_has_no_marks() {
    let folder = folder("grade-problems");
    fs::write(folder.join("rubric.toml"), RUBRIC).unwrap();
    fs::write(folder.join("ann.py"), "print('DR')").unwrap();
    let ran = grade(&folder, &["rubric.toml", "ann.py"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.contains("ann.py is read as an output, because the rubric has no [run] table"),
        "{}",
        ran.err
    );
    let why = "ann: a problem on 3 of 3 boards. Board 1: Which answer is for which board?";
    assert!(ran.out.contains(why), "{}", ran.out);
}

#[test]
fn a_rubric_is_checked_whole() {
    let folder = folder("grade-rubric");
    let text = "course = \"nowhere\"\n[points]\nsolutions = 3\n[run]\ncommand = [\"x\", \"{bord}\"]\n\
                time = \"soon\"\noutput = \"../x\"\n[[boards]]\nboard = \"1 2 2 0\"\n";
    fs::write(folder.join("rubric.toml"), text).unwrap();
    let ran = grade(&folder, &["rubric.toml"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    for fault in [
        "rubric.toml:1:11: course: no course is called 'nowhere'",
        "rubric.toml:3:1: points: unknown key 'solutions'",
        "did you mean 'solution'?",
        "run.command: unknown placeholder 'bord'",
        "rubric.toml:6:9: run.time",
        "rubric.toml:7:11: run.output",
    ] {
        assert!(ran.err.contains(fault), "{fault}\n{}", ran.err);
    }
    fs::write(folder.join("rubric.toml"), "[[boards]]\nboard = \"1 2 2 0\"\n").unwrap();
    let ran = grade(&folder, &["rubric.toml"]);
    assert!(
        ran.err.contains("rubric.toml:2:10: boards[1].board: tile 2 appears twice"),
        "{}",
        ran.err
    );
    fs::write(folder.join("rubric.toml"), RUBRIC).unwrap();
    assert_eq!(grade(&folder, &["rubric.toml", "missing.txt"]).code, Some(2));
}

/// A rubric that runs shell scripts.
#[cfg(unix)]
fn program_rubric(run: &str) -> String {
    format!(
        "[run]\ncommand = [\"sh\", \"{{submission}}\", \"{{board}}\", \"{{size}}\"]\n{run}\n\
         [points]\nsolution = 2\noptimal = 1\n[[boards]]\nboard = \"1 2 3/4 0 6/7 5 8\"\n"
    )
}

#[cfg(unix)]
#[test]
fn programs_are_run_on_a_copy_and_without_secrets() {
    let folder = folder("grade-run");
    let input = "input = \"{size}\\n{board}\\n\"\nformat = \"rows\"\nblank = \"b\"\ntime = \"60s\"";
    fs::write(folder.join("rubric.toml"), program_rubric(input)).unwrap();
    let script = "read size; read row; echo changed > \"$0\"; touch new\n\
                  [ \"$size$row$2\" = '31 2 33' ] && [ -z \"$SECRET\" ] && echo DR\necho oops >&2; exit 3\n";
    fs::write(folder.join("lu.sh"), script).unwrap();
    let output = taquin()
        .current_dir(&folder)
        .args(["grade", "rubric.toml", "lu.sh", "--format", "json"])
        .env("SECRET", "1")
        .output()
        .unwrap();
    let graded: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(graded[0]["marks"], 3, "{graded:#}");
    assert_eq!(graded[0]["boards"][0]["problem"], "The program ended with exit code 3. oops");
    assert_eq!(fs::read_to_string(folder.join("lu.sh")).unwrap(), script, "it is not changed");
    assert!(!folder.join("new").exists());
    // A folder with a program that writes a file. The file that was handed in does not count.
    let rubric = "[run]\ncommand = [\"sh\", \"solve.sh\"]\noutput = \"out.txt\"\ntime = \"60s\"\n\
                  [[boards]]\nboard = \"1 2 3/4 0 6/7 5 8\"\n";
    fs::write(folder.join("rubric.toml"), rubric).unwrap();
    for (name, script) in [
        ("good", "echo DR > out.txt\n"),
        ("stale", "exit 0\n"),
        ("link", "ln -s /etc/passwd out.txt\n"),
    ] {
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("solve.sh"), script).unwrap();
        fs::write(folder.join(name).join("out.txt"), "DR\n").unwrap();
    }
    let graded = json(&folder, &["rubric.toml", "good", "stale", "link"]);
    let marks: Vec<&Value> = graded.iter().map(|student| &student["marks"]).collect();
    assert_eq!(marks, [&Value::from(1), &0.into(), &0.into()], "{graded:#?}");
}

#[cfg(target_os = "linux")]
#[test]
fn programs_are_ended_with_everything_that_they_start() {
    let folder = folder("grade-ended");
    let limits = "time = \"700ms\"\nmemory = \"40M\"";
    fs::write(folder.join("rubric.toml"), program_rubric(limits)).unwrap();
    for (name, script) in [
        // Its child leaves the process group and would live on.
        ("leaves", "setsid sh -c 'echo $$ > $TMPDIR/left; exec sleep 600' &\nsleep 600\n"),
        ("sleeps", "sleep 600\n"),
        ("endless", "while :; do echo DRDRDRDRDRDRDRDRDRDRDRDRDRDRDRDRDRDRDRDRDRDR; done\n"),
        ("memory", "head -c 400000000 /dev/zero | tail -c 200000000 | sleep 600\n"),
        ("forks", "i=0; while [ $i -lt 400 ]; do sleep 600 & i=$((i+1)); done; wait\n"),
        ("dies", "kill -9 $$\n"),
    ] {
        fs::write(folder.join(format!("{name}.sh")), script).unwrap();
    }
    let files = ["leaves.sh", "sleeps.sh", "endless.sh", "memory.sh", "forks.sh", "dies.sh"];
    let graded = json(&folder, &[&["rubric.toml"], &files[..]].concat());
    let problem = |at: usize| graded[at]["boards"][0]["problem"].as_str().unwrap();
    for at in [0, 1] {
        assert_eq!(problem(at), "The program did not end within 0.7 s.");
    }
    // A busy machine may be too slow for the other limits.
    let is = |at: usize, words: &str| problem(at).contains(words) || problem(at).contains("within");
    assert!(is(2, "printed more than"), "{}", problem(2));
    assert!(is(3, "used more than 40"), "{}", problem(3));
    assert!(is(4, "more than 200 processes"), "{}", problem(4));
    assert!(problem(5).contains("signal 9"), "{}", problem(5));
    for student in &graded {
        assert_eq!(student["marks"], 0);
    }
    let left = fs::read_to_string(folder.join("left")).unwrap_or_default();
    if let Ok(process) = left.trim().parse::<u32>() {
        assert!(!Path::new(&format!("/proc/{process}")).exists(), "{process} lives");
    }
    let entries = fs::read_dir(&folder).unwrap().flatten();
    let copies = entries.filter(|entry| entry.file_name().to_string_lossy().contains("taquin-"));
    assert_eq!(copies.count(), 0, "the copies are removed");
}

#[cfg(unix)]
#[test]
fn nothing_that_a_submission_prints_breaks_a_report() {
    let folder = folder("grade-hostile");
    fs::write(folder.join("rubric.toml"), program_rubric("time = \"60s\"")).unwrap();
    for (name, script) in [
        (
            "=cmd|' !A0",
            "printf '\\033[2J\\033]0;title\\007=1+1\\n'; printf '\\377\\376' >&2; exit 1",
        ),
        ("<script>&\"", "echo ']]></failure><x a=\"'; echo '\",\"score\": 99, \"' >&2; exit 1"),
        ("+1 \u{202e}evil", "printf '\\0\\0\\0'; head -c 100000 /dev/zero"),
        ("-rf", "printf '\\377\\376U\\0'; printf '\\303\\050'"),
        ("@SUM(A1)", "head -c 300000 /dev/zero | tr '\\0' '['"),
        ("line\nbreak", "i=0; while [ $i -lt 3000 ]; do echo 1 2 3; i=$((i+1)); done"),
        ("numbers", "echo 99999999999999999999999999999999 U D; echo R99999999999"),
    ] {
        fs::write(folder.join(format!("{name}.sh")), script).unwrap();
    }
    let mut files: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "sh"))
        .map(|name| format!("./{name}"))
        .collect();
    files.sort();
    let mut args = vec!["rubric.toml"];
    args.extend(files.iter().map(String::as_str));
    for student in json(&folder, &args) {
        assert_eq!(student["marks"], 0, "{student:#}");
    }
    let is_harmless = |c: char| c == '\n' || (!c.is_control() && c != '\u{202e}');
    for format in ["table", "text", "csv", "json", "junit"] {
        let ran = grade(&folder, &[&args[..], &["--format", format]].concat());
        assert_eq!(ran.code, Some(0), "{format}: {}", ran.err);
        assert!(ran.out.chars().all(is_harmless), "{format}: {:?}", ran.out);
        if format == "csv" {
            assert_eq!(ran.out.lines().count(), files.len() + 1);
            let formulas = ran.out.lines().skip(1).flat_map(|line| line.split(','));
            let is_formula = |cell: &str| cell.trim_matches('"').starts_with(['=', '+', '-', '@']);
            assert_eq!(formulas.filter(|cell| is_formula(cell)).count(), 0, "{}", ran.out);
        }
        if format == "junit" {
            assert!(!ran.out.contains("<x ") && !ran.out.contains("<script"), "{}", ran.out);
            assert_eq!(ran.out.matches("<testsuite ").count(), files.len());
        }
    }
    // The formats for one submission are documents that the student cannot write into.
    for file in &files {
        for format in ["gradescope", "classroom50"] {
            let ran = grade(&folder, &["rubric.toml", file, "--format", format]);
            assert!(ran.out.chars().all(is_harmless), "{format}: {:?}", ran.out);
            let document: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(document["score"], 0, "{format}: {document:#}");
            assert_eq!(document["tests"].as_array().unwrap().len(), 2, "{document:#}");
        }
    }
    let ran = grade(&folder, &[&args[..], &["--out", "reports"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let folders = fs::read_dir(folder.join("reports")).unwrap().flatten();
    assert_eq!(folders.filter(|entry| entry.path().is_dir()).count(), files.len());
}

/// Runs another command in a folder.
fn other(folder: &Path, args: &[&str]) -> Ran {
    let output = taquin().current_dir(folder).args(args).env("COLUMNS", "100").output().unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn exams_have_pages_a_key_and_a_rubric() {
    let folder = folder("exam");
    let draw = ["gen", "--depth", "6", "--count", "14", "--unique", "--seed", "1"];
    let with = |more: &[&str]| {
        let ran = other(&folder, &[&draw[..], more].concat());
        assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 14), "{}", ran.err);
        ran.out
    };
    let boards =
        with(&["--sheet", "exam.pdf", "--key", "key.csv", "-m", "bfs", "-m", "ida:manhattan"]);
    let sheet = fs::read(folder.join("exam.pdf")).unwrap();
    assert!(sheet.starts_with(b"%PDF"));
    assert!(String::from_utf8_lossy(&sheet).contains("/Count 2>>"));
    let key = fs::read_to_string(folder.join("key.csv")).unwrap();
    let mut lines = key.lines();
    assert!(lines.next().unwrap().starts_with("number,board,cost,moves,solution,bfs expanded,"));
    for (number, (line, board)) in (1..).zip(lines.zip(boards.lines())) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[..4], [&number.to_string(), board, "6", "6"]);
        assert_eq!(run(&["verify", board, cells[4]]).code, Some(0));
        let report = run(&["solve", board, "-m", "bfs", "--json"]).out;
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["counts"]["expanded"].to_string(), cells[5]);
    }
    // Thirty boards twelve moves away, on pages that show the goal and the task.
    let thirty = ["gen", "--depth", "12", "--count", "30", "--unique", "--seed", "1"];
    let ran = other(&folder, &[&thirty[..], &["--key", "k.csv", "--sheet", "s.svg"]].concat());
    let mut lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((ran.code, lines.len()), (Some(0), 30), "{}", ran.err);
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 30, "no board twice");
    let key = fs::read_to_string(folder.join("k.csv")).unwrap();
    assert_eq!(key.lines().filter(|line| line.contains(",12,12,")).count(), 30, "{key}");
    let sheet = fs::read_to_string(folder.join("s.svg")).unwrap();
    assert_eq!(sheet.matches(">Moves<").count(), 30);
    assert_eq!((sheet.matches(">Goal<").count(), sheet.matches(">Name<").count()), (1, 1));
    assert!(sheet.contains("Find a shortest solution for each board"), "{sheet}");
    // The rubric of the same boards, whose answers get every mark.
    with(&[
        "--as",
        "ucr-list",
        "-m",
        "manhattan",
        "--key",
        "rubric.toml",
        "--title",
        "A \"quoted\" sheet",
    ]);
    let mut answers = String::new();
    for (number, board) in (1..).zip(boards.lines()) {
        let solved =
            run(&["solve", board, "--as", "ucr-list", "-m", "manhattan", "--path", "moves"]);
        write!(answers, "Board {number}\n{}", solved.out).unwrap();
    }
    fs::write(folder.join("lu.txt"), answers).unwrap();
    let marks = json(&folder, &["rubric.toml", "lu.txt"]);
    assert_eq!((&marks[0]["marks"], &marks[0]["points"]), (&56.into(), &56.into()));
    for args in [
        &["gen", "--sheet", "exam.doc"][..],
        &["gen", "-m", "bfs"],
        &["gen", "--key", "key.pdf", "-m", "nonsense"],
        &["gen", "--key", "key.pdf", "--as", "nowhere"],
    ] {
        let ran = other(&folder, args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?} {}", ran.err);
    }
    // Boards on pages.
    let input = folder.join("boards.txt");
    fs::write(&input, boards).unwrap();
    let show =
        ["show", "--file", "boards.txt", "--pdf", "s.pdf", "--svg", "s.svg", "--png", "s.png"];
    assert_eq!(other(&folder, &show).code, Some(0));
    let svg = fs::read_to_string(folder.join("s.svg")).unwrap();
    assert_eq!(svg.matches("font-weight=\"700\"").count(), 14 + 1, "14 numbers and a title");
    // All boards of a small space, each once.
    let ran = other(&folder, &["gen", "--size", "2", "--count", "15", "--unique", "--seed", "1"]);
    assert_eq!(ran.out.lines().count(), 12);
    assert!(ran.err.contains("only 12 different boards were found"), "{}", ran.err);
}

#[test]
fn a_course_comes_from_the_counts_of_a_program() {
    let folder = folder("courses-new");
    let examples = "goal = \"last\"\n\
        [[examples]]\nboard = \"712485630\"\nmethod = \"manhattan\"\nexpanded = 503\nqueue = 306\n\
        [[examples]]\nboard = \"1 2 3/4 0 6/7 5 8\"\nmethod = \"manhattan\"\nexpanded = 3\nqueue = 5\n";
    fs::write(folder.join("examples.toml"), examples).unwrap();
    let ran = other(&folder, &["courses", "new", "examples.toml", "ai101"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = other(&folder, &["reproduce", "./ai101.toml"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let ran = grade(&folder, &["ai101-rubric.toml"]);
    assert!(ran.out.contains("503") && ran.code == Some(0), "{}{}", ran.out, ran.err);
    // Nothing is overwritten.
    let ran = other(&folder, &["courses", "new", "examples.toml", "ai101"]);
    assert!(ran.code == Some(2) && ran.err.contains("ai101.toml: the file exists"), "{}", ran.err);
    fs::write(folder.join("examples.toml"), examples.replace("expanded = 503", "expanded = 5"))
        .unwrap();
    let ran = other(&folder, &["courses", "new", "examples.toml", "other", "--limit", "1M"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(!folder.join("other.toml").exists());
}
