//! The book: checks the documents in docs/, and writes them as pages to target/book.
//!
//! mdBook builds the same sources. This builder uses the same parser, needs no other program, takes
//! a second, and supports panels: a picture below a comment such as `<!-- panel:
//! tree#b=3x3:8.1.3.4.0.2.7.6.5&m=astar:manhattan&s=12 -->` becomes a live panel of the page
//! wherever scripts run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::path;
use crate::words::documents;

/// A chapter in the book, or a part's title.
#[derive(Debug)]
enum Entry {
    Part(String),
    /// The title and the file in docs/.
    Chapter(String, String),
}

/// Checks the book, writes it to `out`, and returns the faults.
pub(crate) fn build(out: &Path) -> anyhow::Result<Vec<String>> {
    let docs = path("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md"))?;
    let entries = entries(&summary);
    let mut faults = coverage(&docs, &entries)?;
    // `cargo xtask page --out target/book/lab` writes the page with the panels.
    let has_lab = out.join("lab/index.html").exists();
    for (name, bytes) in pictures(&docs)? {
        write(&out.join("pictures").join(name), &bytes)?;
    }
    write(&out.join("book.css"), STYLE.as_bytes())?;
    let chapters: Vec<(&str, &str)> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Chapter(title, file) => Some((title.as_str(), file.as_str())),
            Entry::Part(_) => None,
        })
        .collect();
    for (at, (title, file)) in chapters.iter().enumerate() {
        let Ok(text) = fs::read_to_string(docs.join(file)) else { continue };
        let page = Page { docs: &docs, file, has_lab };
        let (body, wrong) = page.render(&text);
        faults.extend(wrong.into_iter().map(|fault| format!("docs/{file}: {fault}")));
        let next = [at.checked_sub(1), Some(at + 1)].map(|at| chapters.get(at?).copied());
        write(&out.join(html_name(file)), framed(title, file, &body, &entries, next).as_bytes())?;
    }
    Ok(faults)
}

/// Builds the book to target/book, and prints the faults.
pub(crate) fn run() -> anyhow::Result<bool> {
    let out = path("target/book");
    let faults = build(&out)?;
    for fault in &faults {
        eprintln!("{fault}");
    }
    if faults.is_empty() {
        println!("{}", out.join("index.html").display());
    }
    Ok(faults.is_empty())
}

fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = file.parent().context("a file in a folder")?;
    fs::create_dir_all(folder)?;
    fs::write(file, bytes).with_context(|| file.display().to_string())
}

/// Reads the chapters of SUMMARY.md.
fn entries(summary: &str) -> Vec<Entry> {
    let link = |line: &str| {
        let (title, file) = line.trim_start_matches("- ").strip_prefix('[')?.split_once("](")?;
        Some(Entry::Chapter(title.to_owned(), file.strip_suffix(')')?.to_owned()))
    };
    let part = |line: &str| line.strip_prefix("# ").map(|title| Entry::Part(title.to_owned()));
    // The first heading is the title of the summary itself.
    summary.lines().skip(1).filter_map(|line| link(line.trim()).or_else(|| part(line))).collect()
}

/// Every document is a chapter, and every chapter is a document.
fn coverage(docs: &Path, entries: &[Entry]) -> anyhow::Result<Vec<String>> {
    let listed: Vec<PathBuf> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Chapter(_, file) => Some(docs.join(file)),
            Entry::Part(_) => None,
        })
        .collect();
    let all = documents(docs)?;
    let unlisted = all.iter().filter(|file| {
        file.file_name().is_some_and(|name| name != "SUMMARY.md") && !listed.contains(file)
    });
    let missing = listed.iter().filter(|file| !file.exists());
    let twice = (1..listed.len()).filter(|&at| listed[..at].contains(&listed[at]));
    Ok(unlisted
        .map(|file| format!("docs/SUMMARY.md does not list {}", file.display()))
        .chain(missing.map(|file| format!("docs/SUMMARY.md lists {}", file.display())))
        .chain(twice.map(|at| format!("docs/SUMMARY.md lists {} twice", listed[at].display())))
        .collect())
}

/// Returns the pictures of the documents.
fn pictures(docs: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut pictures = Vec::new();
    for entry in fs::read_dir(docs.join("pictures"))? {
        let entry = entry?;
        pictures.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
    }
    Ok(pictures)
}

/// A document that becomes a page.
struct Page<'a> {
    docs: &'a Path,
    /// The file in docs/.
    file: &'a str,
    /// Whether the book has the page with its panels.
    has_lab: bool,
}

