//! `taquin explain`.

use std::fmt::Write;

use clap::Parser;
use taquin::{
    Algorithm, Board, Duplicates, GoalTest, Method, Order, Phi, Policy, Rank, Reason, Session,
    Size, Task, Tie, Tile, TraceNode, Verdict, Watch, Weight, is_reachable,
};
use taquin_lab::{
    BothEnds, ExplainError, Explanation, OrderReason, RankedNode, Request, Rival, SearchEnd,
    SideReason, Successor, Tree, explain,
};

use crate::args::{LimitArgs, PuzzleArgs, read_number};
use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, PLAIN, count, picture, print, print_json, thousands, written};
use crate::report::{refusal, stopped};
use crate::suggest;
use crate::tables;
use crate::watch::interruptible;

/// Explain why a search expanded a node
///
/// Shows its f, g and h, the rule that decided, the nodes that were next in line, and what happened
/// to each successor. With --dot: prints the search tree up to that step as a Graphviz graph.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin explain 136502478 --step 5
  taquin explain 136502478 -m ucs --step 20 --rivals 10
  taquin explain 136507482 --as ucr-list -m misplaced --step 30
  taquin explain 136502478 --step 12 --dot | dot -Tsvg > tree.svg

Steps are expansions, counted from 1. The last step may be the goal.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,
    /// Method, such as bfs, astar:misplaced or ida [default: astar:manhattan, or the course's]
    #[arg(long, short, value_name = "METHOD", value_parser = suggest::methods(), hide_possible_values = true)]
    method: Option<String>,
    /// Use the goal, methods and rules of a course or paper (see 'taquin list courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Step, from 1 [default: 1; with --dot 100]
    #[arg(long, short, value_name = "N", value_parser = read_step)]
    step: Option<u64>,
    /// Number of waiting nodes to show
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = read_number, conflicts_with = "dot")]
    rivals: usize,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print the search tree up to that step in the DOT language
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads the number of a step: 1000, 1e3.
fn read_step(text: &str) -> Result<u64, String> {
    match taquin::read_count(text) {
        Ok(0) => Err("the first step is 1".to_owned()),
        read => read.map_err(|error| error.to_string()),
    }
}

pub(crate) fn run(args: &ExplainArgs) -> CommandResult {
    let task = task(args)?;
    if !is_reachable(&task.puzzle) {
        print(&refusal(&task.puzzle))?;
        return Ok(11);
    }
    let session = tables::session();
    tables::prepare(&session, &task)?;
    let algorithm = task.method.algorithm;
    if !algorithm.row().has_steps && !algorithm.has_both_ends() {
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
    let usual = || args.course.is_none().then(|| "astar:manhattan".to_owned());
    let request = Request {
        course: args.course.clone(),
        method: args.method.clone().or_else(usual),
        limits: args.limits.limits(),
        ..Request::default()
    };
    Ok(args.puzzle.ask(request)?.task)
}

fn failure(error: &ExplainError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        ExplainError::Method(Algorithm::Auto) => failure
            .hint("auto runs several searches; choose one method, such as -m astar:manhattan"),
        ExplainError::Ended { report, .. } => match report.reason {
            Some(Reason::Cancelled) => Failure::interrupted(),
            Some(reason) => Failure::stopped(reason, stopped(Some(reason))),
            None => failure.hint("choose a smaller --step"),
        },
        _ => failure.hint(
            "'taquin solve' runs it; bfs, astar:manhattan, bae:manhattan and ida can be explained",
        ),
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
        "{BOLD}Step {}{PLAIN} on {start}\n{}\n\n",
        thousands(explanation.step),
        explanation.method
    );
    text += &portrait(explanation, task.puzzle.size());
    text += &choice(explanation);
    text += &rivals(explanation, task.puzzle.size());
    text += &successors(explanation, task.puzzle.size());
    text
}

