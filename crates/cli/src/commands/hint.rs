//! `taquin hint`.

use std::sync::Arc;

use clap::Parser;
use serde::Serialize;
use taquin::{Ending, Method, Metric, Monitor, Move, Slide, Tile, Watch};

use crate::args::{PuzzleArgs, SearchArgs};
use crate::failure::CommandResult;
use crate::output::{BOLD, PLAIN, count, print, print_json, thousands};
use crate::report::{exit_code, outcome, refusal};
use crate::suggest;
use crate::tables;
use crate::watch::{watched, watched_while_it_improves};

/// Suggest the next move and say how many moves are left
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin hint \"1 2 3/4 0 6/7 5 8\"
  taquin generate 4x4 --seed 1 | taquin hint - --time 1s
  taquin hint 867254301 --goal first --json

The move starts the best solution found. Without --time or --nodes, the search
ends when it stops improving, after 10 s at most. If it prints a range of moves
left, another move may be better.")]
pub(crate) struct HintArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,
    #[command(flatten)]
    search: SearchArgs,
    /// Use the goal of a course or paper (see 'taquin list courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The next move, and the number of moves that are left.
#[derive(Serialize)]
struct NextMove {
    /// Whether the board is solved.
    solved: bool,
    /// The direction of the blank, as a letter.
    #[serde(rename = "move")]
    step: Option<String>,
    /// The tile that moves.
    tile: Option<Tile>,
    /// The direction of the tile.
    direction: Option<&'static str>,
    /// No solution has fewer moves.
    at_least: u32,
    /// A solution with this many moves exists.
    at_most: Option<u64>,
}

pub(crate) fn run(args: &HintArgs) -> CommandResult {
    let mut asked = args.puzzle.ask(args.search.request(args.course.as_deref()))?;
    if args.course.is_some() && args.search.method.is_none() {
        // The course's method may find solutions that are not shortest.
        asked.task.method = Method { metric: asked.task.method.metric, ..Method::default() };
    }
    let session = tables::session();
    tables::prepare(&session, &asked.task)?;
    let search = |monitor: &Arc<Monitor>| session.run(&asked.task, Watch::by(monitor));
    let report = match (args.search.limits.time, args.search.limits.nodes) {
        (None, None) => watched_while_it_improves(search),
        _ => watched(true, search),
    };
    let size = report.puzzle.size();
    let slides = report.moves.as_deref().unwrap_or_default();
    let (longest, at_most) = match report.method.metric {
        Metric::Single => (1, report.depth),
        Metric::Multi => (slides.len(), report.cost.map(u64::from)),
    };
    // The last tile of the segment that slides pushes those before it.
    let goes_on =
        |pair: &&[Slide]| (pair[0].step, pair[0].target(size)) == (pair[1].step, pair[1].blank);
    let tiles = 1 + slides.windows(2).take(longest.saturating_sub(1)).take_while(goes_on).count();
    let moved = slides.get(tiles - 1).map(|slide| {
        let tile = report.puzzle.start().tiles()[usize::from(slide.target(size))];
        (slide.step, tile)
    });
    let next = NextMove {
        solved: report.depth == Some(0),
        step: moved.map(|(step, _)| step.to_string()),
        tile: moved.map(|(_, tile)| tile),
        direction: moved.map(|(step, _)| towards(step.opposite())),
        at_least: report.lower_bound.unwrap_or(0),
        at_most,
    };
    let code = exit_code(report.outcome, report.reason);
    if args.json {
        print_json(&next)?;
        return Ok(code);
    }
    let text = match (report.outcome, moved, next.at_most) {
        (Ending::Unsolvable, ..) => refusal(&report.puzzle),
        (_, _, Some(0)) => "The puzzle is solved.\n".to_owned(),
        (_, Some((step, tile)), Some(most)) => {
            let left = match u64::from(next.at_least) {
                least if least == most => count(most, "move is", "moves are") + " left.",
                least => format!("{} to {} moves are left.", thousands(least), thousands(most)),
            };
            let way = towards(step.opposite());
            let what = match tiles {
                1 => format!("tile {tile}"),
                _ => format!("{tiles} tiles, up to tile {tile},"),
            };
            let blank = towards(step);
            format!("{BOLD}Move {what} {way}{PLAIN} (the blank goes {blank}: {step}). {left}\n")
        }
        _ => outcome(&report),
    };
    print(&text)?;
    Ok(code)
}

/// A direction in a sentence.
const fn towards(step: Move) -> &'static str {
    match step {
        Move::Up => "up",
        Move::Left => "left",
        Move::Right => "right",
        Move::Down => "down",
    }
}
