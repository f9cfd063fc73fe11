//! The laboratory: courses and papers as data, instance sets, explanations, audits, and other
//! spaces on the same kernel.

pub mod amounts;
mod audit;
mod check;
mod course;
mod explain;
mod generate;
pub mod grade;
pub mod instances;
mod listing;
mod matching;
mod narrator;
mod optimum;
pub mod queens;
mod reproduce;
mod request;
pub mod route;
mod solution;
mod space;
mod spaces;
mod toml_reader;
mod tree;
mod tune;
mod verdict;

pub use audit::{Audit, AuditError, Branching, Case, Distance, Jump, effective_branching};
pub use check::Check;
pub use course::{
    CheckedHeuristic, Checks, Choice, Course, CourseError, CourseExample, CourseExamples,
    CourseFileError, CourseGoal, CourseMethod, Dialogue, ExamplesError, Figure, FigureKind,
    Figures, FoundCourse, Published, PublishedRun, Value, Wording,
};
pub use explain::{
    BothEnds, EarlierNode, ExplainError, Explanation, OrderReason, RankedNode, Rival, SearchEnd,
    SideReason, Successor, explain,
};
pub use generate::{Draw, KnownDepths, clock_seed, known_depths, scramble};
pub use listing::{FieldEntry, HeuristicEntry, Listing, NamedEstimate, estimates};
pub use matching::{
    Attempts, Counting, Difference, Match, Matches, Question, TargetCounts, matching,
};
pub use narrator::Narrator;
pub use optimum::{optimum, second_look};
pub use reproduce::{Agreement, Extent, FigureCheck, ReproduceError, reproduce, tables_of};
pub use request::{
    CourseReport, Courses, Request, RequestError, RequestFault, RequestField, ResolvedRequest,
    Setting, check_costs, pair, read_goal, read_goal_of_size, read_start,
};
pub use solution::{NotatedSolution, SolutionError, SolutionForm, read_solution};
pub use spaces::{
    KnownSpace, SpaceGroup, inequivalent_goals, known_groups, known_space, known_spaces,
};
pub use toml_reader::{TomlFault, TomlReader, TomlTable, TomlText, TomlValue};
pub use tree::Tree;
pub use tune::{
    Measurement, SkipReason, SkippedCandidate, TuneError, TuneOptions, TuneProgress, TuneResult,
    candidates, tune,
};
pub use verdict::Verdict;
