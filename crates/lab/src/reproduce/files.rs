//! Figures from files that courses and papers hand out.

use std::collections::BTreeMap;

use serde_json::Value;
use taquin::{
    Board, Estimate, Event, Fate, NamedGoal, Notation, Puzzle, Seen, Tile, Watch, is_reachable,
    read_board, read_board_bytes,
};

use super::{Agreement, Bench};

/// The files of a folder of `data/`, each with its name.
macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../data/", $folder, "/", $name)))),+]
    };
}

type Files = &'static [(&'static str, &'static [u8])];

const COLUMBIA: &str = include_str!("../../data/columbia/expected.json");

pub(super) fn columbia(bench: &mut Bench<'_>) -> Option<()> {
    let data: Value = serde_json::from_str(COLUMBIA).ok()?;
    for row in data["exact"].as_array()? {
        let (method, start) = (row[0].as_str()?, row[1].as_str()?);
        let report = bench.run(method, read_board(start, None).ok()?)?;
        let published: Vec<String> = (2..6).map(|at| row[at].to_string()).collect();
        let keys = ["cost_of_path", "nodes_expanded", "search_depth", "max_search_depth"];
        let ours = bench.printed(&report, &keys);
        let what = format!("{method} {start}: cost/expanded/depth/max depth");
        bench.compare(what, published.join("/"), ours);
        let path = &data["paths"][format!("{method} {start}")];
        if let (Some(path), Some(moves)) = (path.as_str(), report.write_moves(Notation::Blank)) {
            bench.compare(format!("{method} {start}: path"), path, moves);
        }
    }
    for row in data["astar_examples_tie_dependent"].as_array()? {
        let (start, depth) = (row[0].as_str()?, row[1].as_u64()?);
        let report = bench.run("ast", read_board(start, None).ok()?)?;
        let published: Vec<u64> = row[2].as_array()?.iter().filter_map(Value::as_u64).collect();
        // Students' programs differ in their ties; the last is what all three boards agree on.
        let (&last, others) = published.split_last()?;
        let what = format!("ast {start}: cost/expanded");
        let ours = bench.printed(&report, &["cost_of_path", "nodes_expanded"]);
        bench.compare(&*what, format!("{depth}/{last}"), ours);
        for other in others {
            let report = bench.run("ast,tie=none", read_board(start, None).ok()?)?;
            let ours = bench.printed(&report, &["cost_of_path", "nodes_expanded"]);
            bench.compare(format!("{what}, tie=none"), format!("{depth}/{other}"), ours);
        }
    }
    for (start, published) in data["manhattan"].as_object()? {
        let puzzle = bench.course.puzzle(read_board(start, None).ok()?);
        let cost = &bench.course.cost;
        let manhattan = bench.session.evaluator(&Estimate::Manhattan, &puzzle, cost).ok()?;
        let ours = manhattan.estimate(puzzle.start());
        bench.compare(format!("{start}: Manhattan distance"), published, ours);
    }
    Some(())
}

const PRINCETON: &str = include_str!("../../data/princeton/expected.csv");
const CHECKLIST: &str = include_str!("../../data/princeton/checklist_trace_puzzle04.json");
const BOARDS: Files = files!["princeton/boards":
    "puzzle04.txt", "puzzle07.txt", "puzzle18.txt", "puzzle19.txt", "puzzle21.txt", "puzzle22.txt",
    "puzzle24.txt", "puzzle25.txt", "puzzle27.txt", "puzzle28.txt", "puzzle30.txt", "puzzle3x3-01.txt",
    "puzzle3x3-02.txt", "puzzle3x3-04.txt", "puzzle3x3-05.txt", "puzzle3x3-07.txt", "puzzle3x3-08.txt",
    "puzzle3x3-10.txt", "puzzle3x3-11.txt", "puzzle3x3-13.txt", "puzzle3x3-14.txt", "puzzle3x3-16.txt",
    "puzzle3x3-17.txt", "puzzle3x3-19.txt", "puzzle3x3-20.txt", "puzzle3x3-22.txt", "puzzle3x3-23.txt",
    "puzzle3x3-25.txt", "puzzle3x3-26.txt", "puzzle3x3-28.txt", "puzzle3x3-29.txt", "puzzle3x3-31.txt",
    "puzzle3x3-unsolvable.txt", "puzzle3x3-unsolvable2.txt",
];

