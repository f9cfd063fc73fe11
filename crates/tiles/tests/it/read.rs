use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use taquin_tiles::{
    Board, BoardFormat, MAX_CELLS, ReadFault, Size, Tile, read_board, read_board_bytes, write_board,
};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/data").join(name)
}

fn size(text: &str) -> Size {
    text.parse().unwrap()
}

/// The board as it is printed.
fn read(text: &str, size: Option<Size>) -> String {
    match read_board(text, size) {
        Ok(board) => board.to_string(),
        Err(error) => panic!("{text:?}: {error}"),
    }
}

/// `LINE:COLUMN: fact; hint`.
fn refused(text: impl AsRef<[u8]>, size: Option<Size>) -> String {
    let error = read_board_bytes(text.as_ref(), size).unwrap_err();
    let place = error.place().map(|place| format!("{}:{}: ", place.line, place.column));
    let hint = error.hint().map(|hint| format!("; {hint}"));
    format!("{}{error}{}", place.unwrap_or_default(), hint.unwrap_or_default())
}

#[test]
fn boards_are_read_as_programs_print_them() {
    for text in [
        "\"1 2 3/4 5 6/7 8 0\"",
        "'123456780'",
        "\"1 2 3\"\n\"4 5 6\"\n\"7 8 0\"\n",
        "[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"\"]",
        "[['1','2','3'],['4','5','6'],['7','8',' ']]",
        "\"\"\"1 2 3\n4 5 6\n7 8 0\"\"\"",
        "\"1\",\"2\",\"3\"\n\"4\",\"5\",\"6\"\n\"7\",\"8\",\"\"\n",
        "array([[1, 2, 3],\n       [4, 5, 6],\n       [7, 8, 0]])",
        "np.array([[1, 2, 3], [4, 5, 6], [7, 8, 0]], dtype=int64)",
        "board = [[1, 2, 3], [4, 5, 6], [7, 8, 0]]",
        "start: [1, 2, 3, 4, 5, 6, 7, 8, 0]",
        "initial_state = (1, 2, 3, 4, 5, 6, 7, 8, 0)",
        "state = tuple([1, 2, 3, 4, 5, 6, 7, 8, 0])",
        "int[][] tiles = {{1, 2, 3}, {4, 5, 6}, {7, 8, 0}};",
        "int[][] tiles = new int[][]{{1, 2, 3}, {4, 5, 6}, {7, 8, 0}};",
        "const board = [1, 2, 3, 4, 5, 6, 7, 8, 0];",
        "| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n| 7 | 8 |   |",
        "+---+---+---+\n| 1 | 2 | 3 |\n+---+---+---+\n| 4 | 5 | 6 |\n+---+---+---+\n| 7 | 8 |   |\n+---+---+---+\n",
        "-------------\n| 1 | 2 | 3 |\n-------------\n| 4 | 5 | 6 |\n-------------\n| 7 | 8 |   |\n-------------",
        "1 | 2 | 3\n---------\n4 | 5 | 6\n---------\n7 | 8 |  ",
        "1|2|3\n4|5|6\n7|8|0",
        "1,2,3\n4,5,6\n7,8,\n",
        "1\t2\t3\n4\t5\t6\n7\t8\t\n",
        "1,2,3,4,5,6,7,8,",
        "1 2 3/4 5 6/7 8 ·",
        "12345678·",
        "\u{1b}[31m1\u{1b}[0m 2 3\n4 \u{1b}[1;32m5\u{1b}[0m 6\n7 8 0\u{1b}[K",
        "3 3\n1 2 3\n4 5 6\n7 8 0",
        "3 3\n1 2 3 4 5 6 7 8 0\n",
        "3,3\n123456780",
        "1-2-3-4-5-6-7-8-0",
        "1-2-3\n4-5-6\n7-8-0",
        "123 456 780",
        "123-456-780",
        "123_456_78x",
        "Start: 1 2 3/4 5 6/7 8 0",
        "Start: 123456780",
        "Initial state:\n1 2 3\n4 5 6\n7 8 0\n",
        "[[1, 2, 3], [4, 5, 6], [7, 8, None]]",
        "[1,2,3,4,5,6,7,8,null]",
        "1 2 3\n4 5 6\n7 8  \n",
        " 1  2  3\n 4  5  6\n 7  8   \n",
        "123\n456\n78 \n",
        "# don't\n\"1 2 3/4 5 6/7 8 0\"",
    ] {
        assert_eq!(read(text, None), "1 2 3/4 5 6/7 8 0", "{text}");
    }
    for text in [
        "1 2 3 4/5 6 7 8/9 A B C/D E F 0",
        "1 2 3 4\n5 6 7 8\n9 a b c\nd e f _\n",
        "[1,2,3,4,5,6,7,8,9,A,B,C,D,E,F,0]",
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0",
    ] {
        assert_eq!(read(text, None), "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0", "{text}");
    }
    // A blank first or last in a row, with and without lines around the board.
    assert_eq!(read("| | 1 |\n| 3 | 2 |", None), "0 1/3 2");
    assert_eq!(read(" | 1\n3 | 2", None), "0 1/3 2");
    assert_eq!(read(",1\n3,2", None), "0 1/3 2");
    // UTF-16, as PowerShell writes it.
    for units in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = "\u{feff}1 2\r\n3 0\r\n".encode_utf16().flat_map(units).collect();
        assert_eq!(read_board_bytes(&bytes, None).unwrap().to_string(), "1 2/3 0");
        let cut = refused(&bytes[..bytes.len() - 1], None);
        assert!(cut.contains("is not text"), "{cut}");
    }
}

