//! Every step of many searches, explained; and trees as Graphviz reads them.

use std::collections::BTreeSet;
use std::sync::Arc;

use taquin::{
    Cost, Ending, Event, NamedGoal, Notation, Order, Puzzle, Session, Task, Tie, Verdict, Watch,
};
use taquin_lab::{ExplainError, Explanation, OrderReason, SearchEnd, SideReason, Tree, explain};

fn task(board: &str, method: &str) -> Task {
    let start: taquin::Board = board.parse().unwrap();
    let goal = NamedGoal::Last.board(start.size(), start.blanks().count());
    Task::new(Puzzle::new(start, goal).unwrap(), method.parse().unwrap())
}

fn step(task: &Task, step: u64) -> Result<Explanation, ExplainError> {
    explain(&Session::without_folder(), task, step, usize::MAX, &Arc::default())
}

/// The policy's preference, lowest first, without the last rule.
fn key(explanation: &Explanation, rank: u64, g: Cost) -> (u64, Cost) {
    let tie = match explanation.method.policy.tie {
        Tie::None => 0,
        Tie::LowG => g,
        Tie::HighG => Cost::MAX - g,
    };
    (rank, tie)
}

const METHODS: [&str; 18] = [
    "wastar:manhattan,w=2,phi=pwxdp,undo=keep",
    "wastar:manhattan,w=3/2,phi=pwxup,reopen=never",
    "bfs",
    "bfs,goal=expansion,undo=keep",
    "dfs,depth=12",
    "ucs",
    "ucs,duplicates=generated,reopen=never,undo=keep,moves=LRUD",
    "ucs,order=heap,duplicates=generated,reopen=never,undo=keep",
    "greedy:manhattan",
    "greedy:misplaced,duplicates=cheaper,tie=low-g,order=lifo,goal=expansion",
    "greedy:manhattan,duplicates=cheaper,tie=high-g,order=fifo,goal=expansion",
    "astar:manhattan",
    "astar:misplaced,tie=low-g,order=fifo",
    "astar:manhattan,duplicates=expanded,undo=keep,tie=none,order=fifo",
    "astar:manhattan,duplicates=keep,tie=none",
    "wastar:manhattan,w=3/2",
    "random,seed=5",
    "beam:manhattan,k=4",
];

/// The search's own events show which node it expanded and with which result. The explanation must
/// agree, and no waiting node may come before that node. (A wrong copy of the frontier also trips
/// an assertion inside.)
#[test]
fn every_step_of_every_policy_is_explained() {
    for method in METHODS {
        let task = task("136502478", method);
        let (mut taken, mut children) = (Vec::new(), Vec::new());
        let report = Session::without_folder().run(
            &task,
            Watch::default().with_events(&mut |event| match event {
                Event::Expand(node) => {
                    taken.push(node);
                    children.push(Vec::new());
                }
                Event::Generate { node, verdict } => {
                    children.last_mut().unwrap().push((node, verdict));
                }
                _ => {}
            }),
        );
        assert_eq!(taken.len() as u64, report.counts.expanded, "{method}");
        for (at, node) in taken.iter().enumerate().take(150) {
            let explanation = step(&task, at as u64 + 1).unwrap();
            assert_eq!(&explanation.node.node, node, "{method} {at}");
            let told: Vec<_> = explanation
                .successors
                .iter()
                .map(|successor| (successor.node.clone(), successor.verdict))
                .collect();
            assert_eq!(told, children[at], "{method} {at}");
            let own = key(&explanation, explanation.node.rank, node.g);
            for rival in &explanation.rivals {
                let other = key(&explanation, rival.node.rank, rival.node.node.g);
                assert!(own <= other, "{method} {at}: {rival:?}");
                let behind = match () {
                    () if rival.node.rank != explanation.node.rank => OrderReason::Rank,
                    () if own != other => OrderReason::Tie,
                    () => OrderReason::Order,
                };
                assert_eq!(rival.behind, behind, "{method} {at}");
            }
            // The waiting nodes are the frontier that the search counts, without the nodes that it
            // has yet to drop.
            assert_eq!(explanation.rivals.len() + 1, explanation.waiting, "{method} {at}");
        }
    }
}

