//! `taquin verify`.

use taquin::{
    Session, Task, TaskLimits, Watch, free_memory, read_moves, read_moves_detect, replay,
};

use crate::args::VerifyArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{pair, read_argument, read_goal};
use crate::output::{count, print};
use crate::watch::watched;

pub(crate) fn run(args: &VerifyArgs) -> Outcome {
    let start = read_argument(&args.board, args.size)?;
    let goal = read_goal(&args.goal, &start)?;
    let puzzle = pair(start, goal)?;
    let wrong = |error| Failure::moves(&error, &args.moves);
    let (slides, notation) = match args.notation {
        Some(notation) => {
            (read_moves(&args.moves, args.notation, puzzle.start()).map_err(wrong)?, notation)
        }
        None => read_moves_detect(&args.moves, puzzle.start(), puzzle.goal()).map_err(wrong)?,
    };
    let end = replay(puzzle.start(), &slides).map_err(wrong)?;
    let moves = count(slides.len() as u64, "move", "moves");
    if end != *puzzle.goal() {
        print(&format!("not a solution: {moves} ({notation} notation) end at {end}\n"))?;
        return Ok(1);
    }
    let mut task = Task::new(puzzle, "auto".parse().map_err(|error| Failure::method(&error))?);
    task.limits = TaskLimits {
        seconds: Some(args.time.as_secs_f64()),
        memory: free_memory().map(|bytes| bytes / 2),
        ..TaskLimits::default()
    };
    let report = watched(true, |monitor| Session::new().run(&task, Watch::by(monitor)));
    let given = slides.len() as u64;
    let bound = u64::from(report.lower_bound.unwrap_or(0));
    let verdict = match report.depth {
        _ if given <= bound => "and none is shorter".to_owned(),
        Some(best) if report.optimal => format!("but the shortest has {best}"),
        Some(best) if best < given => {
            format!("but there is one with {best}, and any has at least {bound}")
        }
        _ => format!("and any has at least {bound}; whether there is a shorter one is not known"),
    };
    print(&format!("a solution: {moves} ({notation} notation), {verdict}\n"))?;
    Ok(0)
}
