//! `taquin explain`.

use std::fmt::Write;

use clap::Parser;
use taquin::{
    Algorithm, Board, Duplicates, Fate, GoalTest, Method, Order, Policy, Rank, Reason, Seen,
    Session, Size, Task, Tie, Tile, Watch, is_reachable,
};
use taquin_lab::{Behind, ExplainError, Explanation, Ranked, Rival, Successor, Tree, explain};

use crate::args::{LimitArgs, PuzzleArgs};
use crate::courses;
use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, DIM, PLAIN, count, picture, print, print_json, thousands, written};
use crate::report::{refusal, stopped};
use crate::tables;
use crate::watch::interruptible;

/// Say why a search took the node that it took at a step
///
/// Its f, g and h, the rule that decided, what it was preferred to, and what became of each of its
/// successors. With --dot: the tree up to that step as a Graphviz graph.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin explain 136502478 --step 5
  taquin explain 136502478 -m ucs --step 20 --rivals 10
  taquin explain 136507482 --as ucr-list -m misplaced --step 30
  taquin explain 136502478 -m astar:misplaced --step 12 --dot | dot -Tsvg > tree.svg

A step is an expansion, counted from 1; the last one may be the goal that is taken out.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,
    /// The method, such as bfs, astar:misplaced or ida [default: astar:manhattan, or the course's]
    #[arg(long, short, value_name = "METHOD")]
    method: Option<String>,
    /// Follow a course or a paper: its goal, its methods, its rules ('taquin courses')
    #[arg(long = "as", value_name = "NAME")]
    course: Option<String>,
    /// The step, from 1 [default: 1; with --dot 100]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    step: Option<u64>,
    /// How many of the nodes that were left to show
    #[arg(long, default_value_t = 5, value_name = "N")]
    rivals: usize,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print the tree up to that step in the DOT language
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ExplainArgs) -> CommandResult {
    let task = task(args)?;
    if !is_reachable(&task.puzzle) {
        print(&refusal(&task.puzzle))?;
        return Ok(11);
    }
    let session = Session::new();
    tables::prepare(&session, &task)?;
    let algorithm = task.method.algorithm;
    if !algorithm.has_steps() {
        return Err(failure(&ExplainError::Method(algorithm)));
    }
    if args.dot {
        return draw(&session, task, args.step.unwrap_or(100));
    }
    let step = args.step.unwrap_or(1);
    let explanation = explain(&session, &task, step, args.rivals, &interruptible())
        .map_err(|error| failure(&error))?;
    match args.json {
        true => print_json(&explanation)?,
        false => print(&describe(&explanation, &task))?,
    }
    Ok(0)
}

fn task(args: &ExplainArgs) -> Result<Task, Failure> {
    let course = args.course.as_deref().map(courses::resolve).transpose()?;
    let mut task = if let Some(course) = course {
        let choice =
            course.method(args.method.as_deref()).map_err(|error| Failure::course(&error))?;
        let start = args.puzzle.board.read()?;
        let puzzle = match args.puzzle.has_goal() {
            true => args.puzzle.puzzle_from(start)?,
            false => course.puzzle(start),
        };
        course.task(puzzle, choice.method)
    } else {
        let method = args.method.as_deref().unwrap_or("astar:manhattan");
        let method: Method = method.parse().map_err(|error| Failure::method(&error))?;
        Task::new(args.puzzle.puzzle()?, method)
    };
    task.limits = args.limits.limits();
    Ok(task)
}

fn failure(error: &ExplainError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        ExplainError::Method(Algorithm::Auto) => {
            failure.hint("auto is several searches: choose one, such as -m astar:manhattan")
        }
        ExplainError::Ended { report, .. } => match report.reason {
            Some(Reason::Cancelled) => Failure::interrupted(),
            Some(reason) => Failure::stopped(reason, stopped(Some(reason))),
            None => failure.hint("choose a smaller --step"),
        },
        _ => failure.hint("choose a method with one frontier, such as bfs or astar:manhattan"),
    }
}

