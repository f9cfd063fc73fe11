use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use taquin_tiles::{
    Board, Move, MoveFault, MovesError, NamedGoal, Notation, Slide, SlideError, Tile,
    convert_moves, read_moves, read_moves_detect, replay, write_moves,
};

const BLANK: Option<Notation> = Some(Notation::Blank);
const TILE: Option<Notation> = Some(Notation::Tile);

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/data").join(name)
}

fn board(text: &str) -> Board {
    text.parse().unwrap()
}

/// The end of a text's moves, and the moves in both notations.
fn played(text: &str, notation: Option<Notation>, start: &str) -> [String; 3] {
    let start = board(start);
    let slides = read_moves(text, notation, &start).unwrap();
    let end = replay(&start, &slides).unwrap().to_string();
    let [blank, tile] = Notation::ALL.map(|to| write_moves(&slides, &start, to).unwrap());
    [end, blank, tile]
}

/// `LINE:COLUMN: fact; hint`.
fn told(error: &MovesError) -> String {
    let place = error.place().map(|place| format!("{}:{}: ", place.line, place.column));
    let hint = error.hint().map(|hint| format!("; {hint}"));
    format!("{}{error}{}", place.unwrap_or_default(), hint.unwrap_or_default())
}

fn refused(text: &str, notation: Option<Notation>, start: &str) -> String {
    told(&read_moves(text, notation, &board(start)).unwrap_err())
}

#[test]
fn letters_lead_one_blank() {
    let start = "1 2 3/4 0 5/6 7 8";
    let end = ["2 3 5/1 4 8/6 7 0", "LURRDD", "RDL2U2"];
    for (text, notation) in [
        ("LURRDD", None),
        ("LURRDD", BLANK),
        (" l,u r\r\nr\td, d ", BLANK),
        ("L4U1R2R3D5D8", BLANK),
        ("RDL2U2", None),
        ("RDL2U2", TILE),
        ("RDLLUU", TILE),
        ("r1 d01, l2\nu2", None),
    ] {
        assert_eq!(played(text, notation, start), end, "{text}");
    }
    assert_eq!(played(" ,\n", None, start), [start, "", ""]);
    assert_eq!(played("", TILE, "0"), ["0", "", ""]);
}

#[test]
fn letters_and_tiles_lead_several_blanks() {
    let start = "1 2 3/4 0 5/6 0 7";
    let end = ["1 2 3/4 5 7/0 6 0", "R5 L6 D7", "L5 R6 U7"];
    for (text, notation) in
        [("R5 L6 D7", None), ("r5L6,D", BLANK), ("L5 R6 U7", TILE), ("L5 R6 U", TILE)]
    {
        assert_eq!(played(text, notation, start), end, "{text}");
    }
}