impl Page<'_> {
    /// Returns the page's HTML, and what is wrong with the document.
    fn render(&self, text: &str) -> (String, Vec<String>) {
        let mut faults = Vec::new();
        let mut events = Vec::new();
        let mut panel: Option<String> = None;
        let mut outside = Vec::new();
        for event in parse(text) {
            match event {
                Event::Html(comment) if comment.trim_start().starts_with("<!-- panel:") => {
                    let address = comment.trim().trim_start_matches("<!-- panel:");
                    let address = address.trim_end_matches("-->").trim();
                    faults.extend(panel_fault(address));
                    panel = Some(address.to_owned());
                }
                // The paragraph after the comment has the still picture.
                Event::Start(Tag::Paragraph) if panel.is_some() => {
                    let address = panel.as_deref().unwrap_or_default();
                    let source = match self.has_lab {
                        true => {
                            format!(" data-src=\"{}lab/?panel={}\"", self.up(), escaped(address))
                        }
                        false => String::new(),
                    };
                    events.push(Event::Html(format!("<div class=\"panel\"{source}>").into()));
                }
                Event::End(TagEnd::Paragraph) if panel.take().is_some() => {
                    events.push(Event::Html("</div>\n".into()));
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    let target = self.target(&dest_url);
                    faults.extend(target.as_ref().err().cloned());
                    // A link out of the book has no target.
                    let target = target.ok().flatten();
                    outside.push(target.is_none());
                    if let Some(target) = target {
                        let dest_url = CowStr::from(target);
                        events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                    }
                }
                Event::End(TagEnd::Link) if outside.pop() == Some(true) => {}
                event => events.push(event),
            }
        }
        let mut body = String::new();
        html::push_html(&mut body, events.into_iter());
        (body, faults)
    }

    /// The way from this page's folder to the folder of the book.
    fn up(&self) -> String {
        "../".repeat(self.file.matches('/').count())
    }

    /// Returns where a link leads in the book, or nothing if it leads outside.
    fn target(&self, link: &str) -> Result<Option<String>, String> {
        if link.contains(':') {
            return Ok(Some(link.to_owned()));
        }
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        // A chapter may be a link to a document elsewhere.
        let from = self.docs.join(self.file);
        let from = fs::canonicalize(&from).unwrap_or(from);
        let target = match file {
            "" => from,
            _ => plain(&from.parent().unwrap_or(self.docs).join(file)),
        };
        if !target.exists() {
            return Err(format!("there is no {file}"));
        }
        if !anchor.is_empty() && target.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&target).map_err(|error| error.to_string())?;
            if !anchors(&text).contains(anchor) {
                return Err(format!("{link} has no such heading"));
            }
        }
        let hash = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
        if file.is_empty() {
            return Ok(Some(hash));
        }
        let docs = fs::canonicalize(self.docs).map_err(|error| error.to_string())?;
        let inside = target.strip_prefix(docs).ok();
        Ok(inside.map(|inside| self.up() + &html_name(&inside.to_string_lossy()) + &hash))
    }
}

/// Returns what is wrong with a panel's address.
fn panel_fault(address: &str) -> Option<String> {
    let (panel, state) = address.split_once('#').unwrap_or((address, ""));
    let is_known = PANELS.contains(&panel) && state.contains("b=");
    (!is_known).then(|| format!("'{address}' is not a panel with a board"))
}

/// The panels of the page that show a board.
const PANELS: [&str; 7] = ["board", "tree", "race", "solvable", "heuristic", "space", "lesson"];

/// Reads a document, with an identifier for each heading.
fn parse(text: &str) -> Vec<Event<'_>> {
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    for at in 0..events.len() {
        if let Event::Start(Tag::Heading { .. }) = events[at] {
            let title = heading(&events[at + 1..]);
            if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
                *id = Some(identifier(&title).into());
            }
        }
    }
    events
}

/// Returns the text of a heading.
fn heading(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let text = |event: &Event<'_>| match event {
        Event::Text(text) | Event::Code(text) => text.to_string(),
        _ => String::new(),
    };
    inside.map(text).collect()
}

/// Returns the identifier of a heading, as code hosts and mdBook make it.
fn identifier(title: &str) -> String {
    let letter = |c: char| match c {
        ' ' => Some('-'),
        _ if c.is_alphanumeric() || "-_".contains(c) => c.to_lowercase().next(),
        _ => None,
    };
    title.chars().filter_map(letter).collect()
}

/// Returns the identifiers of a document's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let id = |event: Event<'_>| match event {
        Event::Start(Tag::Heading { id, level, .. }) if level != HeadingLevel::H6 => {
            id.map(|id| id.to_string())
        }
        _ => None,
    };
    parse(text).into_iter().filter_map(id).collect()
}

/// Returns a path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

/// Returns the name of a chapter's page.
fn html_name(file: &str) -> String {
    let name = match file.rsplit_once('/') {
        Some((folder, "README.md")) => return format!("{folder}/index.html"),
        _ if file == "README.md" => "index.md",
        _ => file,
    };
    name.strip_suffix(".md").map_or_else(|| name.to_owned(), |name| format!("{name}.html"))
}

