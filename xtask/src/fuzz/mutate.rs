//! Inputs that are nearly right.

use taquin::Random;

/// The longest input: a mutation that doubles is not repeated forever.
const MAX_BYTES: usize = 1 << 16;

/// Characters that mean something to one reader or another, the first bytes of others among them.
const MEANINGFUL: &[u8] =
    b"0123456789 \t\r\n,;:=/+-.#[](){}\"'_*xXbBUDLRudlrsmhdkKMGTeiB\0\xc3\xef\xff";

/// Numbers at which something could break.
const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "00",
    "9",
    "16",
    "255",
    "65535",
    "65536",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
];

/// One of the seeds with a few changes.
pub(super) fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = pick(seeds, random).clone();
    while {
        change(&mut input, seeds, random);
        // Mostly one change or two, now and then many.
        random.below(5) < 3
    } {}
    input.truncate(MAX_BYTES);
    input
}

fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let part = range(input, random);
    match random.below(9) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = *pick(MEANINGFUL, random);
            }
        }
        2 => input.insert(at, *pick(MEANINGFUL, random)),
        3 => drop(input.drain(part)),
        4 => {
            // A part many times over, which makes quadratic readers slow.
            let room = MAX_BYTES.saturating_sub(input.len()) / part.len().max(1);
            let times = (1 << random.below(12)).min(room);
            let repeated = input[part].repeat(times);
            input.splice(at..at, repeated);
        }
        5 => {
            let other = pick(seeds, random);
            let theirs = range(other, random);
            input.splice(part, other[theirs].iter().copied());
        }
        6 => {
            let moved: Vec<u8> = input.drain(part).collect();
            let at = random.below(input.len() + 1);
            input.splice(at..at, moved);
        }
        7 => {
            input[part].reverse();
        }
        _ => number(input, at, random),
    }
}

/// Replaces the number after a place, if there is one.
fn number(input: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(begin) = input[at..].iter().position(is_digit).map(|offset| at + offset) else {
        return;
    };
    let end = input[begin..].iter().position(|byte| !is_digit(byte));
    let end = end.map_or(input.len(), |offset| begin + offset);
    let value = std::str::from_utf8(&input[begin..end]).ok().and_then(|text| text.parse().ok());
    let new = match (random.below(3), value) {
        (0, Some(value)) => u64::wrapping_add(value, 1).to_string(),
        (1, Some(value)) => u64::wrapping_sub(value, 1).to_string(),
        _ => (*pick(&NUMBERS, random)).to_owned(),
    };
    input.splice(begin..end, new.into_bytes());
}

/// A part of the input, mostly a short one.
fn range(input: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let begin = random.below(input.len() + 1);
    let most = (input.len() - begin).min(1 << random.below(10));
    begin..begin + random.below(most + 1)
}

fn pick<'a, T>(items: &'a [T], random: &mut Random) -> &'a T {
    &items[random.below(items.len())]
}
