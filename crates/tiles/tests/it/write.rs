use proptest::prelude::*;
use taquin_tiles::{
    Board, BoardFormat, ReadFault, Size, Tile, WriteError, read_board, write_board,
};

fn write(board: &str, format: BoardFormat, blank: char) -> String {
    write_board(&board.parse().unwrap(), format, blank).unwrap()
}

#[test]
fn boards_are_written_as_documented() {
    let eight = "1 2 3/4 5 6/7 8 0";
    for (format, blank, text) in [
        (BoardFormat::Slashes, '0', eight),
        (BoardFormat::Rows, '.', "1 2 3\n4 5 6\n7 8 ."),
        (BoardFormat::Nested, '0', "[[1,2,3],[4,5,6],[7,8,0]]"),
        (BoardFormat::Flat, 'b', "1,2,3,4,5,6,7,8,b"),
        (BoardFormat::Digits, '_', "12345678_"),
        (BoardFormat::Sized, '0', "3\n1 2 3\n4 5 6\n7 8 0"),
    ] {
        assert_eq!(write(eight, format, blank), text);
    }
    let wide = "10 1 2 3/4 5 6 7/8 9 11 0";
    assert_eq!(write(wide, BoardFormat::Rows, '*'), "10  1  2  3\n 4  5  6  7\n 8  9 11  *");
    assert_eq!(write(wide, BoardFormat::Sized, '0'), "3x4\n10  1  2  3\n 4  5  6  7\n 8  9 11  0");
    assert_eq!(write("1 2 3/4 5 0", BoardFormat::Digits, 'x'), "123/45x");
    // One row would be a flat list, and could be read as a square.
    for format in [BoardFormat::Slashes, BoardFormat::Rows] {
        assert_eq!(write("1 2 3 0/", format, '0'), "1 2 3 0/");
    }
    assert_eq!(write("1 2 3 0/", BoardFormat::Digits, '0'), "1230/");
    assert_eq!(write("0", BoardFormat::Sized, '0'), "1x1\n0");
    assert_eq!(format!("{:>20}|", eight.parse::<Board>().unwrap()), format!("   {eight}|"));
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let board: Board = "1 2 3 4/5 6 7 8/9 11 10 0".parse().unwrap();
    let digits = write_board(&board, BoardFormat::Digits, '0').unwrap_err();
    assert_eq!(digits, WriteError::Digits(11));
    assert_eq!(digits.to_string(), "tile 11 has more than one digit");
    for blank in ['1', 'q', ' ', '\n', 'é'] {
        let error = write_board(&board, BoardFormat::Flat, blank).unwrap_err();
        assert_eq!(error, WriteError::Blank(blank));
        assert!(!error.to_string().contains('\n'));
    }
}

#[test]
fn formats_have_names() {
    for format in BoardFormat::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
        assert_eq!(format.to_string().to_uppercase().parse(), Ok(format));
    }
    let error = "json".parse::<BoardFormat>().unwrap_err().to_string();
    assert!(BoardFormat::ALL.iter().all(|format| error.contains(format.name())), "{error}");
}

prop_compose! {
    fn any_board()(rows in 1..7_usize, cols in 1..7_usize)
        (tiles in Just((0..(rows * cols) as Tile).collect::<Vec<_>>()).prop_shuffle(),
         blanks in 1..=(rows * cols) as Tile, rows in Just(rows), cols in Just(cols)) -> Board {
        let tiles = tiles.into_iter().map(|tile| tile.saturating_sub(blanks - 1)).collect();
        Board::new(Size::new(rows, cols).unwrap(), tiles).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn what_is_written_is_read(
        board in any_board(),
        format in proptest::sample::select(&BoardFormat::ALL[..]),
        blank in proptest::sample::select(&['0', 'b', 'B', '_', '*', 'x', 'X', '.'][..]),
    ) {
        let text = match write_board(&board, format, blank) {
            Ok(text) => text,
            Err(WriteError::Digits(tile)) if tile > 9 => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        prop_assert_eq!(read_board(&text, Some(board.size())), Ok(board.clone()));
        let is_square = board.size().rows() == board.size().cols();
        if format != BoardFormat::Flat || is_square {
            match read_board(&text, None) {
                // With several blanks the first row can be a size as well.
                Err(error) if matches!(error.fault(), ReadFault::Ambiguous(boards)
                    if boards[1] == (board.size(), board.to_string())) => {}
                read => prop_assert_eq!(read, Ok(board)),
            }
        }
    }
}
