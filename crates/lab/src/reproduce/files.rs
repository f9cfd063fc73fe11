//! Figures from files that courses and papers hand out.

use std::collections::BTreeMap;

use serde::Deserialize;
use taquin::{
    Board, Estimate, Event, NamedGoal, Notation, On, Puzzle, Seen, Tile, Verdict, Watch,
    is_reachable, read_board, read_board_bytes,
};

use super::{Agreement, Bench, Extent, Stop};

/// The files of a folder of `data/`, each with its name.
macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../data/", $folder, "/", $name)))),+]
    };
}

type Files = &'static [(&'static str, &'static [u8])];

const TESTED: &str = "the files are part of the program and are tested";

fn json<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect(TESTED)
}

fn board(text: &str) -> Board {
    read_board(text, None).expect(TESTED)
}

const COLUMBIA: &str = include_str!("../../data/columbia/expected.json");

#[derive(Deserialize)]
struct Columbia {
    /// The method, the board, and four figures.
    exact: Vec<(String, String, u64, u64, u64, u64)>,
    /// The solution, by method and board.
    paths: BTreeMap<String, String>,
    /// The board, the depth, and the numbers of expanded nodes of programs with different ties.
    astar_examples_tie_dependent: Vec<(String, u64, Vec<u64>)>,
    /// The estimate, by board.
    manhattan: BTreeMap<String, u64>,
}

pub(super) fn columbia(bench: &mut Bench<'_>) -> Result<(), Stop> {
    let data: Columbia = json(COLUMBIA);
    for (method, start, cost, expanded, depth, deepest) in &data.exact {
        let report = bench.run(method, board(start))?;
        let published = format!("{cost}/{expanded}/{depth}/{deepest}");
        let keys = ["cost_of_path", "nodes_expanded", "search_depth", "max_search_depth"];
        let ours = bench.printed(&report, &keys);
        let run = format!("{method} {start}");
        bench.compare(format!("{run}: cost/expanded/depth/max depth"), published, ours);
        if let (Some(path), Some(moves)) =
            (data.paths.get(&run), report.write_moves(Notation::Blank))
        {
            bench.compare(format!("{run}: path"), path, moves);
        }
    }
    let keys = ["cost_of_path", "nodes_expanded"];
    for (start, depth, published) in &data.astar_examples_tie_dependent {
        // Students' programs break ties differently; the last count is the one that all three
        // boards agree on.
        let (last, others) = published.split_last().expect(TESTED);
        let what = format!("ast {start}: cost/expanded");
        let ours = bench.printed(&bench.run("ast", board(start))?, &keys);
        bench.compare(&*what, format!("{depth}/{last}"), ours);
        for other in others {
            let ours = bench.printed(&bench.run("ast,tie=none", board(start))?, &keys);
            bench.compare(format!("{what}, tie=none"), format!("{depth}/{other}"), ours);
        }
    }
    for (start, published) in &data.manhattan {
        let puzzle = bench.course.puzzle(board(start));
        let cost = &bench.course.cost;
        let manhattan = bench.session.evaluator(&Estimate::Manhattan, &puzzle, cost);
        let ours = manhattan.expect("Manhattan distance needs no table").estimate(puzzle.start());
        bench.compare(format!("{start}: Manhattan distance"), published, ours);
    }
    Ok(())
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

#[derive(Deserialize)]
struct Checklist {
    enqueued_total: u64,
    dequeued_total: u64,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    open_before_dequeue: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    moves: u32,
    manhattan: u32,
    board: Vec<Tile>,
}

pub(super) fn princeton(bench: &mut Bench<'_>) -> Result<(), Stop> {
    let expected: BTreeMap<&str, &str> = PRINCETON
        .lines()
        .filter_map(|line| Some((line.split(',').next()?, line.split(',').nth(2)?)))
        .collect();
    for (name, bytes) in BOARDS {
        let report = bench.run("manhattan", read_board_bytes(bytes, None).expect(TESTED))?;
        let ours = report.depth.map_or("-1".to_owned(), |depth| depth.to_string());
        bench.compare(format!("{name}: moves, -1 if there are none"), expected[name], ours);
    }
    let checklist: Checklist = json(CHECKLIST);
    let start = read_board_bytes(BOARDS[0].1, None).expect(TESTED);
    let report = bench.run("manhattan", start.clone())?;
    let published = format!("{}/{}", checklist.enqueued_total, checklist.dequeued_total);
    let ours = bench.printed(&report, &["enqueued", "dequeued"]);
    bench.compare("puzzle04.txt: enqueued/dequeued", published, ours);
    let ours = queues(bench, start);
    for (number, step) in checklist.steps.iter().enumerate() {
        let entries = step.open_before_dequeue.iter();
        let published = entries.map(|entry| describe(entry.moves, entry.manhattan, &entry.board));
        let published = sorted(published.collect());
        let ours = ours.get(number).cloned().unwrap_or_default();
        bench.compare(format!("puzzle04.txt: queue before dequeue {number}"), published, ours);
    }
    Ok(())
}

/// The queue before each node is removed from it.
fn queues(bench: &Bench<'_>, start: Board) -> Vec<String> {
    let method = bench.course.methods[0].method.clone();
    let task = bench.course.task(bench.course.puzzle(start), method);
    let mut open: BTreeMap<u64, Seen> = BTreeMap::new();
    let mut queues = Vec::new();
    let mut listen = |event| match event {
        Event::Generate { verdict: Verdict::Kept, node } => drop(open.insert(node.id, node)),
        Event::Expand(node) | Event::Goal(node) => {
            let id = node.id;
            open.insert(id, node);
            let entries = open.values().map(|node| describe(node.g, node.h, &node.board));
            queues.push(sorted(entries.collect()));
            open.remove(&id);
        }
        _ => {}
    };
    bench.session.run(&task, Watch::default().with_events(&mut listen));
    queues
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

pub(super) fn school42(bench: &mut Bench<'_>) -> Result<(), Stop> {
    for row in MAPS.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let &[name, _, parse, _, _, moves, claim] = &cells[..] else { panic!("{TESTED}") };
        let (_, bytes) = MAP_FILES.iter().find(|(file, _)| *file == name).expect(TESTED);
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
            let with_last = is_reachable(&Puzzle::new(start.clone(), last).expect(TESTED));
            let note = match claim == word(with_last) {
                true => "the file's comment is true of the goal 1 2 3 .. 0, not of the spiral",
                false => "the file's comment is wrong for either goal",
            };
            bench.say(
                name.to_owned(),
                claim.to_owned(),
                Some(word(solvable).to_owned()),
                Agreement::Misprint,
                Some(note.to_owned()),
            );
        }
        if !moves.is_empty() {
            let report = bench.run("manhattan", start)?;
            let ours = bench.printed(&report, &["moves"]);
            bench.compare(format!("{name}: fewest moves"), moves, ours);
        }
    }
    Ok(())
}