fn draw(session: &Session, mut task: Task, steps: u64) -> CommandResult {
    task.limits.expanded = Some(task.limits.expanded.map_or(steps, |limit| limit.min(steps)));
    let mut tree = Tree::new(&task);
    session.run(&task, Watch::by(&interruptible()).with_events(&mut |event| tree.tell(event)));
    print(&tree.to_string())?;
    Ok(0)
}

fn describe(explanation: &Explanation, task: &Task) -> String {
    let start = task.puzzle.start();
    let mut text = format!(
        "{BOLD}Step {}{PLAIN} on {start} by\n{}\n\n",
        thousands(explanation.step),
        explanation.method
    );
    text += &portrait(explanation, task.puzzle.size());
    text += &choice(explanation);
    text += &rivals(explanation, task.puzzle.size());
    text += &successors(explanation, task.puzzle.size());
    text
}

/// The board that was taken, and its figures beside it.
fn portrait(explanation: &Explanation, size: Size) -> String {
    let Ranked { node, since, .. } = &explanation.node;
    let policy = &explanation.method.policy;
    let estimate = match &explanation.method.estimate {
        Some(estimate) => format!("by {estimate}"),
        None => "no estimate is used".to_owned(),
    };
    let path = match explanation.path.as_str() {
        "" => "the start".to_owned(),
        path => format!("the path so far: {path}"),
    };
    let mut lines =
        vec![format!("g = {:<4} {path}", node.g), format!("h = {:<4} {estimate}", node.h)];
    if explanation.method.estimate.is_some() {
        lines.push(match policy.weight.to_string().as_str() {
            "1" => format!("f = {}", u64::from(node.g) + u64::from(node.h)),
            weight => format!("f = g + {weight} h = {}", shown_rank(policy, explanation.node.rank)),
        });
    }
    if *since > 0 && explanation.waiting > 0 {
        lines.push(format!("waiting since step {}", thousands(*since)));
    }
    let board = board(&node.board, size);
    let rows = board.as_ref().map_or_else(Vec::new, |board| picture(board, node.tile));
    let width = size.cols() * (size.cells().saturating_sub(1).to_string().len() + 1) - 1;
    let mut text = String::new();
    for at in 0..rows.len().max(lines.len()) {
        let row = rows.get(at).cloned().unwrap_or_else(|| " ".repeat(width));
        let line = lines.get(at).map_or("", String::as_str);
        let _ = writeln!(text, "{}", format!("  {row}    {line}").trim_end());
    }
    text.push('\n');
    text
}

/// What decided.
fn choice(explanation: &Explanation) -> String {
    let Explanation { method, node, waiting, same_rank, same_tie, .. } = explanation;
    let policy = &method.policy;
    if explanation.threshold.is_some() && node.node.step.is_none() {
        return format!(
            "Taken because every threshold begins at the start.\n{}\n",
            goal_note(explanation)
        );
    }
    if let Some(threshold) = explanation.threshold {
        let measure = if method.algorithm == Algorithm::Ids { "depth" } else { "f" };
        return format!(
            "Taken because {} goes depth-first: it is the first successor of its parent that was not\n\
             tried and whose {measure} is within the threshold of {threshold}. Nothing else is kept.\n{}\n",
            method.algorithm,
            goal_note(explanation)
        );
    }
    if *waiting == 1 {
        return format!("Taken because nothing else waited.\n{}\n", goal_note(explanation));
    }
    let others = |number: usize, verb: &str| match number {
        0 => "no other has it".to_owned(),
        number => format!("{} {verb} it too", count(number as u64, "other", "others")),
    };
    let have = |number: usize| others(number, if number == 1 { "has" } else { "have" });
    let mut text = format!(
        "Taken from the {} that waited, because\n",
        count(*waiting as u64, "node", "nodes")
    );
    let mut line = |rule: String, words: String| {
        let _ = writeln!(text, "  {BOLD}{rule:<12}{PLAIN} {words}");
    };
    let rank = shown_rank(policy, node.rank);
    line(
        format!("rank={}", policy.rank),
        match policy.rank {
            Rank::None => "all nodes are equal".to_owned(),
            kind => format!("its {kind} of {rank} is the lowest; {}", have(*same_rank)),
        },
    );
    if *same_rank > 0 && policy.tie != Tie::None {
        let best = if policy.tie == Tie::LowG { "lowest" } else { "highest" };
        let words = format!("of these its g of {} is the {best}; {}", node.node.g, have(*same_tie));
        line(format!("tie={}", policy.tie), words);
    }
    if *same_tie > 0 {
        let words = match policy.order {
            Order::Fifo => "it was put there first",
            Order::Lifo => "it was put there last",
            Order::Heap => "a binary heap happened to have it on top",
            Order::Random => "it was drawn at random",
        };
        line(format!("order={}", policy.order), words.to_owned());
    }
    text + &goal_note(explanation) + "\n"
}

