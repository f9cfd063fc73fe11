//! The laboratory: courses and papers as conventions, instance sets, explanations, audits, board
//! drawings, and other spaces on the same kernel.

mod audit;
mod convention;
mod drawing;
mod explain;
pub mod instances;
mod matching;
mod optimum;
pub mod queens;
mod reproduce;
pub mod route;
mod space;
mod trace;
mod tree;

pub use audit::{Audit, AuditError, Branching, Case, Distance, Jump, effective_branching};
pub use convention::{
    COURSES, Choice, Convention, CourseError, CourseMethod, Figure, Figures, PLAIN, Value, What,
    Wording,
};
pub use drawing::{FONTS, draw_board, draw_solution, escaped};
pub use explain::{Behind, ExplainError, Explanation, Known, Ranked, Rival, Successor, explain};
pub use matching::{Match, Matches, Question, Sought, matching};
pub use optimum::{optimum, second_look};
pub use reproduce::{Agreement, Finding, reproduce};
pub use trace::Narrator;
pub use tree::Tree;
