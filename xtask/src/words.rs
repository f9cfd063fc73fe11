//! The word check: documents, help strings and comments in plain English.
//!
//! It finds calques that a native reader would stumble over, and documents that use "of" and
//! semicolons more often than English does. `docs/style.md` has the rules.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::path;

/// Phrases that no text of ours uses, each with a better one.
const BANNED: [(&str, &str); 27] = [
    ("are there or", "exist or"),
    ("believed", "valid"),
    ("belongs into", "belongs in"),
    ("be had", "be available"),
    ("beside", "next to, compared with"),
    ("besides", "also, except"),
    ("came of it", "the result"),
    ("circumscribed", "paraphrased"),
    ("come as far", "get there"),
    ("does no harm", "is harmless"),
    ("everybody", "every user, all threads"),
    ("for ever", "forever"),
    ("for want of", "without"),
    ("go on", "continue"),
    ("goes on", "continues"),
    ("has not enough", "does not have enough"),
    ("have not enough", "do not have enough"),
    ("in the mean", "on average"),
    ("is no number", "is not a number"),
    ("nobody", "no thread, no caller"),
    ("of no use", "useless"),
    ("says so", "reports it"),
    ("unless given", "by default"),
    ("went on", "continued"),
    ("whatever was", "anything that was"),
    ("whoever", "a caller that, a thread that"),
    ("whom", "(name the thread, the caller)"),
];

/// Phrases that make persons of code in comments.
const PERSONS: [(&str, &str); 6] = [
    ("believes", "accepts"),
    ("is told", "receives"),
    ("speaks", "sends"),
    ("tells", "reports, shows"),
    ("who", "that"),
    ("wishes", "requests"),
];

/// Words that no sentence begins with: headings and questions do.
const HEADLESS: [&str; 5] = ["what", "who", "whoever", "nobody", "everybody"];

/// Words that make "those" a pronoun without a noun.
const AFTER_THOSE: [&str; 8] = ["for", "in", "of", "that", "who", "whose", "with", "without"];

/// Things that are counted per another, which "a" does not say.
const COUNTED: [&str; 16] = [
    "bits",
    "boards",
    "bytes",
    "events",
    "expansions",
    "instructions",
    "lines",
    "messages",
    "moves",
    "nodes",
    "requests",
    "steps",
    "threads",
    "tiles",
    "times",
    "words",
];

/// The units that they are counted per.
const PER: [&str; 12] = [
    "board", "cell", "entry", "file", "hour", "level", "line", "minute", "move", "node", "row",
    "second",
];

/// The most "of" per thousand words in a document.
const MAX_OF: f64 = 22.0;

/// The most semicolons in a thousand words of a document.
const MAX_SEMICOLONS: f64 = 2.0;

/// The fewest "you" in a thousand words of the README, the tutorials and the how-to pages.
const MIN_YOU: f64 = 12.0;

/// Files in other languages whose comments are checked, with the marks that begin a comment.
const OTHERS: [(&[&str], &[&str]); 2] =
    [(&["*.js", "*.mjs", "*.ts"], &["//", "/**", "* "]), (&["*.toml", "*.py", "*.yml"], &["#"])];

/// How often a text uses the words that are counted.
#[derive(Clone, Copy, Debug, Default)]
struct Rates {
    words: usize,
    of: usize,
    semicolons: usize,
    you: usize,
}

impl Rates {
    fn new(prose: &str) -> Self {
        let mut rates = Self { semicolons: prose.matches(';').count(), ..Self::default() };
        for word in words(prose) {
            rates.words += 1;
            rates.of += usize::from(word == "of");
            rates.you += usize::from(word == "your" || word == "you" || word.starts_with("you'"));
        }
        rates
    }

    fn add(&mut self, other: Self) {
        self.words += other.words;
        self.of += other.of;
        self.semicolons += other.semicolons;
        self.you += other.you;
    }

    /// Whether a count exceeds a rate, for short texts by at least one word.
    fn exceeds(&self, count: usize, most: f64) -> bool {
        count as f64 > (most * self.words as f64 / 1000.0).ceil()
    }

    fn per_thousand(&self, count: usize) -> f64 {
        count as f64 * 1000.0 / self.words.max(1) as f64
    }

