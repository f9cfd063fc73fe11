//! The laboratory: courses and papers as conventions, comparisons, and other spaces on the same kernel.

mod audit;
mod boards;
mod chart;
mod compare;
mod convention;
mod drawing;
pub mod experiment;
mod explain;
mod image;
mod matching;
mod optimum;
mod plots;
pub mod queens;
mod reproduce;
pub mod route;
mod space;
mod trace;
mod tree;

pub use audit::{Audit, AuditError, Branching, Case, Distance, Jump, effective_branching};
pub use boards::{BoardsError, read_boards};
pub use chart::{Axis, Chart, Marks, Point, Series, csv_field, stacked};
pub use compare::{Comparison, EIGHT, Plan, Row, THREE, Verdict};
pub use convention::{
    COURSES, Choice, Convention, CourseError, CourseMethod, Figure, Figures, PLAIN, Value, What,
    Wording,
};
pub use drawing::{draw_board, draw_solution};
pub use explain::{
    Behind, ExplainError, Explanation, Known, Ranked, Rival, Successor, explain, has_steps,
};
pub use image::{ImageError, png};
pub use matching::{Match, Matches, Question, Sought, matching};
pub use optimum::second_look;
pub use plots::{Sample, Samples};
pub use reproduce::{Agreement, Finding, reproduce};
pub use trace::Narrator;
pub use tree::Tree;
