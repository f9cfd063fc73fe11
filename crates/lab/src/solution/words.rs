//! Lines of moves and of tiles, with whatever stands around them.

use taquin::{Board, Move, Tile, is_moves};

use super::{Reading, SolutionForm, direction_of};

/// A line that consists of words of a solution.
struct Line {
    words: Vec<Word>,
    /// Whether a label precedes them that does not announce a solution.
    labelled: bool,
}

/// A word of a solution, and the number of characters before it in the text.
struct Word {
    at: usize,
    kind: Kind,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Letters(String),
    Number(Tile),
    /// A word between them, such as `Move` or `tile`.
    Filler,
}

/// Returns the readings of a text as moves, the likeliest first.
pub(super) fn moves(text: &str) -> Vec<Reading> {
    let mut readings = Vec::new();
    if is_moves(text) || text.trim().is_empty() {
        readings.push(Reading::Letters(text.to_owned()));
    }
    let lines = lines(text);
    let sentences: Vec<&Line> = lines.iter().filter(|line| line.pairs().is_some()).collect();
    let pairs: Vec<(Tile, Move)> =
        sentences.iter().filter_map(|line| line.pairs()).flatten().collect();
    if !pairs.is_empty() {
        // Numbers from 1 on may number a list.
        if pairs.len() > 1 && (1..).zip(&pairs).all(|(number, (tile, _))| *tile == number) {
            readings.push(letters(text, &sentences));
        }
        let counts: Vec<String> =
            pairs.iter().map(|(count, step)| format!("{step}{count}")).collect();
        let has_filler = |line: &&Line| line.words.iter().any(|word| word.kind == Kind::Filler);
        let form = match sentences.iter().all(has_filler) {
            true => SolutionForm::Sentences,
            false => SolutionForm::Directed,
        };
        readings.push(Reading::Directed(pairs, form));
        readings.push(Reading::Letters(counts.join(" ")));
    }
    let all: Vec<&Line> = lines.iter().filter(|line| line.numbers().next().is_none()).collect();
    let plain: Vec<&Line> = all.iter().copied().filter(|line| !line.labelled).collect();
    let is_letters = |word: &Word| matches!(word.kind, Kind::Letters(_));
    let mixed: Vec<&Line> = lines.iter().filter(|line| line.words.iter().any(is_letters)).collect();
    for lines in [&plain[..], &all, &all[all.len().saturating_sub(1)..], &mixed] {
        if !lines.is_empty() {
            readings.push(letters(text, lines));
        }
    }
    readings
}

/// Returns the readings of a text as tiles that move, the likeliest first.
pub(super) fn tiles(text: &str, board: &Board) -> Vec<Reading> {
    let largest = board.tiles().iter().max().copied().unwrap_or(0);
    let lines = lines(text);
    let is_tiles = |line: &&Line| {
        line.words.iter().all(|word| match word.kind {
            Kind::Number(tile) => (1..=largest).contains(&tile),
            Kind::Filler => true,
            Kind::Letters(_) => false,
        })
    };
    let all: Vec<&Line> = lines.iter().filter(is_tiles).collect();
    let plain: Vec<&Line> = all.iter().copied().filter(|line| !line.labelled).collect();
    // A number by itself may be the number of moves.
    let (alone, list): (Vec<&Line>, Vec<&Line>) =
        plain.iter().partition(|line| line.numbers().count() == 1);
    let tiles = |lines: &[&Line]| lines.iter().flat_map(|line| line.numbers()).collect();
    let mut readings: Vec<Vec<Tile>> = [&plain, &list, &all].map(|lines| tiles(lines)).into();
    if tiles(&alone) == [readings[1].len() as Tile] {
        readings.swap(0, 1);
    }
    readings.retain(|tiles| !tiles.is_empty());
    readings.into_iter().map(Reading::Tiles).collect()
}

impl Line {
    fn numbers(&self) -> impl Iterator<Item = Tile> {
        self.words.iter().filter_map(|word| match word.kind {
            Kind::Number(number) => Some(number),
            _ => None,
        })
    }

    /// Returns the numbers and directions of a line in which they alternate, as in `Move 7 Left`.
    fn pairs(&self) -> Option<Vec<(Tile, Move)>> {
        let words: Vec<&Kind> = self
            .words
            .iter()
            .map(|word| &word.kind)
            .filter(|kind| **kind != Kind::Filler)
            .collect();
        let pair = |pair: &[&Kind]| match pair {
            [Kind::Number(number), Kind::Letters(letter)] if letter.len() == 1 => {
                Some((*number, letter.chars().next().and_then(Move::from_letter)?))
            }
            _ => None,
        };
        words.chunks(2).map(pair).collect::<Option<Vec<_>>>().filter(|pairs| !pairs.is_empty())
    }
}

