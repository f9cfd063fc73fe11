//! Compares the laboratory with independent implementations and known figures.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod audit;
mod both_ends;
mod course_files;
mod courses;
mod explain;
mod grade;
mod instances;
mod matching;
mod narrator;
mod queens;
mod reproduce;
mod request;
mod route;
mod spaces;
mod weighted;