    /// Returns the rates that are too high.
    fn faults(&self) -> Vec<String> {
        let (of, semicolons) = (self.per_thousand(self.of), self.per_thousand(self.semicolons));
        let mut faults = Vec::new();
        if self.exceeds(self.of, MAX_OF) {
            faults.push(format!("{of:.1} \"of\" per 1,000 words, at most {MAX_OF}"));
        }
        if self.exceeds(self.semicolons, MAX_SEMICOLONS) {
            faults.push(format!("{semicolons:.1} semicolons, at most {MAX_SEMICOLONS}"));
        }
        faults
    }

    /// Returns a fault if a text for readers rarely addresses them.
    fn few_you(&self) -> Option<String> {
        let you = self.per_thousand(self.you);
        let fault = || format!("{you:.1} \"you\" per 1,000 words, at least {MIN_YOU}");
        (you < MIN_YOU).then(fault)
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [of, semicolons, you] =
            [self.of, self.semicolons, self.you].map(|count| self.per_thousand(count));
        write!(f, "{:6} words  of {of:5.1}  ; {semicolons:5.1}  you {you:5.1}", self.words)
    }
}

/// Checks every document and source file, and returns whether all pass. Prints the faults, and the
/// rates of each document if asked to.
pub(crate) fn check(verbose: bool) -> anyhow::Result<bool> {
    let mut faults = Vec::new();
    let mut all = Rates::default();
    for file in tracked("*.md")? {
        let text = fs::read_to_string(path(&file)).with_context(|| file.clone())?;
        let (sentences, cells) = prose(&text);
        let mut rates = Rates::new(&sentences);
        let few_you = rates.few_you().filter(|_| addresses_reader(&file));
        rates.add(Rates::new(&cells));
        all.add(rates);
        if verbose {
            println!("{rates}  {file}");
        }
        let wrong = rates.faults().into_iter().chain(few_you);
        faults.extend(wrong.map(|fault| format!("{file}: {fault}")));
        let wrong = phrases(&(sentences + "\n" + &cells), false);
        faults.extend(wrong.into_iter().map(|fault| format!("{file}: {fault}")));
    }
    anyhow::ensure!(all.words > 0, "there are no documents");
    if verbose {
        println!("{all}  all documents");
    }
    faults.extend(all.faults().into_iter().map(|fault| format!("all documents: {fault}")));
    for file in tracked("*.rs")? {
        // This file names the phrases.
        if file == "xtask/src/words.rs" {
            continue;
        }
        let text = fs::read_to_string(path(&file)).with_context(|| file.clone())?;
        for (line, comment) in comments(&text, &["//"]) {
            let wrong = phrases(&without_code(&comment), true);
            faults.extend(wrong.into_iter().map(|fault| format!("{file}:{line}: {fault}")));
        }
        if is_for_users(&file) {
            for (line, string) in strings(&text) {
                let wrong = phrases(&without_placeholders(&without_code(&string)), false);
                faults.extend(wrong.into_iter().map(|fault| format!("{file}:{line}: {fault}")));
            }
        }
    }
    for (patterns, marks) in OTHERS {
        for file in
            patterns.iter().map(|pattern| tracked(pattern)).collect::<Result<Vec<_>, _>>()?.concat()
        {
            let text = fs::read_to_string(path(&file)).with_context(|| file.clone())?;
            for (line, comment) in comments(&text, marks) {
                let wrong = phrases(&without_code(&comment), true);
                faults.extend(wrong.into_iter().map(|fault| format!("{file}:{line}: {fault}")));
            }
        }
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    eprintln!(
        "{} in documents, help strings and comments",
        match faults.len() {
            0 => "nothing to change".to_owned(),
            count => format!("{count} things to change"),
        }
    );
    Ok(faults.is_empty())
}

/// Whether a document talks to its reader: the README, tutorials and how-to pages.
fn addresses_reader(file: &str) -> bool {
    let Ok(summary) = fs::read_to_string(path("docs/SUMMARY.md")) else { return false };
    let how_to = summary.split("\n# ").find(|part| part.starts_with("How-to"));
    let is_how_to = |name: &str| how_to.is_some_and(|part| part.contains(&format!("({name})")));
    file == "README.md"
        || file.starts_with("docs/tutorials/")
        || file.strip_prefix("docs/").is_some_and(is_how_to)
}

/// Whether the strings of a source file are help, messages or answers.
fn is_for_users(file: &str) -> bool {
    file.contains("/src/") && (file.starts_with("crates/") || file.starts_with("xtask/"))
}

/// Returns the files of the repository that match a pattern, without links to others.
fn tracked(pattern: &str) -> anyhow::Result<Vec<String>> {
    let listed = Command::new("git").args(["ls-files", pattern]).current_dir(path("")).output()?;
    anyhow::ensure!(listed.status.success(), "git can't list the files");
    let names = String::from_utf8(listed.stdout)?;
    let is_file = |name: &&str| fs::symlink_metadata(path(name)).is_ok_and(|about| about.is_file());
    Ok(names.lines().filter(is_file).map(str::to_owned).collect())
}

/// Returns the sentences and the table cells of a Markdown document: without code, links and tags.
fn prose(text: &str) -> (String, String) {
    let (mut sentences, mut cells) = (String::new(), String::new());
    let mut in_code = false;
    for line in text.lines() {
        let start = line.trim_start();
        if start.starts_with("```") {
            in_code = !in_code;
        } else if !in_code && start.starts_with('|') {
            cells += &line.replace('|', "\n");
        } else if !in_code {
            sentences += line;
            // A heading or a list item ends where its line ends, a paragraph does not.
            sentences.push(if line.starts_with('#') || line.is_empty() { '\n' } else { ' ' });
        }
    }
    let plain = |text: &str| without_code(&without_links(text));
    (plain(&sentences), plain(&cells))
}

/// Replaces code between backticks by one word.
fn without_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part } else { "X" }).collect()
}

