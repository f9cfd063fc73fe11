//! The messages of the program. `SNAPSHOTS=overwrite cargo test -p taquin-cli` rewrites the snapshots
//! after a change of wording.

use snapbox::{assert_data_eq, file};

use crate::run::transcript;

const DEPTH_2: &str = "1 2 3/4 0 6/7 5 8";

#[test]
fn boards_and_goals() {
    assert_data_eq!(
        transcript(&[
            &["solve"],
            &["solve", "1 2 3/4 5 6/7 6 0"],
            &["solve", "1 2 0"],
            &["solve", "1 1 0 2"],
            &["solve", "--file", "/no/such/file"],
            &["solve", "--file", "/"],
            &["solve", "123456780", "--goal", "1 2/3 0"],
            &["solve", "123456780", "--goal", "nose"],
            &["solve", "1 2 3 0", "--goal", "1 2 0 0"],
            &["solve", "123456780", "-m", "astar:manhatan"],
            &["audit", "linear", "--size", "2x3", "--blanks", "9"],
            &["convert", "123456780", "--to", "nothing"],
            &["convert", "LDDL", "--to", "rows"],
            &["gen", "--size", "5", "--format", "digits", "--seed", "1"],
            &["gen", "--depth", "32", "--seed", "3"],
            &["gen", "--depth", "31", "--count", "9", "--seed", "3"],
        ]),
        file!["snapshots/boards_and_goals.txt"]
    );
}

#[test]
fn solvability() {
    assert_data_eq!(
        transcript(&[
            &["check", "5 2 8/4 1 7/0 3 6"],
            &["check", "123456870"],
            &["check", "1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0"],
            &["check", "2 1 0 3/"],
            &["check", "3 1 2 0/"],
            &["check", "1 0 2 3/"],
            &["check", "2 1 0/0 3 4"],
            &["check", "-q", "123456870"],
            &["solve", "123456870"],
            &["solve", "2 1 3 4/5 6 7 8/9 10 11 12/13 14 15 0"],
            &["explain", "123456870"],
        ]),
        file!["snapshots/solvability.txt"]
    );
}

#[test]
fn answers() {
    assert_data_eq!(
        transcript(&[
            &["solve", DEPTH_2, "-m", "astar:manhattan", "--path", "boards"],
            &["solve", "2 3 6/1 0 7/4 8 5", "--cost", "tile", "-m", "astar:manhattan"],
            &["solve", "2 3 6/1 0 7/4 8 5", "--cost", "tile", "-m", "greedy"],
            &["solve", "867254301", "-m", "wastar:manhattan,w=5"],
            &["solve", "867254301", "-m", "dfs,depth=20"],
            &["solve", "867254301", "-m", "beam:manhattan,k=1"],
            &["solve", "867254301", "-m", "ucs", "--nodes", "1e3"],
            &["solve", "867254301", "-m", "ucs", "--memory", "100k"],
            &["solve", "2 1/3 0", "-m", "bfs", "--search-anyway"],
            &["solve", "167503482", "-m", "astar,duplicates=generated,reopen=never,order=heap"],
            &["solve", DEPTH_2, "--all", "-m", "ida"],
            &["solve", "123456708", "--trace"],
            &["verify", "123406758", "DR"],
            &["verify", "123406758", "UL"],
            &["verify", "123406758", "LRDR"],
            &["verify", "123406758", "D"],
            &["verify", "123406758", "DDD"],
            &["heuristic", "2 1 3/4 5 6/7 0 8"],
        ]),
        file!["snapshots/answers.txt"]
    );
}

#[test]
fn explanations() {
    assert_data_eq!(
        transcript(&[
            &["explain", "136502478", "--step", "5"],
            &[
                "explain",
                "136507482",
                "--as",
                "ucr-list",
                "-m",
                "2",
                "--step",
                "30",
                "--rivals",
                "4"
            ],
            &["explain", "136507482", "-m", "dfs", "--step", "3"],
            &["explain", "136507482", "-m", "ida", "--step", "30"],
            &["explain", "136507482", "-m", "wastar,w=3/2", "--step", "3"],
            &["explain", "123506478", "--step", "5"],
            &["explain", "123506478", "-m", "bfs,undo=keep", "--step", "2"],
            &["explain", "0 0 1/2 3 4", "--step", "3"],
            &["explain", "123506478", "-m", "ids"],
            &["explain", "123506478", "--step", "50"],
            &["explain", "123506478", "-m", "auto"],
            &["explain", "123506478", "-m", "bidirectional", "--dot"],
            &["explain", "867254301", "-m", "bfs", "--step", "9000", "--memory", "100k"],
        ]),
        file!["snapshots/explanations.txt"]
    );
}

#[test]
fn other_commands() {
    assert_data_eq!(
        transcript(&[
            &["methods"],
            &["audit", "manhattan", "--size", "2x3"],
            &["audit", "zero", "--size", "4", "--memory", "3M"],
            &["audit", "zero", "--nodes", "100"],
            &["enumerate", "4x4", "--memory", "8G"],
            &["enumerate", "3x3", "--chart", "depths.txt"],
            &["pdb", "build", "1.2.3"],
            &["queens", "8"],
            &["queens", "3"],
            &["queens", "12", "--count", "--nodes", "5000"],
            &["queens", "8", "-m", "astar"],
            &["route", "S..#../.#.#.#/.#9..G"],
            &["route", "S..#../.#.#.#/.#9..G", "-m", "bfs"],
            &["route", "S.#/##G"],
            &["route", "S...../.....G", "--nodes", "3"],
            &["route", "S.x/..G"],
            &["match", "712485630", "--expanded", "503", "--queue", "306", "--as", "ucr-list"],
            &[
                "match",
                "123506478",
                "--expanded",
                "5",
                "--queue",
                "999",
                "--as",
                "ucr-list",
                "-m",
                "3"
            ],
        ]),
        file!["snapshots/other_commands.txt"]
    );
}