pub(super) fn princeton(bench: &mut Bench<'_>) -> Option<()> {
    let expected: BTreeMap<&str, &str> = PRINCETON
        .lines()
        .filter_map(|line| Some((line.split(',').next()?, line.split(',').nth(2)?)))
        .collect();
    for (name, bytes) in BOARDS {
        let report = bench.run("manhattan", read_board_bytes(bytes, None).ok()?)?;
        let ours = report.depth.map_or("-1".to_owned(), |depth| depth.to_string());
        bench.compare(format!("{name}: moves, -1 if there are none"), expected.get(name)?, ours);
    }
    let checklist: Value = serde_json::from_str(CHECKLIST).ok()?;
    let (_, puzzle04) = BOARDS.first()?;
    let start = read_board_bytes(puzzle04, None).ok()?;
    let report = bench.run("manhattan", start.clone())?;
    let published = format!("{}/{}", checklist["enqueued_total"], checklist["dequeued_total"]);
    let ours = bench.printed(&report, &["enqueued", "dequeued"]);
    bench.compare("puzzle04.txt: enqueued/dequeued", published, ours);
    let ours = queues(bench, start);
    for (step, published) in checklist["steps"].as_array()?.iter().enumerate() {
        let published = published["open_before_dequeue"].as_array()?.iter().map(entry);
        let published = sorted(published.collect::<Option<_>>()?);
        let ours = ours.get(step).cloned().unwrap_or_default();
        bench.compare(format!("puzzle04.txt: queue before dequeue {step}"), published, ours);
    }
    Some(())
}

/// What waits before each node is taken out.
fn queues(bench: &Bench<'_>, start: Board) -> Vec<String> {
    let method = bench.course.methods[0].method();
    let task = bench.course.task(bench.course.puzzle(start), method);
    let mut open: BTreeMap<u64, Seen> = BTreeMap::new();
    let mut queues = Vec::new();
    bench.session.run(
        &task,
        Watch::default().with_events(&mut |event| match event {
            Event::Generate { verdict: Fate::Kept, node } => drop(open.insert(node.id, node)),
            Event::Expand(node) | Event::Goal(node) => {
                let id = node.id;
                open.insert(id, node);
                let entries = open.values().map(|node| describe(node.g, node.h, &node.board));
                queues.push(sorted(entries.collect()));
                open.remove(&id);
            }
            _ => {}
        }),
    );
    queues
}

fn entry(entry: &Value) -> Option<String> {
    let tiles: Vec<Tile> = entry["board"]
        .as_array()?
        .iter()
        .map(|tile| Some(tile.as_u64()? as Tile))
        .collect::<Option<_>>()?;
    Some(describe(entry["moves"].as_u64()? as u32, entry["manhattan"].as_u64()? as u32, &tiles))
}

/// A node of the queue: its moves, its estimate and its board.
fn describe(g: u32, h: u32, tiles: &[Tile]) -> String {
    format!("{g}+{h}:{}", tiles.iter().map(ToString::to_string).collect::<String>())
}

fn sorted(mut list: Vec<String>) -> String {
    list.sort_unstable();
    list.join(" ")
}

const MAPS: &str = include_str!("../../data/npuzzle42/expected.csv");
const MAP_FILES: Files = files!["npuzzle42":
    "agiordan101/taquins/4map", "agiordan101/taquins/map3", "agiordan101/taquins/map4",
    "agiordan101/taquins/map5", "agiordan101/taquins/umap", "agiordan101/taquins/umap2",
    "ldsad7/final_maps/map_3_1.txt", "ldsad7/final_maps/map_3_2.txt", "ldsad7/final_maps/map_4_1.txt",
    "ldsad7/final_maps/map_4_2.txt", "ldsad7/maps/empty_map.txt", "ldsad7/maps/incorrect_map_1.txt",
    "ldsad7/maps/incorrect_map_2.txt", "ldsad7/maps/incorrect_map_3.txt",
    "ldsad7/maps/incorrect_map_4.txt", "ldsad7/maps/incorrect_map_5.txt",
    "ldsad7/maps/incorrect_map_6.txt", "ldsad7/maps/incorrect_map_7.txt", "ldsad7/maps/map_3_1.txt",
    "ldsad7/maps/map_3_2.txt", "ldsad7/maps/map_3_3.txt", "ldsad7/maps/map_4_1.txt",
    "ldsad7/maps/map_4_2.txt", "ldsad7/maps/map_4_3.txt", "ldsad7/maps/map_5_1.txt",
];