#[test]
fn every_notation_is_read() {
    let eight = "1 2 3/4 5 6/7 8 0";
    for text in [
        "1 2 3/4 5 6/7 8 0",
        " 1  2\t3 / 4 5 6 / 7 8 0 /\n",
        "1 2 3/\n4 5 6/\n7 8 0\n",
        "[[1,2,3],[4,5,6],[7,8,0]]",
        "[\n [1, 2, 3],\n [4, 5, 6],\n [7, 8, 0]\n]\n",
        "[\n [\n  1,\n  2,\n  3\n ],\n [4,\n5,6], [7,8,0]]",
        "((1,2,3),(4,5,6),(7,8,0))",
        "[(1, 2, 3), (4, 5, 6), (7, 8, 0)]",
        "{{1,2,3},{4,5,6},{7,8,0}};",
        "[1,2,3],[4,5,6],[7,8,0]",
        "[1 2 3]\n[4 5 6]\n[7 8 0]",
        "[[1 2 3]\n [4 5 6]\n [7 8 0]]",
        "1,2,3,4,5,6,7,8,0",
        "1 2 3 4 5 6 7 8 0",
        "[1,2,3,4,5,6,7,8,0]",
        "[\n  1,\n  2,\n  3,\n  4,\n  5,\n  6,\n  7,\n  8,\n  0\n]\n",
        "[1 2 3; 4 5 6; 7 8 0]",
        "123456780",
        "12345678_",
        "[123456780]",
        "123/456/780",
        "123\n456\n78b\n",
        "1 2 3\n4 5 6\n7 8 0",
        "\n\n1 2 3\n\n4 5 6\r\n\r\n7 8 0\n\n",
        "1,2,3\r4,5,6\r7,8,0\r",
        "1;2;3\n4;5;6\n7;8;0",
        "3\n1 2 3\n4 5 6\n7 8 0",
        "3x3\n1 2 3\n4 5 6\n7 8 0",
        "3X3\n1 2 3 4 5 6 7 8 0",
        "3\n1 2 3 4 5 6 7 8 0",
        "3×3\n1,2,3,4,5,6,7,8,0",
        "3\n[[1,2,3],[4,5,6],[7,8,0]]",
        "3\n1 2 3/4 5 6/7 8 0",
        "3\n123456780",
        "3\n123\n456\n780",
        "3x3\n123\n456\n780",
        "3\n1\n2\n3\n4\n5\n6\n7\n8\n0",
        "# a comment\n3 # size\n1 2 3# no space\n#\n4 5 6\n7 8 0 # [ ( / 9\n# end",
        "[[1,2,3], # the first\n [4,5,6],\n [7,8,0]]",
        "\u{feff}1 2 3/4 5 6/7 8 0",
        "01 02 03/04 05 06/07 08 00",
        "1\u{a0}2\u{3000}3/4 5 6/7 8 0",
    ] {
        assert_eq!(read(text, None), eight, "{text:?}");
        assert_eq!(read(text, Some(size("3"))), eight, "{text:?}");
    }
    for blank in ["0", "b", "B", "_", "*", "x", "X", "."] {
        assert_eq!(read(&format!("1 2 3/4 5 6/7 8 {blank}"), None), eight);
        assert_eq!(read(&format!("[1,2,3,4,5,6,7,8,{blank}]"), None), eight);
        assert_eq!(read(&format!("12345678{blank}"), None), eight);
        // With an x these look like sizes.
        assert_eq!(read(&format!("1234{blank}5678"), None), "1 2 3/4 0 5/6 7 8");
        assert_eq!(read(&format!("1{blank}2/345/678"), None), "1 0 2/3 4 5/6 7 8");
        assert_eq!(read(&format!("1{blank}2\n345\n678"), None), "1 0 2/3 4 5/6 7 8");
    }
}