#[test]
fn the_frontier_has_the_size_that_the_search_counts() {
    for method in ["bfs", "ucs", "astar:manhattan", "astar:manhattan,tie=low-g,order=fifo"] {
        let task = task("136502478", method);
        let report = Session::without_folder().run(&task, Watch::default());
        let sizes = (1..=report.counts.expanded).map(|at| {
            let explained = step(&task, at).unwrap();
            let kept = |fate: Verdict| matches!(fate, Verdict::Kept | Verdict::Reopened);
            let new =
                explained.successors.iter().filter(|next| kept(next.verdict) && !next.is_goal);
            explained.waiting - 1 + new.count()
        });
        assert_eq!(sizes.max().unwrap() as u64, report.counts.frontier_peak, "{method}");
    }
}

#[test]
fn the_goal_that_is_taken_out_is_the_last_step() {
    let solved = task("123506478", "astar:manhattan");
    let report = Session::without_folder().run(&solved, Watch::default());
    let last = step(&solved, report.counts.expanded + 1).unwrap();
    assert!(last.is_goal && last.successors.is_empty());
    assert_eq!(Some(last.path), report.write_moves(Notation::Blank));
    let Err(ExplainError::Ended { report: ended, .. }) = step(&solved, 100) else { panic!() };
    assert_eq!(ended.outcome, Ending::Solved);
    // Tested when generated, it is a successor.
    let tested = task("123506478", "bfs");
    let report = Session::without_folder().run(&tested, Watch::default());
    let last = step(&tested, report.counts.expanded).unwrap();
    assert!(last.successors.last().unwrap().is_goal);
    assert!(step(&tested, report.counts.expanded + 1).is_err());
    assert!(step(&task("123456780", "bfs"), 1).unwrap().is_goal);
}

#[test]
fn known_boards_are_named_with_their_steps() {
    let task = task("136502478", "ucs,undo=keep");
    // The first successor of the second node is the start, from which it came.
    let second = step(&task, 2).unwrap();
    let back = second.successors.iter().find(|next| next.verdict == Verdict::Duplicate).unwrap();
    let known = back.known.unwrap();
    assert_eq!((known.g, known.since, known.expanded), (0, 0, Some(1)));
    assert_eq!(second.node.since, 1);
    assert!(!second.skips_undo && step(&self::task("136502478", "ucs"), 2).unwrap().skips_undo);
}

#[test]
fn depth_first_searches_have_a_threshold_instead() {
    let task = task("136502478", "ida:manhattan");
    let first = step(&task, 1).unwrap();
    assert_eq!((first.threshold, first.waiting, first.path.as_str()), (Some(8), 0, ""));
    let verdicts: BTreeSet<&str> = first
        .successors
        .iter()
        .map(|next| if next.verdict == Verdict::Pruned { "above" } else { "within" })
        .collect();
    assert_eq!(verdicts.len(), 2, "{first:?}");
    let third = step(&task, 3).unwrap();
    assert_eq!((third.path.len() as u64, third.node.node.depth), (2, 2));
    assert!(matches!(step(&self::task("123506478", "auto"), 1), Err(ExplainError::Method(_))));
    assert!(step(&self::task("123506478", "bidirectional"), 1).is_err());
}

/// The expanded node is a best one in its search, the bound belongs to both, and sides follow the
/// method's rule.
#[test]
fn every_step_from_both_ends_is_explained() {
    for (method, reason) in [
        ("bae:manhattan", SideReason::Turn),
        ("bae:manhattan,side=pohl", SideReason::FewerOpen),
        ("nbs:manhattan", SideReason::Pair),
        ("mm:manhattan", SideReason::Priority),
        ("dvcbs:manhattan", SideReason::Cover),
    ] {
        let task = task("136502478", method);
        let (mut ids, mut bounds, mut bound) = (Vec::new(), Vec::new(), 0);
        let mut listen = |event| match event {
            Event::Expand(node) => {
                ids.push(node.id);
                bounds.push(bound);
            }
            Event::Bound { bound: raised } => bound = raised,
            _ => {}
        };
        let watch = Watch::default().with_events(&mut listen);
        let report = Session::without_folder().run(&task, watch);
        assert!(report.optimal && ids.len() > 5, "{method}");
        let after = step(&task, ids.len() as u64 + 1);
        assert!(matches!(after, Err(ExplainError::Ended { .. })), "{method}");
        let mut sides = BTreeSet::new();
        for (at, (&id, &bound)) in ids.iter().zip(&bounds).enumerate() {
            let explained = step(&task, at as u64 + 1).unwrap();
            let ends = explained.ends.clone().unwrap();
            assert_eq!((explained.node.node.id, ends.bound, ends.reason), (id, bound, reason));
            assert!(ends.bound <= report.cost.unwrap().into(), "{method}");
            let side = usize::from(ends.side == SearchEnd::Goal);
            assert_eq!(side as u64, id % 2);
            assert_eq!(ends.open[side], explained.waiting, "{method}, step {}", at + 1);
            let own = explained.node.rank;
            assert!(explained.rivals.iter().all(|rival| rival.node.rank >= own), "{method}");
            assert_eq!(ends.least[side], Some(own), "{method}, step {}", at + 1);
            match reason {
                SideReason::FewerOpen => assert!(ends.open[side] <= ends.open[1 - side]),
                SideReason::Priority => {
                    assert!(ends.least[1 - side].is_none_or(|other| other >= own));
                }
                _ => {}
            }
            sides.insert(side);
        }
        // The cover may consist of nodes from one side.
        assert!(sides.len() == 2 || reason == SideReason::Cover, "{method}");
    }
}

