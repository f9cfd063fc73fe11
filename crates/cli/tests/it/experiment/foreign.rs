//! The store, the exports and the pictures, opened by programs that are not ours.

use std::path::Path;
use std::process::Command;

use super::{PLAN, experiment, made, plan, start};
use crate::run::{folder, run};

/// Returns a Python program's output.
pub(super) fn python(program: &str, args: &[&Path]) -> String {
    let ran = Command::new("python3").arg("-c").arg(program).args(args).output();
    let ran = ran.expect("this test needs python3");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn python_reads_the_store_and_the_exports() {
    let folder = folder("foreign");
    let plan = plan(&folder, PLAN);
    let store = folder.join("plan.sqlite");
    assert_eq!(made(start(&plan, &store)), 78);
    let [csv, jsonl] = ["runs.csv", "runs.jsonl"].map(|name| folder.join(name));
    for (format, path) in [("csv", &csv), ("jsonl", &jsonl)] {
        let ran =
            experiment(&["export", &plan, "--format", format, "--out", path.to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let program = "
import csv, json, sqlite3, sys
store, csv_file, jsonl = sys.argv[1:]
connection = sqlite3.connect(store)
connection.row_factory = sqlite3.Row
rows = {row['key']: dict(row) for row in connection.execute('select * from runs')}
assert connection.execute('pragma integrity_check').fetchone()[0] == 'ok'
lines = list(csv.DictReader(open(csv_file, newline='')))
objects = [json.loads(line) for line in open(jsonl)]
assert len(rows) == len(lines) == len(objects) == 78, (len(rows), len(lines), len(objects))
for line, thing in zip(lines, objects):
    row = rows[line['key']]
    assert list(line) == list(thing), (list(line), list(thing))
    for column, text in line.items():
        value = row[column]
        assert thing[column] == value, (column, thing[column], value)
        assert text == ('' if value is None else str(value)) or float(text) == value, (column, text, value)
    assert len(row['moves'] or '') == row['depth'] == row['cost'] == row['lower_bound'], row
    assert row['processor'] and row['version'] and row['seconds'] > 0 and row['cpu_seconds'] > 0
    assert row['before_expanded'] <= row['expanded']
print('fine')
";
    assert_eq!(python(program, &[&store, &csv, &jsonl]), "fine\n");
}

#[test]
fn python_reads_the_pictures() {
    let folder = folder("foreign-pictures");
    let [chart, board, moving] = ["c.svg", "b.svg", "m.svg"].map(|name| folder.join(name));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    run(&["compare", "--chart", &text(&chart)]);
    run(&["show", "867254301", "--svg", &text(&board)]);
    run(&["solve", "867254301", "--animate", &text(&moving)]);
    let program = "
import sys
import xml.etree.ElementTree as tree
for path in sys.argv[1:]:
    root = tree.parse(path).getroot()
    assert root.tag == '{http://www.w3.org/2000/svg}svg', root.tag
    title = root.find('{http://www.w3.org/2000/svg}title')
    assert title is not None and title.text
print('fine')
";
    assert_eq!(python(program, &[&chart, &board, &moving]), "fine\n");
}