fn goal_note(explanation: &Explanation) -> String {
    match (explanation.is_goal, explanation.method.policy.goal) {
        (true, GoalTest::Expansion) => {
            "It is the goal. goal=expansion tests a node when it is taken out: the search ends here.\n"
        }
        (true, GoalTest::Generation) => "It is the goal: the search ends here.\n",
        (false, _) => "",
    }
    .to_owned()
}

fn rivals(explanation: &Explanation, size: Size) -> String {
    let Explanation { rivals, waiting, method, .. } = explanation;
    let policy = &method.policy;
    let left = waiting.saturating_sub(1);
    if rivals.is_empty() {
        return String::new();
    }
    let shown = match left > rivals.len() {
        true => format!("the first {} of {} left", rivals.len(), thousands(left as u64)),
        false => "all that were left".to_owned(),
    };
    let (wide, headings) = (board_width(size), figures(method, None));
    let mut text = format!("{BOLD}What would have been next{PLAIN} ({shown})\n");
    let _ =
        writeln!(text, "{DIM}  {headings}  {:<wide$}  {:>5}  behind by{PLAIN}", "board", "since");
    for Rival { node: Ranked { node, rank, since }, behind } in rivals {
        let why = match (behind, policy.tie, policy.order) {
            (Behind::Rank, ..) => format!("its higher {}", policy.rank),
            (Behind::Tie, Tie::LowG, _) => "its higher g".to_owned(),
            (Behind::Tie, ..) => "its lower g".to_owned(),
            (Behind::Order, _, Order::Fifo) => "being newer".to_owned(),
            (Behind::Order, _, Order::Lifo) => "being older".to_owned(),
            (Behind::Order, _, Order::Heap) => "its place in the heap".to_owned(),
            (Behind::Order, _, Order::Random) => "chance".to_owned(),
        };
        let figures = figures(method, Some((node, *rank)));
        let board = written(&node.board, size);
        let _ = writeln!(text, "  {figures}  {board:<wide$}  {since:>5}  {why}");
    }
    text.push('\n');
    text
}

/// The figures of a node that the method looks at, or their headings.
fn figures(method: &Method, node: Option<(&Seen, u64)>) -> String {
    let informed = method.estimate.is_some();
    let mut text = String::new();
    let mut column = |heading: &str, value: Option<String>| {
        let _ = write!(text, "{:>5}", value.as_deref().unwrap_or(heading));
    };
    match (method.algorithm, method.policy.rank) {
        // Its rank is the threshold's: f.
        (Algorithm::Ida, _) => {
            column("f", node.map(|(node, _)| (u64::from(node.g) + u64::from(node.h)).to_string()));
        }
        (_, Rank::F) if informed => {
            column("f", node.map(|(_, rank)| shown_rank(&method.policy, rank)));
        }
        _ => {}
    }
    column("g", node.map(|(node, _)| node.g.to_string()));
    if informed {
        column("h", node.map(|(node, _)| node.h.to_string()));
    }
    text
}

