//! The program's commands that make tables, as hints in the front ends name them.

use std::fmt::Write;

use taquin::{Board, Estimate, NamedGoal, Partition, PatternKind};

/// Returns the command that builds an estimate's databases for `goal`. If the program uses the goal
/// `usual` by default, the command does not name that one.
///
/// ```
/// use taquin::{Board, NamedGoal};
/// use taquin_web::build_command;
///
/// let goal: Board = "1 2 3/4 0 5/6 7 8".parse()?;
/// assert_eq!(
///     build_command(&"pdb=1.2.3/4.5.6".parse()?, &goal, Some(NamedGoal::Last)),
///     "taquin tables build 1.2.3/4.5.6 --size 3x3 --goal 1,2,3/4,0,5/6,7,8"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_command(databases: &Estimate, goal: &Board, usual: Option<NamedGoal>) -> String {
    let Estimate::Pdb { partition, kind } = databases else { return String::new() };
    let mut command = format!("taquin tables build {partition}");
    if Partition::named().all(|(named, _)| named != *partition) {
        let _ = write!(command, " --size {}", goal.size());
    }
    command += &goal_options(goal, usual);
    command
        + match kind {
            PatternKind::Plain => "",
            PatternKind::ZeroAware => " --zero-aware",
        }
}

/// Returns the options that name a goal, with a space before each; nothing for the goal `usual`.
pub fn goal_options(goal: &Board, usual: Option<NamedGoal>) -> String {
    let blanks = goal.blanks().count();
    let is_goal = |named: &NamedGoal| named.board(goal.size(), blanks) == *goal;
    let mut options = match usual.into_iter().chain(NamedGoal::ALL).find(is_goal) {
        named if named.is_some() && named == usual => String::new(),
        Some(named) => format!(" --goal {named}"),
        // Without spaces it needs no quotes.
        None => format!(" --goal {}", goal.to_string().replace(' ', ",")),
    };
    if blanks != 1 {
        let _ = write!(options, " --blanks {blanks}");
    }
    options
}