#[test]
fn orders_that_nobody_can_predict_are_still_told() {
    for order in [Order::Heap, Order::Random, Order::State] {
        let task = task("136502478", &format!("ucs,order={order}"));
        let explained = step(&task, 20).unwrap();
        assert!(explained.same_tie > 0);
        assert_eq!(explained.rivals[0].behind, OrderReason::Order);
    }
}

/// A graph in the DOT language, as far as we write it: nodes and edges with their attributes.
#[derive(Default, Debug)]
struct Graph {
    nodes: Vec<(String, String)>,
    edges: Vec<(String, String, String)>,
}

/// Reads DOT by its grammar: words, quoted strings and single characters.
fn parse(text: &str) -> Graph {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let mut token = String::from(c);
        match c {
            '"' => loop {
                let next = rest.next().expect("a string ends");
                token.push(next);
                match next {
                    '\\' => token.push(rest.next().expect("an escape ends")),
                    '"' => break,
                    _ => {}
                }
            },
            '-' => assert_eq!(rest.next(), Some('>')),
            c if c.is_alphanumeric() || c == '_' || c == '.' => {
                while let Some(next) =
                    rest.next_if(|c| c.is_alphanumeric() || *c == '_' || *c == '.')
                {
                    token.push(next);
                }
            }
            '{' | '}' | '[' | ']' | '=' | ',' | ';' => {}
            c => {
                assert!(c.is_whitespace(), "{c:?}");
                continue;
            }
        }
        tokens.push(token);
    }
    let mut tokens = tokens.into_iter().peekable();
    let mut graph = Graph::default();
    for expected in ["digraph", "search", "{"] {
        assert_eq!(tokens.next().as_deref(), Some(expected));
    }
    loop {
        let name = tokens.next().expect("a statement");
        if name == "}" {
            assert_eq!(tokens.next(), None, "nothing follows the graph");
            return graph;
        }
        let to = tokens.next_if(|token| token == "-").map(|_| tokens.next().expect("a target"));
        let mut attributes = String::new();
        if tokens.next_if(|token| token == "=").is_some() {
            tokens.next().expect("a value");
        } else {
            assert_eq!(tokens.next().as_deref(), Some("["), "{name}");
            loop {
                attributes += &tokens.next().expect("a name");
                assert_eq!(tokens.next().as_deref(), Some("="));
                attributes += &(tokens.next().expect("a value") + " ");
                match tokens.next().expect("the list ends").as_str() {
                    "," => {}
                    "]" => break,
                    other => panic!("{other}"),
                }
            }
            match to {
                Some(to) => graph.edges.push((name, to, attributes)),
                None if name == "node" || name == "edge" => {}
                None => graph.nodes.push((name, attributes)),
            }
        }
        assert_eq!(tokens.next().as_deref(), Some(";"));
    }
}