#[test]
fn rows_make_rectangles() {
    for (text, board) in [
        ("0", "0"),
        ("[[0]]", "0"),
        ("[[1,2,0]]", "1 2 0/"),
        ("1 2 3 0/", "1 2 3 0/"),
        ("120/", "1 2 0/"),
        ("1\n2\n0", "1/2/0"),
        ("1/2/0", "1/2/0"),
        ("4\n1\n2\n3\n0", "4/1/2/3/0"),
        ("[[1],[2],[0]]", "1/2/0"),
        ("2x4\n1 2 3 4 5 6 7 0", "1 2 3 4/5 6 7 0"),
        ("2x4\n1 2 3 4\n5 6 7 0", "1 2 3 4/5 6 7 0"),
        ("2x4\n1234\n5670", "1 2 3 4/5 6 7 0"),
        ("123/400", "1 2 3/4 0 0"),
        ("1 2 0 b", "1 2/0 0"),
        ("....", "0 0/0 0"),
        ("1x4\n1 2 3 0", "1 2 3 0/"),
        ("1x1\n0", "0"),
        ("1\n0", "1/0"),
        // Both readings are boards: a size is the likelier.
    ] {
        assert_eq!(read(text, None), board, "{text:?}");
    }
}

#[test]
fn a_size_is_heeded() {
    for (text, given, board) in [
        ("1 2 3 4 5 6 7 0", "2x4", "1 2 3 4/5 6 7 0"),
        ("12345670", "4x2", "1 2/3 4/5 6/7 0"),
        ("1 2 3 0", "1x4", "1 2 3 0/"),
        ("1\n2\n3\n0", "2x2", "1 2/3 0"),
        ("1\n2\n3\n0", "1x4", "1 2 3 0/"),
        ("[1,2,0]", "3x1", "1/2/0"),
        ("2\n1\n2\n3\n0", "2x2", "1 2/3 0"),
        ("3\n1\n2\n0", "2x2", "3 1/2 0"),
        ("1x2", "1x3", "1 0 2/"),
    ] {
        assert_eq!(read(text, Some(size(given))), board, "{text:?}");
    }
    for (text, given, error) in [
        (
            "1 2 3 4\n5 6 7 8\n9 10 11 0",
            "4x3",
            "1:1: the size is 4x3, but there are 3 rows of 4 tiles; \
             the size of these rows is 3x4",
        ),
        (
            "1 2 3/4 5 0",
            "3x2",
            "1:1: the size is 3x2, but there are 2 rows of 3 tiles; \
             the size of these rows is 2x3",
        ),
        (
            "1/2/3/0",
            "2x2",
            "1:1: the size is 2x2, but there are 4 rows of 1 tile; the size of these rows is 4x1",
        ),
        (
            "[[1,2,3,0]]",
            "2x2",
            "1:3: the size is 2x2, but there is 1 row of 4 tiles; the size of these rows is 1x4",
        ),
        (
            "# board\n 3x3\n1 2 3\n4 5 6\n7 8 0",
            "4x4",
            "2:2: the size line says 3x3, but the size given is 4x4; \
             omit the one that is wrong",
        ),
        ("1 2 3 0", "3x3", "1:7: a 3x3 board has 9 cells, not 4; 5 tiles are missing"),
        ("1 2 3 0", "1x3", "1:7: a 1x3 board has 3 cells, not 4; 1 tile is too many"),
        ("0", "1x2", "1:1: a 1x2 board has 2 cells, not 1; 1 tile is missing"),
    ] {
        assert_eq!(refused(text, Some(size(given))), error, "{text:?}");
    }
}