/// Returns text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Puts the list of chapters and the links to the neighbours around a page.
fn framed(
    title: &str,
    file: &str,
    body: &str,
    entries: &[Entry],
    [back, next]: [Option<(&str, &str)>; 2],
) -> String {
    let up = "../".repeat(file.matches('/').count());
    let plain_title = |title: &str| escaped(&title.replace('\\', ""));
    let item = |entry: &Entry| match entry {
        Entry::Part(title) => format!("<h2>{}</h2>\n", plain_title(title)),
        Entry::Chapter(title, other) => {
            let here = if other == file { " aria-current=\"page\"" } else { "" };
            let title = plain_title(title);
            format!("<a href=\"{up}{}\"{here}>{title}</a>\n", html_name(other))
        }
    };
    let list: String = entries.iter().map(item).collect();
    let neighbour = |chapter: Option<(&str, &str)>, words: &str| {
        chapter.map_or_else(String::new, |(title, file)| {
            format!("<a href=\"{up}{}\">{words}: {}</a>", html_name(file), plain_title(title))
        })
    };
    let (back, next) = (neighbour(back, "Back"), neighbour(next, "Next"));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{} - taquin</title>\n<link rel=\"stylesheet\" href=\"{up}book.css\">\n\
         <nav>\n{list}</nav>\n<main>\n{body}<footer>{back}{next}</footer>\n</main>\n\
         <script>{SCRIPT}</script>\n</html>\n",
        plain_title(title)
    )
}

/// Replaces still pictures by live panels.
const SCRIPT: &str = "for (const one of document.querySelectorAll('.panel[data-src]')) {\
 const frame = document.createElement('iframe'); frame.loading = 'lazy';\
 frame.title = one.querySelector('img')?.alt ?? ''; frame.src = one.dataset.src;\
 one.replaceChildren(frame); }";

/// The style of the book.
const STYLE: &str = "\
:root { color-scheme: light dark; }
body { display: flex; margin: 0; font: 17px/1.55 system-ui, sans-serif; }
nav { flex: none; width: 15rem; height: 100vh; overflow: auto; position: sticky; top: 0; padding: 1rem;
  box-sizing: border-box; font-size: .85rem; border-right: 1px solid #8884; }
nav a { display: block; padding: .1rem 0; color: inherit; text-decoration: none; }
nav a[aria-current] { font-weight: bold; }
nav h2 { font-size: .8rem; margin: 1rem 0 .2rem; opacity: .7; }
main { max-width: 46rem; padding: 1rem 2rem; min-width: 0; }
pre { overflow: auto; padding: .7rem; background: #8882; font-size: .85rem; line-height: 1.4; }
table { border-collapse: collapse; display: block; overflow: auto; }
th, td { border: 1px solid #8886; padding: .2rem .5rem; text-align: left; vertical-align: top; }
img { max-width: 100%; }
.panel iframe { width: 100%; height: 36rem; border: 1px solid #8886; }
footer { display: flex; justify-content: space-between; margin: 2rem 0; gap: 1rem; }
@media (max-width: 50rem) { body { display: block; } nav { width: auto; height: auto; position: static; } }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_has_every_document_and_no_broken_link() {
        let out = std::env::temp_dir().join(format!("taquin-book-{}", std::process::id()));
        let faults = build(&out).unwrap();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let page = fs::read_to_string(out.join("tutorials/astar.html")).unwrap();
        assert!(page.contains("<a href=\"../glossary.html\">"), "{page}");
        assert!(out.join("index.html").exists() && out.join("pictures/page.webp").exists());
        fs::remove_dir_all(&out).unwrap();
    }

    #[test]
    fn a_panel_is_live_where_the_book_has_the_page() {
        let text = "<!-- panel: tree#b=3x3:8.1.3&m=bfs -->\n![a tree](pictures/page.webp)\n\n## A\\* `f`\n";
        let docs = path("docs");
        let render = |has_lab| Page { docs: &docs, file: "trust.md", has_lab }.render(text);
        let (live, faults) = render(true);
        assert!(faults.is_empty(), "{faults:?}");
        let frame = "<div class=\"panel\" data-src=\"lab/?panel=tree#b=3x3:8.1.3&amp;m=bfs\">";
        assert!(live.contains(frame) && live.contains("<h2 id=\"a-f\">"), "{live}");
        let (still, _) = render(false);
        assert!(
            still.contains("<div class=\"panel\"><img") && !still.contains("data-src"),
            "{still}"
        );
    }

    #[test]
    fn broken_links_and_panels_are_found() {
        let docs = path("docs");
        let page = Page { docs: &docs, file: "tutorials/astar.md", has_lab: false };
        for (text, wrong) in [
            ("[a](nothing.md)", 1),
            ("[a](../trust.md#no-such-heading)", 1),
            ("[a](../trust.md#the-proof)", 0),
            ("[a](https://example.org)", 0),
            ("<!-- panel: nothing#b=1 -->\n![a](../pictures/page.webp)", 1),
        ] {
            assert_eq!(page.render(text).1.len(), wrong, "{text}");
        }
        assert!(!page.render("[the code](../../Cargo.toml)").0.contains("href"));
    }
}
