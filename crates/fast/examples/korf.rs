//! Solves some of Korf's hundred, and says how fast.
use std::sync::Arc;
use std::time::Instant;
use taquin_fast::{Estimate, Options, Solver};
use taquin_tables::{Partition, Patterns, Reflection, Request, Store};
use taquin_tiles::*;
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let args: Vec<usize> = std::env::args().skip(2).map(|x| x.parse().unwrap()).collect();
    let options = Options { threads: args[0], prune: args[1], ..Options::default() };
    let text = std::fs::read_to_string("data/korf100.txt").unwrap();
    let (mut time, mut all) = (0.0, 0);
    let goal = NamedGoal::First.board("4x4".parse().unwrap(), 1);
    let t = Instant::now();
    let estimate = match name.as_str() {
        "manhattan" => Estimate::Manhattan,
        name => {
            let store = Store::new("/tmp/fast-tables");
            let cancel = Default::default();
            let get = |p: &taquin_tables::Pattern| Arc::new(store.load_or_build(p, &mut Request { memory: 8 << 30, rebuild: true, cancel: &cancel, report: &mut |_| {} }).unwrap());
            let partition: Partition = name.trim_end_matches('!').parse().unwrap();
            let databases = partition.patterns(&goal).unwrap().iter().map(get).collect();
            let r = Reflection::of(&goal).filter(|_| !name.ends_with('!'));
            Estimate::Patterns(Arc::new(Patterns::new(&goal, databases, r.as_ref()).unwrap()))
        }
    };
    println!("tables {:?}", t.elapsed());
    let t = Instant::now();
    let solver = Solver::new(&goal, &estimate, options).unwrap();
    println!("solver {:?}", t.elapsed());
    let quiet = args.len() == 2;
    for round in 0..if quiet { 4 } else { 1 } {
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let (a, b) = line.split_once('|').unwrap();
            let a: Vec<u64> = a.split_whitespace().map(|x| x.parse().unwrap()).collect();
            if !(args.len() == 2 || args[2..].contains(&(a[0] as usize)) || args[2] == 0 && a[4] < args[3] as u64) { continue }
            let start = read_board(b, Some("4x4".parse().unwrap())).unwrap();
            let t = Instant::now();
            let s = solver.solve(&start, &Default::default()).unwrap();
            let e = t.elapsed().as_secs_f64();
            time += e; all += s.counts.generated;
            let before = s.before_last_bound.unwrap();
            let ok = name != "manhattan" || args[1] > 2 || (s.counts.generated + 1, s.counts.expanded, before.generated) == (a[4], a[5], a[6]);
            if !quiet {
                println!("{} {ok} {:?} {} {:.6}s {:.0}M/s peak {} {} mem {}", a[0], s.is_optimal(), s.counts.generated + 1, e, s.counts.generated as f64 / e / 1e6, s.counts.frontier_peak, before.frontier_peak, s.counts.memory_peak);
            }
            assert!(ok);
            assert_eq!(s.solution().unwrap().cost as u64, a[2]);
        }
        println!("{round}: {all} in {time:.3}s: {:.1}M/s", all as f64 / time / 1e6);
        if quiet { (time, all) = (0.0, 0) }
    }
}