#[test]
fn errors_say_which_move_why_and_how_to_mend_it() {
    let one = "1 2 3/4 0 5/6 7 8";
    let several = "1 2 3/4 5 0/0 6 7";
    let blank_letters = "in blank notation a letter says where the blank goes; \
                         is this tile notation?";
    let tile_letters = "in tile notation a letter says where the tile goes; \
                        is this blank notation?";
    for (text, notation, start, error) in [
        (
            "LRUDUU",
            None,
            one,
            "1:6: move 6 (U): the blank is in the top row; \
             in blank notation U sends the blank up; is this tile notation?",
        ),
        (
            "L,\n dd",
            BLANK,
            one,
            "2:3: move 3 (d): the blank is in the bottom row; \
             in blank notation D sends the blank down; is this tile notation?",
        ),
        (
            "RU5",
            None,
            one,
            "1:2: move 3 (U5): the blank is in the bottom row; \
             in tile notation U sends the tile up; is this blank notation?",
        ),
        (
            "RR",
            TILE,
            one,
            "1:2: move 2 (R): the blank is in the leftmost column; \
             in tile notation R sends the tile right; is this blank notation?",
        ),
        (
            "LRRR",
            BLANK,
            one,
            "1:4: move 4 (R): the blank is in the rightmost column; \
             in blank notation R sends the blank right; is this tile notation?",
        ),
        (
            "R U\u{1b}",
            None,
            one,
            "1:4: move 3 (\\u{1b}): this is not U, D, L or R; \
             write moves as URDL, or R7 for a move with its tile",
        ),
        (
            "R 22",
            None,
            one,
            "1:3: move 2 (22): this is not U, D, L or R; \
             write moves as URDL, or R7 for a move with its tile",
        ),
        ("RU0", None, one, "1:2: move 2 (U0): a count is 1 or more; omit the move"),
        (
            "R999999999",
            None,
            one,
            "1:1: move 1 (R999999999): there are more than 100000000 moves; \
             give a shorter list of moves",
        ),
        ("L9", BLANK, one, "1:1: move 1 (L9): there is no such tile; the tiles are 1 to 8"),
        ("L0", BLANK, one, "1:1: move 1 (L0): there is no such tile; the tiles are 1 to 8"),
        (
            "R99999999999999999999",
            None,
            several,
            "1:1: move 1 (R99999999999999999999): there is no such tile; the tiles are 1 to 7",
        ),
        ("R1", None, "0 0/", "1:1: move 1 (R1): there is no such tile"),
        (
            "R2",
            BLANK,
            one,
            &format!("1:1: move 1 (R2): there is no blank to the left of tile 2; {blank_letters}"),
        ),
        (
            "L5 D3",
            BLANK,
            several,
            &format!("1:4: move 2 (D3): there is no blank above tile 3; {blank_letters}"),
        ),
        (
            "R4",
            TILE,
            several,
            &format!("1:1: move 1 (R4): there is no blank to the right of tile 4; {tile_letters}"),
        ),
        (
            "U5",
            BLANK,
            several,
            &format!("1:1: move 1 (U5): there is no blank below tile 5; {blank_letters}"),
        ),
        (
            "U",
            None,
            several,
            "1:1: move 1 (U): 2 blanks can go up; write the tile that moves, as in U3 or U4",
        ),
        (
            "U",
            None,
            "1 2 3/0 0 0",
            "1:1: move 1 (U): 3 blanks can go up; write the tile that moves, as in U1 or U2",
        ),
        (
            "D",
            TILE,
            several,
            "1:1: move 1 (D): 2 tiles can go down; write the tile that moves, as in D3 or D4",
        ),
        ("U", None, "0 0/1 2", &format!("1:1: move 1 (U): no blank can go up; {blank_letters}")),
        ("U", TILE, "1 2/0 0", &format!("1:1: move 1 (U): no tile can go up; {tile_letters}")),
    ] {
        assert_eq!(refused(text, notation, start), error, "{text}");
    }
}

#[test]
fn slides_that_a_board_does_not_allow_are_refused() {
    let mut start = board("1 0 0/2 3 4");
    let before = start.clone();
    for (blank, step, error) in [
        (0, Move::Right, SlideError::NoBlank(0)),
        (6, Move::Up, SlideError::NoBlank(6)),
        (1, Move::Up, SlideError::Edge(Move::Up)),
        (1, Move::Right, SlideError::OntoBlank(Move::Right)),
    ] {
        assert_eq!(start.slide(Slide { blank, step }), Err(error));
        assert_eq!(start, before);
    }
    assert_eq!(start.slide(Slide { blank: 2, step: Move::Down }), Ok(4));
    assert_eq!(start.to_string(), "1 0 4/2 3 0");

    let slides = [Slide { blank: 1, step: Move::Left }, Slide { blank: 0, step: Move::Right }];
    let slides = [slides[0], slides[1], Slide { blank: 1, step: Move::Right }];
    let error = "move 3 (R): the cell to the right of the blank is a blank too";
    assert_eq!(told(&replay(&before, &slides).unwrap_err()), error);
    assert_eq!(told(&write_moves(&slides, &before, Notation::Tile).unwrap_err()), error);
    let error = replay(&before, &[Slide { blank: 0, step: Move::Up }]).unwrap_err();
    assert_eq!(told(&error), "move 1 (U): there is no blank on cell 0");
    assert_eq!((error.index(), error.place()), (1, None));
}

#[test]
fn the_notation_is_found_by_where_the_moves_lead() {
    let [start, left] = ["1 2 3/4 0 5/6 7 8", "1 2 3/0 4 5/6 7 8"].map(board);
    let right = board("1 2 3/4 5 0/6 7 8");
    let found = |text: &str, start: &Board, goal: &Board| {
        let (slides, notation) = read_moves_detect(text, start, goal).unwrap();
        (write_moves(&slides, start, Notation::Blank).unwrap(), notation)
    };
    assert_eq!(found("L", &start, &left), ("L".to_owned(), Notation::Blank));
    assert_eq!(found("L", &start, &right), ("R".to_owned(), Notation::Tile));
    // Neither leads there: letters are the blank's, unless only tiles can go so.
    assert_eq!(found("U", &start, &right), ("U".to_owned(), Notation::Blank));
    assert_eq!(found("UL", &left, &right), ("DR".to_owned(), Notation::Tile));
    // Numbers are counts, unless only the tiles' numbers lead there.
    assert_eq!(found("L1", &start, &right), ("R".to_owned(), Notation::Tile));
    assert_eq!(found("L4", &start, &left), ("L".to_owned(), Notation::Blank));
    let [start, goal] = ["1 2/0 0", "1 0/0 2"].map(board);
    assert_eq!(found("U2", &start, &goal), ("U2".to_owned(), Notation::Blank));
    assert_eq!(found("D2", &start, &goal), ("U2".to_owned(), Notation::Tile));
    // Counts in blank notation.
    let [start, goal] = ["0 1 2", "1 2 0"].map(|row| board(&format!("{row}/")));
    assert_eq!(found("R2", &start, &goal), ("RR".to_owned(), Notation::Blank));
    assert_eq!(read_moves("R2", BLANK, &start).unwrap().len(), 2);
    // The error belongs to the likelier reading.
    let error = read_moves_detect("RRR", &left, &right).unwrap_err();
    assert!(told(&error).starts_with("1:3: move 3 (R): the blank is in the rightmost column"));
    let error = read_moves_detect("R3", &left, &right).unwrap_err();
    assert!(told(&error).starts_with("1:1: move 1 (R3): the blank is in the leftmost column"));
}