/// The numbers and the board of each instance of a published table.
fn instances(table: &'static str) -> impl Iterator<Item = (Vec<u64>, Board)> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (figures, tiles) = line.split_once('|').expect(TESTED);
        let figures = figures.split_whitespace().map(|number| number.parse().expect(TESTED));
        (figures.collect(), board(tiles))
    })
}

const KORF: &str = include_str!("../../data/korf100.txt");

/// Instances with this many nodes are left out unless everything is asked for.
const LONG: u64 = 20_000_000;

pub(super) fn korf85(bench: &mut Bench<'_>) -> Result<(), Stop> {
    for (figures, start) in instances(KORF) {
        let &[id, _, length, printed, computed, ..] = &figures[..] else { panic!("{TESTED}") };
        let what = format!("instance {id}: length/nodes");
        let published = format!("{length}/{printed}");
        let ours = match computed < LONG || bench.extent.all {
            true => {
                let report = bench.run("ida", start)?;
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
            let run = if ours.is_none() { "; not computed in this run" } else { "" };
            let note = format!("{why}: {computed}{run}");
            bench.say(what, published, ours, verdict, Some(note));
            continue;
        }
        match ours {
            Some(ours) => bench.compare(what, published, ours),
            None => bench.left_out += 1,
        }
    }
    Ok(())
}

const KORF_FELNER: &str = include_str!("../../data/korf24_50.txt");

/// An instance of Korf and Felner's.
pub(super) struct KorfFelner {
    id: u64,
    length: u64,
    nodes: u64,
    pub(super) board: Board,
}

pub(super) fn kf02_instances() -> impl Iterator<Item = KorfFelner> {
    instances(KORF_FELNER).map(|(figures, board)| {
        let &[id, _, length, nodes, ..] = &figures[..] else { panic!("{TESTED}") };
        KorfFelner { id, length, nodes, board }
    })
}

/// The instances with fewer nodes take about a minute together on two cores; all of them take days.
const MINUTE: u64 = 1_000_000_000;

pub(super) fn kf02(bench: &mut Bench<'_>) -> Result<(), Stop> {
    let Extent { all, one_of_many, on } = bench.extent;
    let most = match (on, all, one_of_many) {
        (On::Gpu, ..) | (On::Cpu, true, false) => u64::MAX,
        (On::Cpu, true, true) | (On::Cpu, false, false) => MINUTE,
        (On::Cpu, false, true) => 0,
    };
    for KorfFelner { id, length, nodes, board } in kf02_instances() {
        if nodes >= most {
            bench.left_out += 1;
            continue;
        }
        let what = format!("instance {id}: length");
        // A device searches with other rules, so that its counts are others.
        let (method, what, keys, published) = match on {
            On::Cpu => {
                let what = what + "/nodes";
                ("ida", what, &["length", "nodes_generated"][..], format!("{length}/{nodes}"))
            }
            On::Gpu => ("ida,on=gpu", what, &["length"][..], length.to_string()),
        };
        let report = bench.run(method, board)?;
        // A length that is not proven is no shortest one.
        let ours = match report.optimal {
            true => bench.printed(&report, keys),
            false => "not solved".to_owned(),
        };
        bench.compare_timed(what, published, ours, Some(report.seconds));
    }
    Ok(())
}