fn successors(explanation: &Explanation, size: Size) -> String {
    if explanation.is_goal {
        return String::new();
    }
    let method = &explanation.method;
    let mut text = format!("{BOLD}Its successors{PLAIN}, in the order moves={}\n", method.moves);
    let wide = board_width(size);
    let first = explanation.successors.iter().map(|next| moved(&next.node).len()).max();
    let first = first.unwrap_or(1);
    if explanation.successors.is_empty() {
        text += "  none\n";
    } else {
        let _ = writeln!(text, "{DIM}  {:first$}  {}  board{PLAIN}", "", figures(method, None));
    }
    for successor in &explanation.successors {
        let Successor { node, rank, .. } = successor;
        let step = moved(node);
        let (figures, board) = (figures(method, Some((node, *rank))), written(&node.board, size));
        let _ = writeln!(
            text,
            "  {step:<first$}  {figures}  {board:<wide$}  {}",
            fate(successor, explanation)
        );
    }
    if let Some(step) = explanation.node.node.step.filter(|_| explanation.skips_undo) {
        let back = moved(&Seen { step: Some(step.opposite()), ..explanation.node.node.clone() });
        let _ = writeln!(
            text,
            "  {back:<first$}  is not generated: it takes the last move back (undo=skip)"
        );
    }
    if !explanation.complete {
        text += "  .. the search is still below the last of these: what comes after was not waited for\n";
    }
    text
}

/// What became of a successor, and why.
fn fate(successor: &Successor, explanation: &Explanation) -> String {
    let policy = &explanation.method.policy;
    if successor.is_goal {
        return "the goal: the search ends here".to_owned();
    }
    let known = successor.known.map_or_else(String::new, |known| {
        let when = match known.since {
            0 => "it is the start".to_owned(),
            step => format!("known since step {}", thousands(step)),
        };
        let expanded =
            known.expanded.map_or_else(String::new, |step| match step == explanation.step {
                true => ", being expanded".to_owned(),
                false => format!(", expanded at step {}", thousands(step)),
            });
        format!("{when} with g = {}{expanded}", known.g)
    });
    let cheaper = successor.known.is_some_and(|known| successor.node.g < known.g);
    match successor.verdict {
        Fate::Kept => match (explanation.threshold, policy.duplicates) {
            (Some(_), _) => "within the threshold".to_owned(),
            (None, Duplicates::Keep) => "kept: nothing is compared (duplicates=keep)".to_owned(),
            (None, Duplicates::Expanded) => "kept: compared when it is taken out".to_owned(),
            (None, _) => "kept: a new board".to_owned(),
        },
        Fate::Duplicate if cheaper => format!(
            "dropped though cheaper: {known} (duplicates={}, reopen={})",
            policy.duplicates, policy.reopen
        ),
        Fate::Duplicate => format!("dropped: {known}"),
        Fate::Cheaper => format!("kept, cheaper: {known}"),
        Fate::Reopened => format!("reopened, cheaper: {known}"),
        Fate::Pruned => match (explanation.threshold, policy.depth) {
            (Some(threshold), _) => format!("above the threshold of {threshold}"),
            (None, Some(depth)) => format!("dropped: beyond depth={depth}"),
            (None, None) => "dropped".to_owned(),
        },
    }
}

/// The move to a node; with several blanks, with its tile.
fn moved(node: &Seen) -> String {
    let several = node.board.iter().filter(|tile| **tile == 0).count() > 1;
    match (node.step, node.tile) {
        (Some(step), Some(tile)) if several => format!("{step}{tile}"),
        (Some(step), _) => step.to_string(),
        _ => String::new(),
    }
}

/// A rank as people write it: a weighted f as the fraction that it is.
fn shown_rank(policy: &Policy, rank: u64) -> String {
    let denominator = match policy.rank {
        Rank::F => policy.weight.rank(1, 0),
        _ => 1,
    };
    match rank.is_multiple_of(denominator) {
        true => (rank / denominator).to_string(),
        false => format!("{:.2}", rank as f64 / denominator as f64),
    }
}

fn board(tiles: &[Tile], size: Size) -> Option<Board> {
    Board::new(size, tiles.to_vec()).ok()
}

/// How wide a board is in a line.
fn board_width(size: Size) -> usize {
    let digits: usize = (0..size.cells()).map(|tile| tile.to_string().len()).sum();
    digits + size.cells() - 1
}
