//! `taquin list`.

pub(crate) mod courses;
pub(crate) mod methods;

use clap::{Parser, Subcommand};
use serde_json::json;
use taquin_lab::instances::InstanceSet;

use crate::failure::CommandResult;
use crate::instances;
use crate::output::{print, print_json};

/// List methods, course assignments or instance sets
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin list methods
  taquin list courses
  taquin list courses ucr-list     one course with all its rules
  taquin list instances")]
pub(crate) struct ListArgs {
    #[command(subcommand)]
    what: Listed,
}

#[derive(Subcommand, Debug)]
enum Listed {
    Methods(methods::MethodsArgs),
    Courses(courses::CoursesArgs),
    Instances(InstancesArgs),
}

/// List the instance sets
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin list instances
  taquin solve --batch korf100
  taquin compare --instances \"korf100 1..10\" -m ida:linear -m ida:pdb=5-5-5")]
struct InstancesArgs {
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ListArgs) -> CommandResult {
    match &args.what {
        Listed::Methods(args) => methods::run(args),
        Listed::Courses(args) => courses::run(args),
        Listed::Instances(InstancesArgs { json: true }) => {
            let set = |set: &InstanceSet| json!({ "usage": set.usage, "about": set.about });
            print_json(&instances::SETS.iter().map(set).collect::<Vec<_>>())?;
            Ok(0)
        }
        Listed::Instances(_) => {
            print(&(instances::listed() + "\n"))?;
            Ok(0)
        }
    }
}
