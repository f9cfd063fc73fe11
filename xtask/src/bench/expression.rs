//! Arithmetic in the table of measurements: `sum ours.seconds / sum theirs.seconds`.

use anyhow::{Context as _, Result, ensure};

/// How several values become one; a name without one is summed.
const AGGREGATES: [&str; 6] = ["count", "max", "mean", "median", "missing", "worst"];

/// Looks up an aggregate of a field.
pub(super) type Lookup<'a> = dyn Fn(&str, &str) -> Result<f64> + 'a;

/// Returns the value of numbers and fields, `+ - * /` and parentheses, with spaces between them.
pub(super) fn evaluate(text: &str, lookup: &Lookup<'_>) -> Result<f64> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let value = sum(&mut rest, lookup).with_context(|| format!("'{text}' has no value"))?;
    ensure!(rest.is_empty(), "'{text}' is not understood from '{}' on", rest[0]);
    Ok(if value.is_nan() { f64::INFINITY } else { value })
}

fn sum(words: &mut &[&str], lookup: &Lookup<'_>) -> Result<f64> {
    let mut value = product(words, lookup)?;
    while let [sign @ ("+" | "-"), rest @ ..] = *words {
        *words = rest;
        let next = product(words, lookup)?;
        value += if *sign == "+" { next } else { -next };
    }
    Ok(value)
}

fn product(words: &mut &[&str], lookup: &Lookup<'_>) -> Result<f64> {
    let mut value = factor(words, lookup)?;
    while let [sign @ ("*" | "/"), rest @ ..] = *words {
        *words = rest;
        let next = factor(words, lookup)?;
        value = match *sign {
            // A missing value is infinite, and must not make a ratio small.
            "/" if next.is_infinite() => f64::INFINITY,
            "/" => value / next,
            _ => value * next,
        };
    }
    Ok(value)
}

fn factor(words: &mut &[&str], lookup: &Lookup<'_>) -> Result<f64> {
    let [word, rest @ ..] = *words else { anyhow::bail!("the end comes too early") };
    *words = rest;
    if *word == "(" {
        let value = sum(words, lookup)?;
        ensure!(words.first() == Some(&")"), "a ')' is missing");
        *words = &words[1..];
        return Ok(value);
    }
    match (word.parse(), rest) {
        (Ok(number), _) => Ok(number),
        (_, [name, after @ ..]) if AGGREGATES.contains(word) => {
            *words = after;
            lookup(word, name)
        }
        _ => lookup("sum", word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_the_usual_rules() {
        let lookup = |aggregate: &str, name: &str| match (aggregate, name) {
            ("sum", "a.b") => Ok(7.0),
            ("max", "a.b") => Ok(f64::INFINITY),
            _ => anyhow::bail!("{aggregate} {name} is unknown"),
        };
        for (text, value) in [
            ("a.b - 1 - 2 * 3", 0.0),
            ("(a.b - 1) / (1 + 2) / 2", 1.0),
            ("a.b / max a.b", f64::INFINITY),
            ("max a.b - max a.b", f64::INFINITY),
        ] {
            assert!(evaluate(text, &lookup).unwrap().total_cmp(&value).is_eq(), "{text}");
        }
        for wrong in ["", "1 +", "1 2", "(1", "min a.b", "c"] {
            assert!(evaluate(wrong, &lookup).is_err(), "{wrong}");
        }
    }
}
