//! `show`, `compare --chart` and `solve --animate`: the drawings, and when there are none.

use std::fs;
use std::path::{Path, PathBuf};

use snapbox::{assert_data_eq, str};

use crate::run::{folder, run};

fn in_folder(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_board_in_the_terminal() {
    let ran = run(&["show", "5 1 3 4/2 6 8 12/9 10 7 11/13 14 15 0"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_data_eq!(
        ran.out,
        str![[r"
┌────┬────┬────┬────┐
│  5 │  1 │  3 │  4 │
├────┼────┼────┼────┤
│  2 │  6 │  8 │ 12 │
├────┼────┼────┼────┤
│  9 │ 10 │  7 │ 11 │
├────┼────┼────┼────┤
│ 13 │ 14 │ 15 │    │
└────┴────┴────┴────┘

"]]
    );
}

#[test]
fn pictures_in_files() {
    let folder = folder("pictures");
    let [svg, png, figures, moving] =
        ["b.svg", "b.png", "f.svg", "m.svg"].map(|name| in_folder(&folder, name));
    let ran = run(&["show", "867254301", "--svg", &svg, "--png", &png]);
    let wrote = format!("wrote {svg}\nwrote {png}\n");
    assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(0), "", wrote));
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg "));
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let ran = run(&["show", "867254301", "--svg", "-"]);
    assert_eq!(ran.out, fs::read_to_string(&svg).unwrap());
    let ran = run(&["compare", "--chart", &figures]);
    assert_eq!(ran.code, Some(0));
    let drawn = fs::read_to_string(&figures).unwrap();
    for words in [
        "Nodes expanded against depth",
        "Largest frontier against depth",
        "Time against depth",
        "ucs: from 6 at 2 to 125,570 at 24",
        ">astar:misplaced<",
        ">astar:manhattan<",
    ] {
        assert!(drawn.contains(words), "{words}");
    }
    // The table is printed all the same.
    assert!(ran.out.contains("125,570"), "{}", ran.out);
    let ran = run(&["solve", "867254301", "--animate", &moving]);
    assert!(ran.code == Some(0) && ran.out.contains("31 moves"), "{}", ran.out);
    assert!(fs::read_to_string(&moving).unwrap().contains("solved in 31 moves"));
    let ran = run(&["solve", "136507482", "--as", "ucr-list", "--animate", &moving]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(fs::read_to_string(&moving).unwrap().contains("solved in 12 moves"));
}

#[test]
fn a_gif_shows_every_move() {
    let path = in_folder(&folder("gif"), "moves.gif");
    assert_eq!(run(&["solve", "1 2 3/4 0 5/7 8 6", "--animate", &path]).code, Some(0));
    let file = fs::read(path).unwrap();
    let mut reader = gif::DecodeOptions::new().read_info(&*file).unwrap();
    assert_eq!(reader.repeat(), gif::Repeat::Infinite);
    let (width, height) = (reader.width(), reader.height());
    let mut delays = Vec::new();
    while let Some(frame) = reader.read_next_frame().unwrap() {
        assert!(frame.left + frame.width <= width && frame.top + frame.height <= height);
        assert_eq!(frame.buffer.len(), usize::from(frame.width) * usize::from(frame.height));
        delays.push(frame.delay);
    }
    // The start, and six frames for each of two moves.
    assert_eq!(delays, [100, 4, 4, 4, 4, 4, 16, 4, 4, 4, 4, 4, 250]);
}

#[test]
fn what_cannot_be_drawn() {
    let folder = folder("no-pictures");
    let nowhere = in_folder(&folder, "none/b.svg");
    for (args, words) in [
        (&["show", "867254301", "--svg", &nowhere][..], &["none/b.svg", "folder"][..]),
        (&["compare", "--chart", "figures.gif"], &[".svg, .png or .pdf"]),
        (&["show", "12"], &["board"]),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        for word in words {
            assert!(ran.err.contains(word), "{args:?}: {}", ran.err);
        }
    }
    if cfg!(target_os = "linux") {
        let ran = run(&["show", "867254301", "--svg", "/dev/full"]);
        assert!(ran.code == Some(2) && ran.err.contains("disk space"), "{}", ran.err);
    }
    let moving = in_folder(&folder, "m.svg");
    let ran = run(&["solve", "123456870", "--animate", &moving]);
    assert!(ran.code == Some(11) && ran.err.contains("no solution"), "{}", ran.err);
    assert!(!PathBuf::from(moving).exists());
}
