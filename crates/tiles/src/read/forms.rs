//! Forms that other programs print: frames, colours, quotes, array literals.
//!
//! [`plain`] removes the text around the tiles without changing its meaning. [`variants`] rewrites
//! a text that is not a board, such as `1-2-3-0`. A variant counts only if it is a board.

use std::borrow::Cow;

/// The lines between the cells of a drawn board.
const BARS: [char; 4] = ['│', '|', '║', '┃'];

/// The characters in a line between the rows of a drawn board.
fn is_rule(character: char) -> bool {
    "+-=:".contains(character) || BARS.contains(&character) || ('─'..='╿').contains(&character)
}

const QUOTES: [char; 7] = ['"', '\'', '`', '“', '”', '‘', '’'];

/// Removes colours, frames, quotes and the program text around a list. Apart from colours, each
/// removed character becomes a space, so places stay the same.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains("\u{1b}[") {
        text = Cow::Owned(without_colours(&text));
    }
    if text.contains(BARS) {
        text = Cow::Owned(without_frame(&text));
    }
    if text.contains(QUOTES) {
        text = Cow::Owned(without_quotes(&text));
    }
    if text.contains(['=', '(', ':']) {
        text = Cow::Owned(without_program(&text));
    }
    text
}

/// Removes the escape sequences of a terminal.
fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    let is_end = |c: char| ('@'..='~').contains(&c);
    pieces.fold(first, |kept, piece| kept + piece.split_once(is_end).map_or("", |(_, rest)| rest))
}

/// Replaces the lines of a drawn board by spaces, and an empty cell by a 0.
fn without_frame(text: &str) -> String {
    let is_row = |line: &&str| line.contains(BARS) && !line.trim().chars().all(is_rule);
    let outside = |cell: fn(&str) -> Option<&str>| {
        text.split('\n')
            .filter(is_row)
            .all(|line| cell(line).is_some_and(|cell| cell.trim().is_empty()))
    };
    let (left, right) =
        (outside(|line| line.split(BARS).next()), outside(|line| line.rsplit(BARS).next()));
    let line = |line: &str| {
        let code = line.split('#').next().unwrap_or_default();
        let trimmed = code.trim();
        if trimmed.chars().count() > 2 && trimmed.chars().all(is_rule) {
            return " ".repeat(code.chars().count()) + &line[code.len()..];
        }
        if !code.contains(BARS) {
            return line.to_owned();
        }
        let cells: Vec<&str> = code.split(BARS).collect();
        let inside = usize::from(left)..cells.len() - usize::from(right);
        let cell = |(at, cell): (usize, &&str)| match cell.trim().is_empty() {
            true if inside.contains(&at) => {
                format!("{}0", " ".repeat(cell.chars().count().saturating_sub(1)))
            }
            _ => cell.replace(|c: char| ('─'..='╿').contains(&c), " "),
        };
        let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
        cells.join(" ") + &line[code.len()..]
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Replaces quotes by spaces, and an empty pair by a 0.
fn without_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_comment = false;
    let mut open: Option<(char, usize)> = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        is_comment = c != '\n' && (is_comment || c == '#');
        let is_double = characters.peek() == Some(&c);
        match open {
            _ if is_comment || !QUOTES.contains(&c) => plain.push(c),
            // A pair that closes is empty if only spaces are in it.
            Some((quote, at)) if quote == c => {
                let is_empty = plain[at..].trim_matches([' ', '\t']).is_empty();
                plain.push(if is_empty { '0' } else { ' ' });
                open = None;
            }
            _ => {
                plain.push(' ');
                let is_long = is_double && {
                    let mut ahead = characters.clone();
                    ahead.next();
                    ahead.next() == Some(c)
                };
                match is_long {
                    // Three quotes are one.
                    true => plain.extend([characters.next(), characters.next()].map(|_| ' ')),
                    false => open = Some((c, plain.len())),
                }
            }
        }
    }
    plain
}

