//! Plans that are spread over processes.

use std::fs;

use super::{PLAN, experiment, plan, results};
use crate::run::folder;

#[test]
fn a_plan_in_several_processes_has_the_results_of_one() {
    let folder = folder("experiment-submit");
    let path = plan(&folder, PLAN);
    assert_eq!(experiment(&["run", &path]).code, Some(0));
    let submitted = experiment(&["submit", &path, "--local", "2", "--tasks", "3"]);
    assert_eq!(submitted.code, Some(0), "{}", submitted.err);
    assert!(submitted.out.contains("78 of 78"), "{}", submitted.out);
    let tasks = folder.join("plan-tasks");
    assert_eq!(results(&tasks.join("results.sqlite")), results(&folder.join("plan.sqlite")));
    // A store that is lost is made again; nothing else is.
    fs::remove_file(tasks.join("task-2.sqlite")).unwrap();
    let status = experiment(&["status", tasks.to_str().unwrap()]);
    assert!(status.out.contains("52 of 78"), "{}", status.out);
    assert_eq!(experiment(&["submit", &path, "--local", "2", "--tasks", "3"]).code, Some(0));
    assert!(experiment(&["status", tasks.to_str().unwrap()]).out.contains("78 of 78"));
    let log = fs::read_to_string(tasks.join("logs/1.log")).unwrap();
    assert!(log.contains("26 runs in") && log.contains("0 runs in"), "{log}");
}

#[test]
fn scripts_give_timed_plans_whole_machines() {
    let folder = folder("experiment-submit-script");
    let path = plan(&folder, PLAN);
    let slurm = experiment(&["submit", &path, "--slurm", "--tasks", "5", "--at-once", "2"]).out;
    assert!(slurm.contains("--array=1-5%2 ") && !slurm.contains("--exclusive"), "{slurm}");
    assert!(slurm.contains("--shard \"$index/5\"") && slurm.contains("/task-*.sqlite"), "{slurm}");
    let timed = plan(&folder, &format!("{PLAN}time = \"1s\"\n"));
    let slurm = experiment(&["submit", &timed, "--slurm"]).out;
    assert!(slurm.contains("--exclusive") && slurm.contains("measures time"), "{slurm}");
    assert!(slurm.contains("--array=1-78 "), "{slurm}");
    assert!(experiment(&["submit", &timed, "--hq"]).out.contains("--cpus=all"));
    let told = experiment(&["status", folder.to_str().unwrap()]);
    assert_eq!(told.code, Some(2));
    assert!(told.err.contains("is a directory"), "{}", told.err);
}