#[test]
fn errors_say_where_what_and_how_to_mend_it() {
    let no_tile = "a tile is a number such as 7, a blank is 0, b, _, *, x or .";
    let as_list = "write [[1,2],[3,0]], or [1,2,3,0]";
    let no_board = "there is no board here; write the tiles row by row: 1 2 3/4 5 6/7 8 0";
    for (text, error) in [
        ("", no_board),
        (" \n\t# nothing\n,;", no_board),
        ("[[], []]", no_board),
        ("hello", &format!("1:1: 'hello' is not a tile's number; {no_tile}")),
        (
            "1 2 3/4 é\u{1b}5 6/7 8 0",
            &format!("1:9: 'é\\u{{1b}}5' is not a tile's number; {no_tile}"),
        ),
        ("é 1\n 2 0", &format!("1:1: 'é' is not a tile's number; {no_tile}")),
        ("1 2\n3 -1", &format!("2:3: '-1' is not a tile's number; {no_tile}")),
        ("1 2 3x4 0", &format!("1:5: '3x4' is not a tile's number; {no_tile}")),
        ("12345678O", &format!("1:1: '12345678O' is not a tile's number; {no_tile}")),
        (
            "1 2 3\n4 5 6\n7 6 0\n",
            "3:3: tile 6 appears twice (first at line 2, column 5); \
             tile 8 is missing; did you mean 8 here?",
        ),
        (
            "123456770",
            "1:8: tile 7 appears twice (first at line 1, column 7); \
             tile 8 is missing; did you mean 8 here?",
        ),
        ("1 2/3 4", "there is no blank; write the blank as 0, b, _, *, x or ."),
        (
            "1 2 3/4 5 6/7 9 0",
            "1:15: tile 9 is out of range: 8 tiles and 1 blank make the numbers 0 to 8; \
             tile 8 is missing; did you mean 8 here?",
        ),
        (
            "1 99999999999999999999999\n0 0",
            "1:3: tile 99999999999999999999999 is out of range: \
             2 tiles and 2 blanks make the numbers 0 to 2; tile 2 is missing; did you mean 2 here?",
        ),
        (
            "1 2 3/4 0 6/7 8 0",
            "1:15: tile 8 is out of range: 7 tiles and 2 blanks make the numbers 0 to 7; \
             tile 5 is missing; is one of the 2 blanks meant to be 5?",
        ),
        (
            "1 0\n2",
            "2:1: row 2 has 1 tile, but row 1 has 2; all rows of a board have the same number of tiles",
        ),
        (
            "123/45/780",
            "1:6: row 2 has 2 tiles, but row 1 has 3; all rows of a board have the same number of tiles",
        ),
        (
            "1/2 3/0",
            "1:5: row 2 has 2 tiles, but row 1 has 1; all rows of a board have the same number of tiles",
        ),
        (
            "1 2 3 4 5 6 7 0",
            "8 tiles in one row are not a square board; \
             give the size, for example 2x4, or end each row with /",
        ),
        (
            "120",
            "3 tiles in one row are not a square board; \
             give the size, for example 1x3, or end each row with /",
        ),
        (
            "4",
            "1:1: the size 4x4 is announced, but no tiles follow; write the tiles below the size",
        ),
        (
            "# only\n 3x4 # this\n",
            "2:2: the size 3x4 is announced, but no tiles follow; write the tiles below the size",
        ),
        (
            "4\n2 7 5\n6 0 4\n1 3 8",
            "2:1: the size is 4x4, but there are 3 rows of 3 tiles; the size of these rows is 3x3",
        ),
        (
            "4\n2 7 5\n6 0\n1 3 8",
            "2:1: the size is 4x4, but there are 3 rows; a 4x4 board has 4 rows of 4 tiles",
        ),
        (
            "3\n2 7 5\n6 0 4\n1 3 8 4",
            "4:7: row 3 has 4 tiles, but a row of a 3x3 board has 3; 1 tile is too many",
        ),
        (
            "3\n275\n60\n138",
            "3:2: row 2 has 2 tiles, but a row of a 3x3 board has 3; 1 tile is missing",
        ),
        ("3\n1 2 3 4 5 6 7 8", "2:15: a 3x3 board has 9 cells, not 8; 1 tile is missing"),
        ("0x3\n1 2 0", "1:1: a board has at least one row and one column, not 0x3"),
        ("256\n1 2 3\n4 5 0", "1:1: 256x256 is more than 65535 cells"),
        ("[[1,2],[3,0]", "1:1: '[' is never closed; close it with ']'"),
        ("{1,2,3,0", "1:1: '{' is never closed; close it with '}'"),
        ("[[1,2),[3,0]]", "1:6: ')' closes a '['; close it with ']'"),
        ("1 2/3 0]", "1:8: ']' closes nothing; omit it"),
        (
            "[[[1,2],[3,0]]]",
            &format!(
                "1:3: the brackets are neither one list of tiles nor a list of rows; {as_list}"
            ),
        ),
        (
            "[1,2,[3,0]]",
            &format!(
                "1:7: the brackets are neither one list of tiles nor a list of rows; {as_list}"
            ),
        ),
    ] {
        assert_eq!(refused(text, None), error, "{text:?}");
    }
}