#[test]
fn moves_are_converted_without_a_board() {
    for (text, from, to, converted) in [
        ("RU2RDL3", None, Notation::Blank, "LDDLURRR"),
        ("LDDLURRR", None, Notation::Tile, "RU2RDL3"),
        ("ru", TILE, Notation::Blank, "LD"),
        ("r, u\nu", BLANK, Notation::Blank, "RUU"),
        ("rRr2 U", TILE, Notation::Tile, "R4U"),
        ("RU2", BLANK, Notation::Blank, "RUU"),
        ("R12", None, Notation::Blank, "LLLLLLLLLLLL"),
        ("R99999999", None, Notation::Tile, "R99999999"),
        ("", None, Notation::Tile, ""),
    ] {
        assert_eq!(convert_moves(text, from, to).as_deref(), Ok(converted), "{text}");
    }
    for (text, from, error) in [
        (
            "R2\nX",
            None,
            "2:1: move 3 (X): this is not U, D, L or R; \
             write moves as URDL, or R7 for a move with its tile",
        ),
        ("R0", None, "1:1: move 1 (R0): a count is 1 or more; omit the move"),
        (
            "R99999999U2",
            None,
            "1:10: move 100000000 (U2): there are more than 100000000 moves; \
             give a shorter list of moves",
        ),
    ] {
        assert_eq!(told(&convert_moves(text, from, Notation::Blank).unwrap_err()), error, "{text}");
    }
}

#[test]
fn recorded_solutions_are_counted_as_tabled_and_lead_to_the_goal() {
    let table = fs::read_to_string(data("slidysim/expected.json")).unwrap();
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    let goal = NamedGoal::Last.board("4x4".parse().unwrap(), 1);
    let mut solutions = 0;
    for (file, counts) in table["files"].as_object().unwrap() {
        let text = fs::read_to_string(data("slidysim").join(file)).unwrap();
        let count = |name: &str| counts[name].as_array().unwrap().clone();
        let (single, multi) = (count("stm"), count("mtm"));
        assert_eq!(text.lines().count(), single.len());
        for ((line, single), multi) in text.lines().zip(single).zip(multi) {
            let blank = convert_moves(line, None, Notation::Blank).unwrap();
            assert_eq!(blank.len(), single.as_u64().unwrap() as usize, "{line}");
            let letters = line.chars().filter(char::is_ascii_alphabetic).count();
            assert_eq!(letters, multi.as_u64().unwrap() as usize, "{line}");
            assert_eq!(convert_moves(&blank, None, Notation::Tile).as_deref(), Ok(line));

            // Back from the goal, to the scrambled board.
            let back: String = blank.chars().rev().map(opposite).collect();
            let back = read_moves(&back, BLANK, &goal).unwrap();
            let start = replay(&goal, &back).unwrap();
            let (slides, notation) = read_moves_detect(line, &start, &goal).unwrap();
            assert_eq!(notation, Notation::Tile);
            assert_eq!(replay(&start, &slides).as_ref(), Ok(&goal));
            assert_eq!(write_moves(&slides, &start, Notation::Tile).as_deref(), Ok(line));
            solutions += 1;
        }
    }
    assert_eq!(solutions, 11);
}

fn opposite(letter: char) -> char {
    Move::from_letter(letter).unwrap().opposite().letter()
}

