//! The laboratory: courses and papers as data, instance sets, explanations, audits, and other spaces
//! on the same kernel.

pub mod amounts;
mod audit;
mod check;
mod course;
mod explain;
mod generate;
pub mod instances;
mod listing;
mod matching;
mod narrator;
mod optimum;
mod prepare;
pub mod queens;
mod reproduce;
mod request;
pub mod route;
mod solution;
mod space;
mod toml_reader;
mod tree;
mod tune;

pub use audit::{Audit, AuditError, Branching, Case, Distance, Jump, effective_branching};
pub use check::Check;
pub use course::{
    Choice, Course, CourseError, CourseFileError, CourseMethod, Dialogue, Figure, Figures,
    NamedSuite, Published, PublishedWhat, Suite, Value, What, Wording,
};
pub use explain::{Behind, ExplainError, Explanation, Known, Ranked, Rival, Successor, explain};
pub use generate::{Draw, KnownDepths, clock_seed, known_depths, scramble};
pub use listing::{FieldEntry, HeuristicEntry, Listing, NamedEstimate, estimates};
pub use matching::{Attempts, Match, Matches, Question, Sought, matching};
pub use narrator::Narrator;
pub use optimum::{optimum, second_look};
pub use prepare::Preparation;
pub use reproduce::{Agreement, Extent, Finding, ReproduceError, reproduce, tables_of};
pub use request::{
    Asked, CourseReport, Courses, Request, RequestError, RequestFault, RequestField, Setting,
    check_costs, pair, read_goal, read_goal_of_size,
};
pub use solution::{SolutionError, SolutionForm, Written, is_moves, read_solution};
pub use toml_reader::{TomlFault, TomlReader, TomlTable, TomlText, TomlValue};
pub use tree::Tree;
pub use tune::{
    LeftOut, Measured, TuneError, TuneOptions, TuneProgress, Tuned, Why, candidates, tune,
};