#[test]
fn what_is_not_text_is_refused() {
    let hint = "save the board as plain UTF-8 text";
    let refused = |bytes: &[u8]| refused(bytes, None);
    assert_eq!(refused(b"1 2\n3 \xff"), format!("2:3: the byte 0xff is not text; {hint}"));
    assert_eq!(refused(b"\xff\xfe1\0 "), format!("the byte 0xff is not text; {hint}"));
    assert_eq!(
        refused("é1\r\0é\u{ff}".as_bytes()),
        format!("2:1: the byte 0x00 is not text; {hint}")
    );
    assert_eq!(refused(b"\xef\xbb\xbf1 \xc3"), format!("1:3: the byte 0xc3 is not text; {hint}"));
    assert_eq!(
        refused(&vec![b'1'; (4 << 20) + 1]),
        "a board has at most 4,194,304 bytes of text, and this is longer; \
         give a file that holds one board"
    );
    assert_eq!(
        read_board_bytes(b"\xef\xbb\xbf1 2\n3 0", None).unwrap(),
        read_board("1 2\n3 0", None).unwrap()
    );
}

#[test]
fn large_boards_are_read_and_large_garbage_is_refused_quickly() {
    let start = Instant::now();
    for (rows, cols) in [(255, 257), (1, MAX_CELLS), (MAX_CELLS, 1)] {
        let size = Size::new(rows, cols).unwrap();
        let board = Board::new(size, (0..MAX_CELLS as Tile).collect()).unwrap();
        for format in [
            BoardFormat::Slashes,
            BoardFormat::Rows,
            BoardFormat::Nested,
            BoardFormat::Flat,
            BoardFormat::Sized,
        ] {
            let text = write_board(&board, format, '0').unwrap();
            assert!(read_board(&text, Some(size)).as_ref() == Ok(&board), "{size} {format}");
        }
    }
    let many = "there are more than 65,535 tiles; a board has at most 65,535 cells, as 255x257 has";
    let length = 3 << 20;
    for (text, error) in [
        ("1 ".repeat(length / 2), many),
        ("1\n".repeat(length / 2), many),
        ("[1],".repeat(length / 4), many),
        ("12345\n".repeat(length / 6), many),
        ("7".repeat(length), many),
        ("1 ".repeat(MAX_CELLS + 1), many),
    ] {
        assert_eq!(refused(text, None), error);
    }
    for unit in ["é", "q", "\u{1b}", "9x", "9 9z", "[", "/", "1x", "#", "\r", "_*"] {
        let mut error = refused(unit.repeat(length / unit.len()), None);
        assert!(error.chars().count() < 400, "{error}");
        error.retain(char::is_control);
        assert_eq!(error, "");
    }
    assert!(refused("9".repeat(length) + " 0 0 0", None).len() < 250);
    assert!(refused("9".repeat(length) + "x9\n1 2/3 0", None).len() < 250);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn student_maps_are_read_or_refused_as_tabled() {
    let table = fs::read_to_string(data("npuzzle42/expected.csv")).unwrap();
    let mut outcomes = [0, 0];
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [file, expected, parse, ..] = fields[..] else { panic!("{line}") };
        let board = read_board_bytes(&fs::read(data("npuzzle42").join(file)).unwrap(), None);
        if parse == "ok" {
            assert_eq!(board.unwrap().size().to_string(), expected, "{file}");
            outcomes[0] += 1;
            continue;
        }
        let fault = board.unwrap_err().fault().clone();
        let as_tabled = match parse {
            "reject: row count" => {
                matches!(fault, ReadFault::NoTiles { .. } | ReadFault::Shape { .. })
            }
            "reject: col count" => matches!(fault, ReadFault::Row { .. }),
            "reject: not a permutation" => {
                matches!(fault, ReadFault::Duplicate { .. } | ReadFault::OutOfRange { .. })
            }
            _ => false,
        };
        assert!(as_tabled, "{file}: {fault}");
        outcomes[1] += 1;
    }
    assert_eq!(outcomes, [17, 8]);
}