/// Replaces the placeholders of a format string.
fn without_placeholders(text: &str) -> String {
    let mut out = String::new();
    let mut is_inside = false;
    for c in text.chars() {
        match c {
            '{' => (is_inside, out) = (true, out + "X"),
            '}' => is_inside = false,
            _ if !is_inside => out.push(c),
            _ => {}
        }
    }
    out
}

/// Removes the targets of links, and tags.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', ']']) {
        let end = match &rest[at..] {
            link if link.starts_with("](") => link.find(')'),
            tag if tag.starts_with('<') => tag.find('>'),
            _ => None,
        };
        out += &rest[..at];
        rest = &rest[at + end.unwrap_or(0) + 1..];
    }
    out + rest
}

/// Returns the words of a text in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_ascii_alphabetic() || "'-".contains(c);
    let words = text.split(move |c: char| !is_part(c));
    let starts = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    words.filter(starts).map(str::to_ascii_lowercase)
}

/// Returns a text's banned phrases, with what to write instead.
fn phrases(text: &str, is_comment: bool) -> Vec<String> {
    let mut faults = Vec::new();
    for sentence in sentences(text) {
        let words: Vec<String> = words(sentence).collect();
        let persons = PERSONS.iter().filter(|_| is_comment);
        for (phrase, better) in BANNED.iter().chain(persons) {
            let phrase_words: Vec<&str> = phrase.split(' ').collect();
            if words.windows(phrase_words.len()).any(|found| found == phrase_words) {
                faults.push(format!("\"{phrase}\": write {better}"));
            }
        }
        if let [first, second, ..] = &words[..]
            && sentence.ends_with('.')
            && (HEADLESS.contains(&first.as_str())
                || first == "those" && AFTER_THOSE.contains(&second.as_str()))
        {
            faults.push(format!("\"{first} {second}\": start with a noun or a verb"));
        }
        for found in words.windows(3).filter(|found| found[1] == "a") {
            if COUNTED.contains(&found[0].as_str()) && PER.contains(&found[2].as_str()) {
                faults.push(format!("\"{}\": write \"per\"", found.join(" ")));
            }
        }
    }
    faults
}

/// Divides a text into sentences, each with its last character.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let is_end = |(at, c): &(usize, char)| {
            let after = rest[at + c.len_utf8()..].chars().next();
            *c == '\n' || ".!?".contains(*c) && after.is_none_or(char::is_whitespace)
        };
        let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, later) = rest.split_at(end);
        rest = later;
        Some(sentence.trim_end())
    })
}