/// Draws the expanded board next to its figures.
fn portrait(explanation: &Explanation, size: Size) -> String {
    let RankedNode { node, since, .. } = &explanation.node;
    let policy = &explanation.method.policy;
    let estimate = match &explanation.method.estimate {
        Some(estimate) => estimate.to_string(),
        None => "no heuristic".to_owned(),
    };
    let path = match explanation.path.as_str() {
        "" => "the start".to_owned(),
        path => format!("path {path}"),
    };
    let mut lines =
        vec![format!("g = {:<4} {path}", node.g), format!("h = {:<4} {estimate}", node.h)];
    if explanation.method.estimate.is_some() {
        let rank = shown_rank(policy, explanation.node.rank);
        lines.push(match (policy.weight, policy.phi) {
            (Weight::ONE, _) => format!("f = {}", u64::from(node.g) + u64::from(node.h)),
            (weight, Phi::Wa) => format!("f = g + {weight} h = {rank}"),
            (weight, phi) => format!("f = {rank} (phi={phi}, w={weight})"),
        });
    }
    if *since > 0 && explanation.waiting > 0 {
        lines.push(format!("generated at step {}", thousands(*since)));
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

/// Describes the rule that decided.
fn choice(explanation: &Explanation) -> String {
    let Explanation { method, node, waiting, same_rank, same_tie, .. } = explanation;
    let policy = &method.policy;
    if let Some(ends) = &explanation.ends {
        return choice_of_end(explanation, ends);
    }
    if explanation.threshold.is_some() && node.node.step.is_none() {
        return format!(
            "Expanded because each iteration begins at the start.\n{}\n",
            goal_note(explanation)
        );
    }
    if let Some(threshold) = explanation.threshold {
        let measure = if method.algorithm == Algorithm::Ids { "depth" } else { "f" };
        return format!(
            "Expanded because {} searches depth-first: it is the next successor of its\n\
             parent with {measure} within the threshold of {threshold}. No other nodes are stored.\n{}\n",
            method.algorithm,
            goal_note(explanation)
        );
    }
    if *waiting == 0 {
        let why = match node.node.step {
            None => "it is the start.".to_owned(),
            Some(_) => format!(
                "{} follows the successor along the path whose value is the\n\
                 lowest: its f, or the lowest f found below it before. What is below the\n\
                 others is forgotten.",
                method.algorithm
            ),
        };
        return format!("Expanded because {why}\n{}\n", goal_note(explanation));
    }
    if *waiting == 1 {
        return format!(
            "Expanded because it was the only waiting node.\n{}\n",
            goal_note(explanation)
        );
    }
    let others = |number: usize| match number {
        0 => "no other node".to_owned(),
        number => count(number as u64, "other node", "other nodes"),
    };
    let nodes = thousands(*waiting as u64);
    let mut rules = Columns::new("ll").indent(2).bold_names();
    let rank = match policy.rank {
        Rank::None => "all nodes are equal".to_owned(),
        kind => format!(
            "lowest {kind} ({}), shared by {}",
            shown_rank(policy, node.rank),
            others(*same_rank)
        ),
    };
    rules.row([format!("rank={}", policy.rank), rank]);
    if *same_rank > 0 && policy.tie != Tie::None {
        let best = if policy.tie == Tie::LowG { "lowest" } else { "highest" };
        let words =
            format!("{best} g among these ({}), shared by {}", node.node.g, others(*same_tie));
        rules.row([format!("tie={}", policy.tie), words]);
    }
    if *same_tie > 0 {
        let words = match policy.order {
            Order::Fifo => "generated first",
            Order::Lifo => "generated last",
            Order::Heap | Order::Indexed => "on top of the binary heap",
            Order::Random => "drawn at random",
            Order::State => "the lowest board, row by row",
        };
        rules.row([format!("order={}", policy.order), words.to_owned()]);
    }
    format!("Chosen from {nodes} waiting nodes:\n{}{}\n", rules.text(), goal_note(explanation))
}

/// Describes both searches, and the rule that decided between their nodes.
fn choice_of_end(explanation: &Explanation, ends: &BothEnds) -> String {
    let Explanation { method, node, waiting, same_rank, same_tie, .. } = explanation;
    let side = |end: usize| ["start", "goal"][end];
    let why = match ends.reason {
        SideReason::Turn => "both searches take turns (side=alternate)",
        SideReason::FewerOpen => "its search has no more open nodes than the other (side=pohl)",
        SideReason::Pair => "both nodes of a pair with the least bound are expanded",
        SideReason::Priority => "its search has the lowest priority",
        SideReason::Cover => {
            "its nodes belong to a least vertex cover of the pairs with this bound"
        }
    };
    let rank = rank_name(method);
    let mut rules = Columns::new("ll").indent(2).bold_names();
    for end in 0..2 {
        let least = ends.least[end].map_or("none".to_owned(), |least| least.to_string());
        let open = count(ends.open[end] as u64, "open node", "open nodes");
        rules.row([format!("from the {}", side(end)), format!("{open}, lowest {rank} {least}")]);
    }
    rules.row(["bound".to_owned(), format!("no solution costs less than {}", ends.bound)]);
    let is_goal = usize::from(ends.side == SearchEnd::Goal);
    rules.row([format!("taken from the {}", side(is_goal)), why.to_owned()]);
    let others = |number: usize| count(number as u64, "other node", "other nodes");
    let shared = format!("lowest {rank} ({}), shared by {}", node.rank, others(*same_rank));
    rules.row([format!("among its {}", thousands(*waiting as u64)), shared]);
    if *same_rank > 0 {
        let best = if method.algorithm == Algorithm::Bae { "highest" } else { "lowest" };
        let tie = format!("{best} g ({}), shared by {}", node.node.g, others(*same_tie));
        rules.row(["among these".to_owned(), tie]);
    }
    format!("Two searches:\n{}\n", rules.text())
}

/// The rank of nodes in a search.
fn rank_name(method: &Method) -> &'static str {
    match method.algorithm {
        Algorithm::Bae => "b",
        Algorithm::Mm => "priority",
        _ => "f",
    }
}

fn goal_note(explanation: &Explanation) -> String {
    match (explanation.is_goal, explanation.method.policy.goal) {
        (true, GoalTest::Expansion) => {
            "It is the goal: with goal=expansion a node is tested when it is expanded, so the\n\
             search ends here.\n"
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
        true => format!("the first {} of {} waiting nodes", rivals.len(), thousands(left as u64)),
        false => "all waiting nodes".to_owned(),
    };
    let headings = [figures(method, None), vec!["board".into(), "since".into(), "reason".into()]];
    let layout = "r".repeat(headings[0].len()) + "lrl";
    let mut columns = Columns::new(&layout).indent(2).headings(headings.concat());
    for Rival { node: RankedNode { node, rank, since }, behind } in rivals {
        let why = match (behind, policy.tie, policy.order) {
            (OrderReason::Rank, ..) if explanation.ends.is_some() => {
                format!("higher {}", rank_name(method))
            }
            (OrderReason::Rank, ..) => format!("higher {}", policy.rank),
            (OrderReason::Tie, ..)
                if matches!(
                    method.algorithm,
                    Algorithm::Nbs | Algorithm::Mm | Algorithm::Dvcbs
                ) =>
            {
                "higher g".to_owned()
            }
            (OrderReason::Tie, Tie::LowG, _) => "higher g".to_owned(),
            (OrderReason::Tie, ..) => "lower g".to_owned(),
            (OrderReason::Order, _, Order::Fifo) => "newer".to_owned(),
            (OrderReason::Order, _, Order::Lifo) => "older".to_owned(),
            (OrderReason::Order, _, Order::Heap | Order::Indexed) => "lower in the heap".to_owned(),
            (OrderReason::Order, _, Order::Random) => "not drawn".to_owned(),
            (OrderReason::Order, _, Order::State) => "higher board".to_owned(),
        };
        let last = vec![written(&node.board, size), thousands(*since), why];
        columns.row([figures(method, Some((node, *rank))), last].concat());
    }
    format!("{BOLD}Next in line{PLAIN} ({shown})\n{}\n", columns.text())
}

/// Returns the figures of a node that the method uses, or their names.
fn figures(method: &Method, node: Option<(&TraceNode, u64)>) -> Vec<String> {
    let is_ida = method.algorithm == Algorithm::Ida;
    let names: &[&str] = match (method.estimate.is_some(), method.policy.rank) {
        (true, _) if method.algorithm.has_both_ends() => &[rank_name(method), "g", "h"],
        (true, rank) if is_ida || rank == Rank::F => &["f", "g", "h"],
        (true, _) => &["g", "h"],
        (false, _) => &["g"],
    };
    let figure = |name: &&str| match (*name, node) {
        // The rank of ida is not weighted.
        ("f", Some((node, _))) if is_ida => (u64::from(node.g) + u64::from(node.h)).to_string(),
        ("f" | "b" | "priority", Some((_, rank))) => shown_rank(&method.policy, rank),
        ("g", Some((node, _))) => node.g.to_string(),
        (_, Some((node, _))) => node.h.to_string(),
        (name, None) => name.to_owned(),
    };
    names.iter().map(figure).collect()
}

fn successors(explanation: &Explanation, size: Size) -> String {
    let method = &explanation.method;
    let headings = [vec![String::new()], figures(method, None), vec!["board".to_owned()]].concat();
    let layout = format!("l{}ll", "r".repeat(headings.len() - 2));
    let mut columns = Columns::new(&layout).indent(2).headings(headings);
    for successor in &explanation.successors {
        let Successor { node, rank, .. } = successor;
        let last = vec![written(&node.board, size), fate(successor, explanation)];
        columns.row([vec![moved(node)], figures(method, Some((node, *rank))), last].concat());
    }
    let mut text = format!("{BOLD}Successors{PLAIN}, in the order moves={}\n", method.moves);
    match explanation.successors.is_empty() {
        true => text += "  none\n",
        false => text += &columns.text(),
    }
    if let Some(step) = explanation.node.node.step.filter(|_| explanation.skips_undo) {
        let back =
            moved(&TraceNode { step: Some(step.opposite()), ..explanation.node.node.clone() });
        let _ = writeln!(text, "  {back} is not generated: it undoes the last move (undo=skip)");
    }
    if !explanation.complete {
        text += "  truncated: the search is still inside the last successor shown\n";
    }
    text
}

/// Describes a successor's fate, and the reason.
fn fate(successor: &Successor, explanation: &Explanation) -> String {
    let policy = &explanation.method.policy;
    if successor.is_goal {
        return "the goal: the search ends here".to_owned();
    }
    let known = successor.known.map_or_else(String::new, |known| {
        let when = match known.since {
            0 => "it is the start".to_owned(),
            step => format!("generated at step {}", thousands(step)),
        };
        let expanded =
            known.expanded.map_or_else(String::new, |step| match step == explanation.step {
                true => ", now being expanded".to_owned(),
                false => format!(", expanded at step {}", thousands(step)),
            });
        format!("{when} with g = {}{expanded}", known.g)
    });
    let cheaper = successor.known.is_some_and(|known| successor.node.g < known.g);
    match successor.verdict {
        Verdict::Kept if explanation.waiting == 0 && explanation.threshold.is_none() => {
            "kept along the path".to_owned()
        }
        Verdict::Kept => match (explanation.threshold, policy.duplicates) {
            (Some(_), _) => "within the threshold".to_owned(),
            (None, Duplicates::Keep) => {
                "kept: duplicates are not checked (duplicates=keep)".to_owned()
            }
            (None, Duplicates::Expanded) => "kept: checked when it is expanded".to_owned(),
            (None, _) => "kept: a new board".to_owned(),
        },
        Verdict::Duplicate if cheaper => format!(
            "dropped although cheaper: {known} (duplicates={}, reopen={})",
            policy.duplicates, policy.reopen
        ),
        Verdict::Duplicate => format!("dropped: {known}"),
        Verdict::Cheaper => format!("kept, because cheaper: {known}"),
        Verdict::Reopened => format!("reopened, because cheaper: {known}"),
        Verdict::Pruned => match (explanation.threshold, policy.depth) {
            (Some(threshold), _) => format!("above the threshold of {threshold}"),
            (None, Some(depth)) => format!("dropped: beyond depth={depth}"),
            (None, None) => "dropped".to_owned(),
        },
    }
}

/// Returns the move to a node, with its tile if there are several blanks.
fn moved(node: &TraceNode) -> String {
    let several = node.board.iter().filter(|tile| **tile == 0).count() > 1;
    match (node.step, node.tile) {
        (Some(step), Some(tile)) if several => format!("{step}{tile}"),
        (Some(step), _) => step.to_string(),
        _ => String::new(),
    }
}

/// Writes a rank: a weighted f as the fraction that it is.
fn shown_rank(policy: &Policy, rank: u64) -> String {
    match policy.value_of(rank) {
        value if value.fract() == 0.0 => value.to_string(),
        value => format!("{value:.2}"),
    }
}

fn board(tiles: &[Tile], size: Size) -> Option<Board> {
    Board::new(size, tiles.to_vec()).ok()
}