/// Replaces program text around a list by spaces, and a name before a board:
/// `board = np.array([[1, 2], [3, 0]])`, `Start: 1 2/3 0`.
fn without_program(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || " \t._:<>*&[]".contains(c);
    let mut begin = 0;
    if let Some((name, _)) = text.split_once(['=', ':']) {
        let is_named = name.starts_with(char::is_alphabetic) && name.chars().nth(1).is_some();
        if is_named && name.chars().all(is_name) && !name.contains(['/', ',']) {
            begin = name.len() + 1;
        }
    }
    let mut calls = 0;
    loop {
        let rest = &text[begin..];
        let word = rest.trim_start();
        let is_word = word.starts_with(char::is_alphabetic);
        let name = word.find(|c: char| !(c.is_alphanumeric() || "._".contains(c)));
        match (is_word, name.and_then(|end| word[end..].chars().next().zip(Some(end)))) {
            (true, Some(('(', end))) if end > 1 => {
                calls += 1;
                begin = text.len() - word.len() + end + 1;
            }
            (true, Some((' ', 3))) if word.starts_with("new") => {
                begin = text.len() - word.len() + 3;
            }
            (true, Some(('[', end))) if word[end..].starts_with("[]") && end > 1 => {
                let dims = word[end..].len() - word[end..].trim_start_matches("[]").len();
                begin = text.len() - word.len() + end + dims;
            }
            _ => break,
        }
    }
    let is_list = |end: usize| text[end..].starts_with([']', '}']);
    let mut end = text.len();
    if calls > 0 {
        let last = text.rfind([']', '}']).filter(|&last| last >= begin && is_list(last));
        // Without a list in the call, its last bracket closes it.
        end = last.map_or_else(|| text.rfind(')').unwrap_or(end).max(begin), |last| last + 1);
    }
    let blank = |part: &str| -> String {
        part.chars().map(|c| if matches!(c, '\n' | '\r') { c } else { ' ' }).collect()
    };
    blank(&text[..begin]) + &text[begin..end] + &blank(&text[end..])
}

/// Returns other readings of a text that is not a board.
pub(super) fn variants(text: &str) -> impl Iterator<Item = String> {
    [two_number_size, digit_groups, dashes, groups, letters, empty_cells, columns, grid]
        .into_iter()
        .filter_map(|form| form(text))
}

/// Reads a first line such as `3 3` as the size.
pub(super) fn two_number_size(text: &str) -> Option<String> {
    let (first, rest) = text.trim_start().split_once('\n')?;
    let numbers: Vec<&str> =
        first.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
    let [rows, cols] = numbers[..] else { return None };
    let is_number = |text: &str| text.trim_end().bytes().all(|b| b.is_ascii_digit());
    (is_number(rows) && is_number(cols))
        .then(|| format!("{}x{}\n{rest}", rows.trim_end(), cols.trim_end()))
}

/// Separates tiles at dashes: `1-2-3-0`.
fn dashes(text: &str) -> Option<String> {
    text.contains('-').then(|| text.replace('-', " "))
}

/// Makes a row from each group of digits in a single line: `123 506 478`.
fn groups(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_tile = |c: char| c.is_ascii_digit() || super::is_blank(c);
    let is_group =
        |word: &&str| word.len() > 1 && word.len() == words[0].len() && word.chars().all(is_tile);
    let is_line = !text.trim().contains('\n') && words.len() > 1;
    (is_line && words.iter().all(is_group)).then(|| words.join("/"))
}

/// Makes a row of each group of digits between dashes or underscores: `123-406-758`.
fn digit_groups(text: &str) -> Option<String> {
    text.contains(['-', '_']).then(|| groups(&text.replace(['-', '_'], " "))).flatten()
}