/// Returns the comments of a source file, each with its first line: adjacent lines are one comment.
fn comments(text: &str, marks: &[&str]) -> Vec<(usize, String)> {
    let mut comments: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    let mut in_example = false;
    for (line, code) in (1..).zip(text.lines()) {
        let code = code.trim_start();
        let Some(comment) = marks.iter().find_map(|mark| code.strip_prefix(mark)) else {
            (is_open, in_example) = (false, false);
            continue;
        };
        let comment =
            comment.trim_start_matches(['/', '!', '*', ':']).trim().trim_end_matches("*/");
        if comment.starts_with("```") {
            in_example = !in_example;
        } else if !in_example {
            match comments.last_mut().filter(|_| is_open) {
                // An empty line ends a paragraph, and a heading stands alone.
                Some((_, all)) => {
                    all.push(if comment.is_empty() || comment.starts_with(['#', '-']) {
                        '\n'
                    } else {
                        ' '
                    });
                    *all += comment;
                }
                None => comments.push((line, comment.to_owned())),
            }
            is_open = true;
        }
    }
    comments
}

/// Returns the string literals of a source file that have several words, each with its line.
fn strings(text: &str) -> Vec<(usize, String)> {
    let mut strings = Vec::new();
    for (line, code) in (1..).zip(text.lines()) {
        if code.trim_start().starts_with("//") {
            continue;
        }
        // Part of a string that spans lines is a string of its own. A quotation mark as a character
        // is not one.
        let code = code.replace("'\"'", "' '").replace("\\\"", "'");
        let quoted = code.split('"').skip(1).step_by(2);
        let long = quoted.filter(|string| string.trim().contains(' '));
        strings.extend(long.map(|string| (line, string.to_owned())));
    }
    strings
}

/// Returns every document in a folder and below.
pub(crate) fn documents(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(documents(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_any_case_and_only_as_words() {
        assert_eq!(phrases("It Goes on. Besides, it can be had.", false).len(), 3);
        assert!(phrases("Insides and forgoes only; tellsworth.", true).is_empty());
        assert_eq!(phrases("A caller who waits.", true).len(), 1);
        assert!(phrases("Students who wait.", false).is_empty());
        assert_eq!(
            phrases("It does 30 nodes a second.", false),
            ["\"nodes a second\": write \"per\""]
        );
        assert_eq!(phrases("Done. What is left is kept.", false).len(), 1);
        assert!(phrases("What is left? Do what it says.", false).is_empty());
    }

    #[test]
    fn rates_are_those_of_the_prose() {
        let text =
            "# The end of it\n\nSee [a; b](c;d.md) of `e; of` it.\n\n```\nof; of\n```\n| of ; |\n";
        let (sentences, cells) = prose(text);
        let rates = Rates::new(&sentences);
        assert_eq!((rates.words, rates.of, rates.semicolons), (10, 2, 1), "{sentences}");
        assert!(rates.faults().len() == 1 && rates.few_you().is_some());
        let rates = Rates::new(&cells);
        assert_eq!((rates.words, rates.of, rates.semicolons), (1, 1, 1), "{cells}");
        // A short text may have one of each.
        assert!(Rates::new("Boards of any size; goals too.").faults().is_empty());
        assert_eq!(Rates::new("A board of any of these sizes.").faults().len(), 1);
        let plain = Rates::new("You see your board and you solve it.");
        assert!(plain.faults().is_empty() && plain.few_you().is_none() && plain.you == 3);
    }

    #[test]
    fn comments_and_strings_are_read_from_code() {
        let code = "//! One\n//! two.\n\nfn f() { // not this\n    // three\n    g(\"a b\", \"c\", '\"');\n}\n\
                    /// ```\n/// beside\n/// ```\nfn h() {}\n";
        let found = comments(code, &["//"]);
        assert_eq!(found, [(1, "One two.".to_owned()), (5, "three".to_owned())]);
        assert_eq!(strings(code), [(6, "a b".to_owned())]);
        let script = "/**\n * One\n * two. */\nlet a = 1; // not this\n/** Three. */\n";
        let found = comments(script, &["//", "/**", "* "]);
        assert_eq!(found, [(1, " One two. ".to_owned()), (5, "Three. ".to_owned())]);
        assert_eq!(comments("#: One.\na = 1", &["#"]), [(1, "One.".to_owned())]);
    }

    #[test]
    fn documents_help_and_comments_pass() {
        assert!(check(false).unwrap());
    }
}
