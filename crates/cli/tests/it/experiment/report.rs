//! The report: its contents, its structure, and that it needs nothing else.

use std::fs;
use std::path::Path;

use snapbox::{assert_data_eq, str};

use super::foreign::python;
use super::{experiment, made, plan, start};
use crate::run::{folder, taquin};

/// The courses' eight puzzles, where every count is known; one method can't do all.
const COURSES: &str = "
title = \"Three <algorithms> & a limit\"
instances = [\"courses\"]
methods = [\"ucs\", \"astar:manhattan\", \"greedy\"]
[limits]
nodes = 20000
memory = \"500M\"
";

#[test]
fn the_courses_report() {
    let folder = folder("report");
    let plan = plan(&folder, COURSES);
    made(start(&plan, &folder.join("plan.sqlite")));
    // Without a name it is the store that was written last, here or in a folder below.
    let output =
        taquin().args(["experiment", "report"]).current_dir(folder.parent().unwrap()).output();
    assert!(output.unwrap().status.success());
    let ran = experiment(&["report", &plan]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let made = folder.join("plan-report");
    assert_eq!(ran.out.trim(), made.join("report.html").to_str().unwrap());
    let read = |name: &str| fs::read_to_string(made.join(name)).unwrap();
    let ran = experiment(&["report", &plan, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["title"], "Three <algorithms> & a limit");
    let solved = &report["tables"][0];
    assert_eq!((&solved["headings"][1], &solved["rows"][0][1]), (&"solved".into(), &"6".into()));
    let chart = &report["charts"][0];
    assert_eq!((&chart["x"], chart["series"].as_array().unwrap().len()), (&"depth".into(), 3));
    assert!(chart["series"][0]["points"][0][1].is_number());
    assert!(report["plan"].as_str().unwrap().contains("nodes = 20000"));
    assert_data_eq!(
        read("report.md"),
        str![[r##"
# Three /<algorithms/> & a limit

8 puzzles by 3 methods: 24 runs, [..] of search.

## Summary

Solved puzzles, and what ended the other runs.

| method | solved | of | coverage | proven optimal | longer than optimal | time limit | memory limit | node limit | other |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| ucs | 6 | 8 | 75 % | 6 | – | – | – | 2 | – |
| astar:manhattan | 8 | 8 | 100 % | 8 | – | – | – | – | – |
| greedy:manhattan | 8 | 8 | 100 % | [..] | – | – | – | – |

The work for the 6 puzzles that all methods solved: geometric means with quartiles, and totals.

| method | expanded | generated | time | total expanded | total generated | total time |
|---|---:|---:|---:|---:|---:|---:|
| ucs | 104 (11.5–1,646) | 170 (22.5–2,783) | [..] | 14,991 | [..] |
| astar:manhattan | 6.6 (2.5–20.8) | 11.8 (5.2–38.8) | [..] | 93 | [..] |
| greedy:manhattan | [..] |

## Charts

![Nodes expanded against length of the shortest solution (moves). ucs: from 6 at 2 to 12,575 at 16, 5 points. [..]](nodes.svg)

*Nodes expanded against depth.* 3 values of 0 are left out: a logarithmic axis has no 0. Data: [nodes.csv](nodes.csv).

![Largest frontier [..]](frontier.svg)

*Largest frontier against depth.* [..] Data: [frontier.csv](frontier.csv).

![Time (seconds) against [..]](time.svg)

*Time against depth.*  Data: [time.csv](time.csv).

![Puzzles solved against [..]](cactus.svg)

*Puzzles solved within a time.*  Data: [cactus.csv](cactus.csv).

![Nodes expanded by the others against [..]](scatter.svg)

*Nodes expanded, puzzle by puzzle, compared with ucs.* [..] Data: [scatter.csv](scatter.csv).

## By depth

Geometric means over the solved puzzles, with quartiles, by the length of the shortest solution. If some were not solved, the number of solved ones follows.

Nodes expanded.

| depth | puzzles | ucs | astar:manhattan | greedy:manhattan |
|---|---:|---:|---:|---:|
| 0 | 1 | 0 | 0 | 0 |
| 2 | 1 | 6.0 | 2.0 | 2.0 |
...
| 24 | 1 | – | 1,347 | [..] |

Nodes generated.
...
Time.
...
## Circumstances

- **Instance sets**: courses
- **Limits of a run**: 20000 nodes, 500 MB
- **Program**: taquin [..]
- **Processor**: [..]
- **Time**: [..]
- **ucs**: ucs,rank=g,tie=none,order=fifo,goal=expansion,duplicates=cheaper,reopen=always,undo=skip,seed=0,moves=ULRD
...
```toml
...
nodes = 20000
memory = "500M"
```

## Counts
...
"##]]
    );
    assert_data_eq!(
        outline(&read("report.html")),
        str![[r#"
<h1>Three &lt;algorithms&gt; &amp; a limit</h1>
<h2>Summary</h2>
<caption>Solved puzzles, and what ended the other runs.</caption>
<caption>The work for the 6 puzzles that all methods solved: geometric means with quartiles, and totals.</caption>
<h2>Charts</h2>
<figure id="nodes">
<figure id="frontier">
<figure id="time">
<figure id="cactus">
<figure id="scatter">
<h2>By depth</h2>
<caption>Nodes expanded.</caption>
<caption>Nodes generated.</caption>
<caption>Largest frontier, in nodes.</caption>
<caption>Time.</caption>
<h2>Circumstances</h2>
<h2>Counts</h2>

"#]]
    );
    needs_nothing_else(&read("report.html"));
    assert!(read("nodes.csv").contains("\nastar:manhattan,24,1347"), "{}", read("nodes.csv"));
    for name in ["nodes", "frontier", "time", "cactus", "scatter"] {
        assert!(fs::read(made.join(format!("{name}.png"))).unwrap().starts_with(b"\x89PNG"));
        // The separate files equal the parts of the page.
        assert!(read("report.html").contains(&read(&format!("{name}.svg"))), "{name}");
    }
    read_by_others(&made);
}

/// The headings, tables and figures of a page.
fn outline(page: &str) -> String {
    let begins = ["<h1>", "<h2>", "<figure"];
    let lines = page.lines().filter_map(|line| match line.find("<caption>") {
        Some(at) => Some(&line[at..]),
        None => Some(line).filter(|line| begins.iter().any(|begin| line.starts_with(begin))),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn needs_nothing_else(page: &str) {
    for fetching in ["<script", "<link", "<img", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(fetching), "{fetching}");
    }
    let addresses = page.matches("http").count();
    let names = page.matches("xmlns=\"http://www.w3.org/").count();
    assert_eq!(addresses, names);
    for wanted in ["prefers-color-scheme: dark", "@media print", "lang=\"en\"", "charset=\"utf-8\""]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
}

/// Python's XML parser takes the page and the charts, and its csv module their data.
fn read_by_others(folder: &Path) {
    let program = "
import csv, pathlib, sys
import xml.etree.ElementTree as tree
folder = pathlib.Path(sys.argv[1])
page = tree.parse(folder / 'report.html').getroot()
assert len(list(page.iter('{http://www.w3.org/2000/svg}svg'))) == 5
ids = [each.get('id') for each in page.iter() if each.get('id')]
assert len(ids) == len(set(ids)), ids
for path in folder.glob('*.svg'):
    root = tree.parse(path).getroot()
    assert root.get('role') == 'img', path
    rows = list(csv.reader(open(path.with_suffix('.csv'), newline='')))
    assert len(rows) > 3 and all(len(row) == 4 for row in rows), path
print('fine')
";
    assert_eq!(python(program, &[folder]), "fine\n");
}

#[test]
fn what_cannot_be_reported() {
    let folder = folder("no-report");
    let plan = plan(&folder, COURSES);
    let store = folder.join("plan.sqlite");
    made(start(&plan, &store));
    let ran = experiment(&["report", &plan, "--baseline", "nobody"]);
    assert!(ran.code == Some(2) && ran.err.contains("its methods are ucs, "), "{}", ran.err);
    fs::write(folder.join("file"), "").unwrap();
    let ran = experiment(&["report", &plan, "--out", folder.join("file").to_str().unwrap()]);
    assert!(ran.code == Some(2) && ran.err.contains("can't be written"), "{}", ran.err);
    // Before anything is finished there is little to say, and it is said.
    let empty = folder.join("empty.sqlite");
    let ran = experiment(&["merge", empty.to_str().unwrap(), store.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0));
    super::open(&empty).execute("UPDATE runs SET outcome = NULL, due = 1", []).unwrap();
    let ran = experiment(&["report", empty.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = fs::read_to_string(ran.out.trim()).unwrap();
    assert!(page.contains("24 runs are still due"), "{page}");
    let alone = taquin().args(["experiment", "report"]).current_dir("/").output().unwrap();
    let words = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(alone.status.code() == Some(2) && words.contains("no store in this folder"), "{words}");
}

#[test]
fn a_stored_report_does_not_compare_times_of_different_engines() {
    let folder = folder("report-engines");
    let text = "instances = [\"board 1 2 3 4/5 6 7 8/9 10 0 11/13 14 15 12\"]\n\
        methods = [\"ida:manhattan\", \"ida:linear\"]\n[limits]\nmemory = \"200M\"\n";
    let plan = plan(&folder, text);
    assert_eq!(made(start(&plan, &folder.join("plan.sqlite"))), 2);
    assert_eq!(experiment(&["report", &plan]).code, Some(0));
    let report = fs::read_to_string(folder.join("plan-report/report.md")).unwrap();
    for words in ["specialised engine ran ida:manhattan ", "which ran ida:linear."] {
        assert!(report.contains(words), "{report}");
    }
}