#[test]
fn princeton_boards_are_read() {
    let table = fs::read_to_string(data("princeton/expected.csv")).unwrap();
    let mut boards = 0;
    for line in table.lines().skip(1) {
        let mut fields = line.split(',');
        let (file, side) = (fields.next().unwrap(), fields.next().unwrap());
        let bytes = fs::read(data("princeton/boards").join(file)).unwrap();
        assert_eq!(
            read_board_bytes(&bytes, None).unwrap().size().to_string(),
            format!("{side}x{side}")
        );
        boards += 1;
    }
    assert_eq!(boards, fs::read_dir(data("princeton/boards")).unwrap().count());
    assert!(boards > 90);
}

#[test]
fn course_boards_are_read() {
    let text = fs::read_to_string(data("courses/other_course_formats.json")).unwrap();
    let courses: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cases = courses["unsw_comp9024"]["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        let [start, goal] =
            ["start", "goal"].map(|name| read_board(case[name].as_str().unwrap(), None));
        assert_eq!(start.is_err(), case["expect"] == "error");
        assert!(goal.is_ok());
    }
    // As the JSON has it, over many lines.
    let example = &courses["uta_like_json"]["example"];
    let pretty = |name: &str| serde_json::to_string_pretty(&example[name]).unwrap();
    assert_eq!(read(&pretty("start"), None), "7 2 4/5 0 6/8 3 1");
    assert_eq!(read(&pretty("goal"), None), "0 1 2/3 4 5/6 7 8");
}