/// Reads single letters as the tiles after 9: `9 A B C`.
fn letters(text: &str) -> Option<String> {
    let is_single = |(before, after): (Option<char>, Option<char>)| {
        [before, after].into_iter().flatten().all(|c| !c.is_alphanumeric())
    };
    let characters: Vec<char> = text.chars().collect();
    let tile = |(at, &c): (usize, &char)| {
        let neighbours = (
            at.checked_sub(1).and_then(|at| characters.get(at)).copied(),
            characters.get(at + 1).copied(),
        );
        match c.to_digit(36) {
            Some(value) if c.is_ascii_alphabetic() && is_single(neighbours) => value.to_string(),
            _ => c.to_string(),
        }
    };
    text.contains(|c: char| c.is_ascii_alphabetic())
        .then(|| characters.iter().enumerate().map(tile).collect())
}

/// Reads an empty cell between commas or tabs as a blank: `5,,6`.
fn empty_cells(text: &str) -> Option<String> {
    let separator = [',', ';', '\t'].into_iter().find(|&separator| text.contains(separator))?;
    let rows: Vec<Vec<&str>> = text
        .trim_matches(['\r', '\n'])
        .lines()
        .map(|line| line.split(separator).collect())
        .collect();
    let is_empty = |cell: &str| cell.trim().is_empty();
    let is_flat = !text.contains(['[', '(', '{', '/', '#']);
    (is_flat && rows.iter().flatten().any(|cell| is_empty(cell))).then(|| {
        let cell = |cell: &&str| if is_empty(cell) { "0".to_owned() } else { (*cell).to_owned() };
        let row = |row: &Vec<&str>| row.iter().map(cell).collect::<Vec<_>>().join(" ");
        rows.iter().map(row).collect::<Vec<_>>().join("/")
    })
}

/// Reads a place without a tile as a blank, if the tiles are in columns.
fn columns(text: &str) -> Option<String> {
    let rows: Vec<Vec<(usize, usize)>> =
        text.lines().map(spans).filter(|row| !row.is_empty()).collect();
    let widest = rows.iter().max_by_key(|row| row.len())?.len();
    let full = || rows.iter().filter(|row| row.len() == widest);
    let columns: Vec<(usize, usize)> = (0..widest)
        .map(|col| {
            full()
                .map(|row| row[col])
                .fold((usize::MAX, 0), |all, one| (all.0.min(one.0), all.1.max(one.1)))
        })
        .collect();
    let is_plain = rows.len() > 1 && !text.contains(['[', '(', '{', '/', '#', ',', '\t']);
    let line = |line: &str| -> Option<String> {
        let characters: Vec<char> = line.chars().collect();
        let mut words = spans(line).into_iter().peekable();
        let mut cells = Vec::new();
        for &(begin, end) in &columns {
            match words.next_if(|word| word.0 < end && begin < word.1) {
                Some((from, to)) => cells.push(characters[from..to].iter().collect()),
                // At the end of a line the spaces must be there.
                None if begin < characters.len() => cells.push("0".to_owned()),
                None => return None,
            }
        }
        words.next().is_none().then(|| cells.join(" "))
    };
    let rows = || text.lines().filter(|line| !line.trim().is_empty()).map(line);
    is_plain.then(|| rows().collect::<Option<Vec<_>>>())?.map(|rows| rows.join("\n"))
}

/// Returns where the words of a line begin and end.
fn spans(line: &str) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.chars().enumerate().filter(|(_, c)| !c.is_whitespace()) {
        match spans.last_mut() {
            Some(span) if span.1 == at => span.1 += 1,
            _ => spans.push((at, at + 1)),
        }
    }
    spans
}

/// Reads a space among digits without separators as a blank.
fn grid(text: &str) -> Option<String> {
    let text = text.trim_matches(['\r', '\n']);
    let width = text.lines().next()?.trim_end_matches('\r').len();
    let is_row = |line: &str| {
        line.len() == width && line.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
    };
    let is_grid = width > 1 && text.contains('\n') && text.lines().all(is_row);
    is_grid.then(|| text.replace(' ', "0"))
}
