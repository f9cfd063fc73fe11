//! One file for each command.

pub(crate) mod all;
pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod courses;
pub(crate) mod enumerate;
pub(crate) mod experiment;
pub(crate) mod explain;
pub(crate) mod follow;
pub(crate) mod gen_boards;
pub(crate) mod heuristic;
pub(crate) mod match_counts;
pub(crate) mod methods;
pub(crate) mod pdb;
pub(crate) mod queens;
pub(crate) mod reproduce;
pub(crate) mod route;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod verify;