fn any_size() -> impl Strategy<Value = Option<Size>> {
    proptest::option::of((1..5_usize, 1..5_usize).prop_map(|(r, c)| Size::new(r, c).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>, size in any_size()) {
        if let Err(error) = read_board_bytes(&bytes, size) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    /// Text that looks like boards gets further, and boards that were read can be read again.
    #[test]
    fn what_is_read_is_read_again(
        text in r"[0-3 ]{0,4}[0-9bx_ ,/;#\n\r\t\[\](){}é-]{0,30}|([0-3] ?){1,4}([/\n]([0-3] ?){1,4}){0,3}",
        size in any_size(),
    ) {
        match read_board(&text, size) {
            Ok(board) => {
                prop_assert!(size.is_none_or(|size| size == board.size()));
                prop_assert_eq!(read_board(&board.to_string(), size), Ok(board));
            }
            Err(error) => {
                let mut told = error.to_string();
                write!(told, "{:?}", error.hint()).unwrap();
                prop_assert!(told.len() < 300 && !told.contains(char::is_control), "{told:?}");
                if let Some(place) = error.place() {
                    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
                    let line = lines.split('\n').nth(place.line as usize - 1).unwrap();
                    prop_assert!((1..=line.chars().count()).contains(&(place.column as usize)));
                }
            }
        }
    }
}

#[test]
fn places_are_right_after_a_carriage_return_and_a_name() {
    let place = read_board("\rné((}", None).unwrap_err().place().unwrap();
    assert_eq!((place.line, place.column), (2, 5));
}

#[test]
fn letters_are_tiles_above_nine() {
    let fifteen = "15 14 1 6/9 11 4 12/0 10 7 3/13 8 5 2";
    for text in ["fe169b4c0a73d852", "FE169B4C0A73D852", "fe16/9b4c/0a73/d852", "fe169b4c_a73d852"]
    {
        assert_eq!(read(text, None), fifteen, "{text}");
    }
    // 5x5 up to o, 6x6 up to z; b and x are tiles there.
    let letters = "123456789abcdefghijklmnopqrstuvwxyz0";
    let board = read_board(letters, None).unwrap();
    assert_eq!((board.size().rows(), board.tiles()[10], board.tiles()[32]), (6, 11, 33));
    assert_eq!(read("0123456789ab", Some(size("3x4"))), "0 1 2 3/4 5 6 7/8 9 10 11");
    // As before: digits with a blank, and words that are not boards.
    assert_eq!(read("1234b5678", None), "1 2 3/4 0 5/6 7 8");
    assert!(refused("fe169b4c0a73d85f", None).starts_with("1:16: tile 15 appears twice"));
    for text in ["puzzle04", "boards.txt", "abcdefghi", "fe169b4c0a73d85z"] {
        assert!(refused(text, None).contains("is not a tile's number"), "{text}");
    }
}

#[test]
fn drawn_boards_are_read() {
    let drawn = "┌────┬────┐\n│  1 │    │\n├────┼────┤\n│ 10 │  2 │\n└────┴────┘\n";
    assert!(refused(drawn, None).starts_with("4:3: tile 10 is out of range"));
    assert_eq!(read(&drawn.replace("10", " 3"), None), "1 0/3 2");
}

#[test]
fn spaces_between_columns_are_blanks() {
    assert_eq!(read("1 2 3\n4   6\n7 5 8", None), "1 2 3/4 0 6/7 5 8");
    assert_eq!(read("  1 2\n3 4 5\n6 7 8", None), "0 1 2/3 4 5/6 7 8");
    assert_eq!(
        read(" 1  2  3  4\n 5     7  8\n 9  6 10 12\n13 14 11 15", None),
        "1 2 3 4/5 0 7 8/9 6 10 12/13 14 11 15"
    );
    assert_eq!(read("123\n4 6\n758", None), "1 2 3/4 0 6/7 5 8");
    // Without spaces a tile may be missing instead.
    assert!(refused("1 2 3\n4 6\n7 5 8", None).starts_with("2:"));
    assert!(refused("1 2 3\n4 5\n6 7 8", None).starts_with("2:"));
}

#[test]
fn two_readings_are_asked_back() {
    for (text, one, other, fact) in [
        ("2x3\n100\n000", "2x3", "3x3", "1 0 0/0 0 0 below its size, or 2 0 3/1 0 0/0 0 0"),
        ("3 2\n1 0\n0 0\n0 0", "3x2", "4x2", "1 0/0 0/0 0 below its size, or 3 2/1 0/0 0/0 0"),
    ] {
        let error = refused(text, None);
        assert!(error.contains(fact), "{error}");
        assert!(error.ends_with(&format!("; give the size, {one} or {other}")), "{error}");
        let boards = [one, other].map(|name| read(text, Some(size(name))));
        assert_eq!(format!("{} below its size, or {}", boards[0], boards[1]), fact);
    }
    // A column is a board.
    assert_eq!(read("2\n1\n0\n0\n0", None), "2/1/0/0/0");
}

#[test]
fn moves_from_the_goal_are_a_board_of_a_size() {
    assert_eq!(read("R2DL", Some(size("3x3"))), "1 2 3/5 0 6/4 7 8");
    assert_eq!(read("D, R3", Some(size("4x4"))), "1 2 3 4/5 6 7 8/0 9 10 11/13 14 15 12");
    assert!(refused("R2DL3", None).contains("'R2DL3' is not a tile's number"));
    assert!(refused("L", Some(size("3x3"))).starts_with("move 1 (L): "));
}

#[test]
fn a_forgotten_blank_and_a_doubled_tile() {
    for (text, tiles) in [("12345678", 8), ("1 2 3", 3)] {
        let blank = "in one row are not a square board, and none is a blank; write the blank as 0";
        let blank = format!("{tiles} tiles {blank}, b, _, *, x or .");
        assert_eq!(refused(text, None), blank);
    }
    assert!(refused("1 2 3 4 5 6 7", None).contains("7 tiles in one row"));
    let twice = "tile 8 appears twice (first at line 1, column 8)";
    let hint = "the blank is missing; did you mean 0 here?";
    assert_eq!(refused("123456788", None), format!("1:9: {twice}; {hint}"));
}