/// Returns the letters of some lines, in their places in the text.
fn letters(text: &str, lines: &[&Line]) -> Reading {
    let mut shown: Vec<char> = text.chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    for word in lines.iter().flat_map(|line| &line.words) {
        if let Kind::Letters(letters) = &word.kind {
            let place = shown[word.at..].iter_mut();
            place.zip(letters.chars()).for_each(|(place, letter)| *place = letter);
        }
    }
    Reading::Letters(shown.into_iter().collect())
}

/// Returns the lines that consist of moves and numbers.
fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut offset = 0;
    for line in text.split('\n') {
        let characters: Vec<char> = line.chars().collect();
        lines.extend(read_line(&characters, offset));
        offset += characters.len() + 1;
    }
    lines
}

fn read_line(line: &[char], offset: usize) -> Option<Line> {
    // A value of a Python enumeration has a colon of its own: `<Action.UP: 1>`.
    let colon = line.iter().position(|c| *c == ':').filter(|&at| !line[..at].contains(&'<'));
    let label = colon.map(|at| line[..at].iter().collect::<String>().to_lowercase());
    let begin = colon.map_or(0, |at| at + 1);
    let words = scan(line, begin, offset)?;
    let body = line[begin..].iter().filter(|c| !c.is_whitespace() && !",;".contains(**c));
    if words.is_empty() && !["[]", "()", "[[]]"].contains(&body.collect::<String>().as_str()) {
        return None;
    }
    let Some(label) = label else { return Some(Line { words, labelled: false }) };
    let label: Vec<&str> =
        label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if label.iter().any(|word| PERSONAL.contains(word)) {
        return None;
    }
    // `Step 2: Up` is an item of a list, `Steps: 2` a figure.
    let is_item = label.last().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let is_figure = matches!(words[..], [Word { kind: Kind::Number(_), .. }]);
    let announces = label.iter().any(|word| ANNOUNCING.contains(word)) && !is_figure;
    Some(Line { words, labelled: !is_item && !announces })
}

/// Returns the words of a line from `begin` on, or nothing if another word is among them.
fn scan(line: &[char], begin: usize, offset: usize) -> Option<Vec<Word>> {
    let is_arrow = |c: char| direction_of(c.encode_utf8(&mut [0; 4])).is_some();
    let character = |at: usize| line.get(at).copied().unwrap_or(' ');
    let mut words = Vec::new();
    let mut at = begin;
    while at < line.len() {
        let from = at;
        let c = line[at];
        at += 1;
        if matches!(c, '-' | '=') && character(at) == '>' {
            at += 1;
        } else if c == '<' && character(at).is_alphabetic() && line[at..].contains(&'>') {
            // The name of the value follows.
        } else if c == ':' && line[..from].contains(&'<') {
            at += line[at..].iter().position(|c| *c == '>').map_or(0, |end| end + 1);
        } else if c.is_alphanumeric() {
            at += line[at..].iter().take_while(|c| c.is_alphanumeric()).count();
            let digits = line[from..at].iter().take_while(|c| c.is_ascii_digit()).count();
            let (number, word): (String, String) = (
                line[from..from + digits].iter().collect(),
                line[from + digits..at].iter().collect(),
            );
            let is_item = ".):".contains(character(at))
                && line[at + 1..]
                    .iter()
                    .find(|c| !" '\"".contains(**c))
                    .is_some_and(|c| c.is_alphanumeric() || is_arrow(*c));
            if digits > 0 && !(word.is_empty() && is_item) {
                words.push(Word { at: offset + from, kind: Kind::Number(number.parse().ok()?) });
            }
            if word.is_empty() {
                continue;
            }
            let letters = match direction_of(&word) {
                Some(step) => step.to_string(),
                None if word.chars().all(is_arrow) => "D".repeat(word.len()),
                None if is_moves(&word) => word,
                None if FILLERS.contains(&word.to_lowercase().as_str()) => {
                    words.push(Word { at: offset + from, kind: Kind::Filler });
                    continue;
                }
                // The name before a dot, as in `Action.UP`.
                None if character(at) == '.' && character(at + 1).is_alphabetic() => continue,
                None => return None,
            };
            words.push(Word { at: offset + from + digits, kind: Kind::Letters(letters) });
        } else if let Some(step) = direction_of(c.encode_utf8(&mut [0; 4])) {
            words.push(Word { at: offset + from, kind: Kind::Letters(step.to_string()) });
        }
    }
    Some(words)
}

/// Words of the labels of lines that have a solution.
const ANNOUNCING: [&str; 8] =
    ["solution", "path", "move", "moves", "step", "steps", "answer", "actions"];

/// Words of the labels of lines about the author.
const PERSONAL: [&str; 10] =
    ["name", "student", "author", "id", "sid", "group", "team", "email", "course", "date"];

/// Words between the moves.
const FILLERS: [&str; 11] =
    ["start", "move", "moves", "tile", "tiles", "slide", "step", "steps", "to", "the", "then"];