pub(super) fn school42(bench: &mut Bench<'_>) -> Option<()> {
    for row in MAPS.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let &[name, _, parse, _, _, moves, claim] = &cells[..] else { return None };
        let (_, bytes) = MAP_FILES.iter().find(|(file, _)| *file == name)?;
        let Ok(start) = read_board_bytes(bytes, None) else {
            let published = if parse == "ok" { "a board" } else { "no board" };
            bench.compare(name, published, "no board");
            continue;
        };
        let puzzle = bench.course.puzzle(start.clone());
        let solvable = is_reachable(&puzzle);
        let word = |solvable| if solvable { "solvable" } else { "unsolvable" };
        if claim == word(solvable) {
            bench.compare(name, claim, claim);
        } else {
            let last = NamedGoal::Last.board(start.size(), start.blanks().count());
            let with_last = is_reachable(&Puzzle::new(start.clone(), last).ok()?);
            let note = match claim == word(with_last) {
                true => "the file's comment is true of the goal 1 2 3 .. 0, not of the snail",
                false => "the file's comment is wrong for either goal",
            };
            let ours = Some(word(solvable).to_owned());
            bench.explain(name, claim, ours, Agreement::Misprint, note);
        }
        if !moves.is_empty() {
            let report = bench.run("manhattan", start)?;
            let ours = bench.printed(&report, &["moves"]);
            bench.compare(format!("{name}: fewest moves"), moves, ours);
        }
    }
    Some(())
}

const EXPENSE: &str = include_str!("../../data/uta_expense/sample.json");

pub(super) fn uta(bench: &mut Bench<'_>) -> Option<()> {
    let data: Value = serde_json::from_str(EXPENSE).ok()?;
    let report = bench.run("a*", read_board(&data["start"].to_string(), None).ok()?)?;
    let published = format!("{}/{}", data["optimal_cost"], data["depth"]);
    let ours = bench.printed(&report, &["cost", "depth"]);
    bench.compare("a*, the sample: cost/depth", published, ours);
    for (key, ours) in [
        ("popped", "nodes_popped"),
        ("expanded", "nodes_expanded"),
        ("generated", "nodes_generated"),
        ("max_fringe", "max_fringe_size"),
    ] {
        let published = &data["handout_counts_a_star"][key];
        let ours = bench.printed(&report, &[ours]);
        bench.compare(format!("a*, the sample: {}", key.replace('_', " ")), published, ours);
    }
    let published = data["moves"].as_array()?.iter();
    let published: Vec<String> =
        published.filter_map(|step| Some(format!("Move {}", step.as_str()?))).collect();
    if let Some(crate::Value::Steps(ours)) = bench.course.figures(&report).get("steps") {
        bench.compare("a*, the sample: steps", published.join(", "), ours.join(", "));
    }
    Some(())
}

const KORF: &str = include_str!("../../data/korf100.txt");

/// Instances of as many nodes take long.
const LONG: u64 = 20_000_000;

pub(super) fn korf85(bench: &mut Bench<'_>) -> Option<()> {
    for line in KORF.lines().filter(|line| !line.starts_with('#')) {
        let (figures, tiles) = line.split_once('|')?;
        let figures: Vec<u64> =
            figures.split_whitespace().map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let &[id, _, length, printed, computed, ..] = &figures[..] else { return None };
        let what = format!("instance {id}: length/nodes");
        let published = format!("{length}/{printed}");
        let ours = match computed < LONG || bench.all {
            true => {
                let report = bench.run("ida", read_board(tiles, None).ok()?)?;
                Some(bench.printed(&report, &["length", "nodes_generated"]))
            }
            false => None,
        };
        if printed != computed {
            let right = format!("{length}/{computed}");
            let verdict = match ours.as_ref().is_none_or(|ours| *ours == right) {
                true => Agreement::Misprint,
                false => Agreement::Differs,
            };
            let why = match id {
                22 => "one digit of the printed figure is wrong",
                88 => "the printed figure is below the nodes of the completed thresholds alone",
                _ => "the printed estimate of this instance is wrong too: 36 for 38",
            };
            let run = if ours.is_none() { "; --all runs it" } else { "" };
            bench.explain(what, published, ours, verdict, format!("{why}: {computed}{run}"));
            continue;
        }
        match ours {
            Some(ours) => bench.compare(what, published, ours),
            None => bench.left_out += 1,
        }
    }
    Some(())
}
