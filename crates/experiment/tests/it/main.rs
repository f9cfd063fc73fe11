//! Experiments, comparisons and pictures, checked against independent readers and known figures.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod charts;
mod compare;
mod experiment;
mod store;