#[test]
fn published_solutions_lead_to_the_goal() {
    let text = fs::read_to_string(data("courses/other_course_formats.json")).unwrap();
    let courses: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rosetta = &courses["rosetta_15_puzzle_solver"];
    let start = board(rosetta["board"].as_str().unwrap());
    let goal = NamedGoal::Last.board(start.size(), 1);
    let solutions = rosetta["solutions_blank_moves"].as_array().unwrap();
    assert_eq!(solutions.len(), 2);
    for solution in solutions {
        let solution = solution.as_str().unwrap();
        let (slides, notation) = read_moves_detect(solution, &start, &goal).unwrap();
        assert_eq!(
            (slides.len() as u64, notation),
            (rosetta["optimal"].as_u64().unwrap(), Notation::Blank)
        );
        assert_eq!(replay(&start, &slides).as_ref(), Ok(&goal));
        let written = write_moves(&slides, &start, Notation::Blank).unwrap();
        assert_eq!(written, solution.to_uppercase());
    }
}

#[test]
fn notations_have_names() {
    for notation in Notation::ALL {
        assert_eq!(notation.to_string().parse(), Ok(notation));
        assert_eq!(notation.to_string().to_uppercase().parse(), Ok(notation));
    }
    let error = "cube".parse::<Notation>().unwrap_err();
    assert_eq!(error.to_string(), "unknown notation 'cube': expected blank or tile");
}

#[test]
fn huge_counts_and_long_texts_end_quickly() {
    let start = Instant::now();
    let line = NamedGoal::First.board("1x65535".parse().unwrap(), 1);
    for count in ["99999", "99999999", "999999999", "99999999999999999999999999"] {
        assert!(read_moves(&format!("L{count}"), None, &line).is_err());
        let converted = convert_moves(&format!("L100000000L{count}"), None, Notation::Blank);
        assert!(matches!(converted.unwrap_err().fault(), MoveFault::TooMany { .. }));
    }
    let most = read_moves("L65534R65534", None, &line).unwrap();
    assert_eq!(most.len(), 2 * 65534);
    // Twelve characters stand for all these moves, so that a text could stand for any number.
    let error = read_moves(&"L65534R65534".repeat(100_000), None, &line).unwrap_err();
    assert!(matches!(error.fault(), MoveFault::TooMany { .. }));
    let zigzag = "RL".repeat(100_000);
    assert_eq!(read_moves(&zigzag, BLANK, &line).unwrap().len(), zigzag.len());
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// A board and moves that it allows, chosen one after another by the numbers.
fn any_walk() -> impl Strategy<Value = (Board, Vec<Slide>)> {
    (1..5_usize, 1..5_usize, 1..5_usize, proptest::collection::vec(any::<usize>(), 0..40)).prop_map(
        |(rows, cols, blanks, choices)| {
            let size = taquin_tiles::Size::new(rows, cols).unwrap();
            let start = NamedGoal::Snail.board(size, blanks.min(size.cells()));
            let mut end = start.clone();
            let mut slides = Vec::new();
            for choice in choices {
                let allowed: Vec<(Slide, Board)> = (0..size.cells() as Tile)
                    .flat_map(|blank| Move::ALL.map(|step| Slide { blank, step }))
                    .filter_map(|slide| {
                        let mut next = end.clone();
                        next.slide(slide).ok().map(|_| (slide, next))
                    })
                    .collect();
                if allowed.is_empty() {
                    break;
                }
                let (slide, next) = allowed[choice % allowed.len()].clone();
                slides.push(slide);
                end = next;
            }
            (start, slides)
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read((start, slides) in any_walk()) {
        for notation in Notation::ALL {
            let text = write_moves(&slides, &start, notation).unwrap();
            prop_assert_eq!(read_moves(&text, Some(notation), &start), Ok(slides.clone()));
            if start.blanks().count() == 1 {
                for to in Notation::ALL {
                    let converted = convert_moves(&text, Some(notation), to);
                    prop_assert_eq!(converted, write_moves(&slides, &start, to));
                }
            }
        }
    }

    /// Whatever is read can be replayed, and the error of whatever is not is short and points at
    /// it.
    #[test]
    fn any_text_is_read_or_refused(
        (start, _) in any_walk(),
        text in r"\PC{0,20}|([UDLRudlr][0-9]{0,2}[ ,\n]?){0,8}[!-~é\x00-\x1f]?",
        notation in proptest::option::of(proptest::sample::select(&Notation::ALL[..])),
    ) {
        match read_moves(&text, notation, &start) {
            Ok(slides) => prop_assert!(replay(&start, &slides).is_ok()),
            Err(error) => {
                let told = told(&error);
                prop_assert!(told.len() < 400 && !told.contains(char::is_control), "{told:?}");
                prop_assert!(error.place().is_some());
            }
        }
        let _ = convert_moves(&text, notation, Notation::Tile);
    }
}