#[test]
fn trees_are_graphs_that_graphviz_reads() {
    let methods = METHODS.iter().copied().chain(["ida:manhattan", "ids", "bidirectional"]);
    for method in methods {
        let mut task = task("136502478", method);
        task.limits.expanded = Some(60);
        let mut tree = Tree::new(&task);
        let mut generated = 0;
        let report = Session::without_folder().run(
            &task,
            Watch::default().with_events(&mut |event| {
                generated = match event {
                    Event::Bound { .. } if method.starts_with("id") => 0,
                    Event::Generate { .. } => generated + 1,
                    _ => generated,
                };
                tree.tell(event);
            }),
        );
        let graph = parse(&tree.to_string());
        assert_eq!(graph.edges.len(), generated, "{method}");
        let names: BTreeSet<&String> = graph.nodes.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), graph.nodes.len(), "{method}: a node stands twice");
        for (from, to, _) in &graph.edges {
            assert!(names.contains(from) && names.contains(to), "{method}: {from} -> {to}");
        }
        let way = graph.nodes.iter().filter(|(_, attributes)| attributes.contains("palegreen"));
        let bold = graph.edges.iter().filter(|(_, _, attributes)| attributes.contains("penwidth"));
        if let (Some(depth), false) = (report.depth, method == "bidirectional") {
            assert_eq!(
                (way.count(), bold.count()),
                (depth as usize + 1, depth as usize),
                "{method}"
            );
        }
    }
}

/// Two trees, and where they meet, the way goes up to both roots.
#[test]
fn searches_from_both_ends_are_two_trees() {
    for method in ["bae:manhattan", "nbs:manhattan", "mm:manhattan", "dvcbs:manhattan"] {
        for expanded in [6, 5_000] {
            let mut task = task("136502478", method);
            task.limits.expanded = Some(expanded);
            let (mut tree, mut bound) = (Tree::new(&task), 0);
            let mut listen = |event: Event| {
                if let Event::Bound { bound: raised } = event {
                    bound = raised;
                }
                tree.tell(event);
            };
            let report =
                Session::without_folder().run(&task, Watch::default().with_events(&mut listen));
            let text = tree.to_string();
            assert!(text.contains(&format!("\\nbound {bound}; open: ")), "{method}: {text}");
            let graph = parse(&text);
            let is_way = |attributes: &str| attributes.contains("palegreen");
            let mut way: Vec<&str> = Vec::new();
            for (name, attributes) in &graph.nodes {
                let id: u64 = name.trim_start_matches('n').parse().unwrap();
                let is_blue = attributes.contains("color=blue");
                assert!(!is_blue || id % 2 == 1, "{method}: {name} {attributes}");
                way.extend(is_way(attributes).then_some(name.as_str()));
            }
            assert_eq!(report.optimal, expanded == 5_000, "{method}");
            // The board where they meet is in both trees.
            let ends = way.contains(&"n0") && way.contains(&"n1");
            assert_eq!(ends, report.optimal, "{method}: {way:?}");
            let most = report.depth.map_or(0, |depth| depth as usize + 2);
            assert!(way.len() <= most, "{method}: {way:?}");
        }
    }
}

#[test]
fn nodes_are_labelled() {
    let mut task = task("123406758", "astar:manhattan");
    task.limits.expanded = Some(1);
    let mut tree = Tree::new(&task);
    Session::without_folder()
        .run(&task, Watch::default().with_events(&mut |event| tree.tell(event)));
    let text = tree.to_string();
    assert!(text.contains(r#"n0 [label="1 2 3\n4 . 6\n7 5 8\ng=0 h=2 f=2\n#1""#), "{text}");
    assert!(text.contains(r#"[label="1 2 3\n4 5 6\n7 . 8\ng=1 h=1 f=2"];"#), "{text}");
    assert!(text.contains(r#"n0 -> n4 [label="D5"];"#), "{text}");
}

/// The beam reports the nodes that it has no space for before it expands a node of the next layer.
#[test]
fn a_beam_reports_what_it_cuts() {
    for width in [1, 3, 7] {
        let task = task("136502478", &format!("beam:manhattan,k={width}"));
        let (mut open, mut cut, mut waiting) = (BTreeSet::new(), 0, Vec::new());
        Session::without_folder().run(
            &task,
            Watch::default().with_events(&mut |event| match event {
                Event::Expand(node) => {
                    let layer =
                        |(_, depth): &&(u64, u64)| node.parent.is_none() || *depth == node.depth;
                    waiting.push(open.iter().filter(layer).count().max(1));
                    open.remove(&(node.id, node.depth));
                }
                Event::Generate { node, verdict: Verdict::Kept } => {
                    open.insert((node.id, node.depth));
                }
                Event::Discard(node) => {
                    cut += 1;
                    assert!(open.remove(&(node.id, node.depth)));
                }
                _ => {}
            }),
        );
        assert!(cut > 0, "{width}");
        for (at, waiting) in waiting.into_iter().enumerate() {
            assert!(waiting <= width, "{width} {at}");
            assert_eq!(step(&task, at as u64 + 1).unwrap().waiting, waiting, "{width} {at}");
        }
    }
}
