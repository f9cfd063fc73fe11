//! The program as it is used: its real binary, its output, its exit codes, its errors.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
#![allow(clippy::needless_raw_string_hashes, reason = "snapbox writes inline snapshots with them")]

mod ask;
mod audit;
mod auto;
mod batch;
mod boards;
mod checkpoint;
mod cluster;
mod compare;
mod corridor;
mod course_files;
mod courses;
mod documents;
mod enumerate;
mod errors;
mod examples;
mod experiment;
mod explain;
mod full_disk;
mod grade;
mod help;
#[cfg(target_os = "linux")]
mod interrupts;
mod large;
mod messages;
mod outputs;
mod pictures;
mod play;
mod run;
mod schedulers;
mod serve;
mod solve;
mod spaces;
mod tables;
mod tasks;
mod tune;
