//! The processes of a Slurm step.
//!
//! Slurm writes node lists in a short form, `n[01-03,7],m2`, and the number of tasks on each as
//! `2(x3),1`. Tasks are numbered node by node, unless another distribution was requested, which is
//! noticed.

use crate::hosts::HostsError;

/// The most nodes and tasks that are read.
const MAX_COUNT: usize = 1 << 16;

/// The first port, to which the last digits of the job's number are added.
const FIRST_PORT: u64 = 20_000;

/// Returns the addresses of all tasks, and which of them this is.
pub(crate) fn processes(
    variable: impl Fn(&str) -> Option<String>,
) -> Result<(Vec<String>, usize), HostsError> {
    // The step's variables, or the job's.
    let either = |names: [&'static str; 2]| {
        let found = names.into_iter().find_map(|name| Some((name, variable(name)?)));
        found.ok_or(HostsError::Variable(names[0]))
    };
    let (name, value) = either(["SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"])?;
    let wrong = |name, value: &str| HostsError::Value { name, value: taquin_tiles::excerpt(value) };
    let nodes = expand(&value).ok_or_else(|| wrong(name, &value))?;
    let (name, value) = either(["SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"])?;
    let tasks = counts(&value).filter(|tasks| tasks.len() == nodes.len());
    let tasks = tasks.ok_or_else(|| wrong(name, &value))?;
    let number = |name: &'static str| {
        let value = variable(name).ok_or(HostsError::Variable(name))?;
        value.parse::<u64>().map_err(|_| wrong(name, &value))
    };
    let process = number("SLURM_PROCID")? as usize;
    let port = FIRST_PORT + number("SLURM_JOB_ID")? % 10_000;
    let mut addresses = Vec::new();
    let mut homes = Vec::new();
    for (node, tasks) in nodes.iter().zip(tasks) {
        for task in 0..tasks {
            addresses.push(format!("{node}:{}", port + task as u64));
            homes.push(node);
        }
    }
    if let (Some(&expected), Some(found)) = (homes.get(process), variable("SLURMD_NODENAME"))
        && *expected != found
    {
        let expected = expected.clone();
        return Err(HostsError::Distribution { process, expected, found });
    }
    Ok((addresses, process))
}

/// Returns the names in a list of nodes.
fn expand(list: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        // The names so far that this item can begin with.
        let mut item = vec![String::new()];
        loop {
            let end = rest.find(['[', ',']).unwrap_or(rest.len());
            let (text, behind) = rest.split_at(end);
            if text.contains(|c: char| !(c.is_ascii_alphanumeric() || "-._".contains(c))) {
                return None;
            }
            for name in &mut item {
                name.push_str(text);
            }
            match behind.strip_prefix('[') {
                Some(inside) => {
                    let (ranges, behind) = inside.split_once(']')?;
                    let numbers = numbers(ranges)?;
                    if item.len() * numbers.len() > MAX_COUNT {
                        return None;
                    }
                    let all = |name: &String| {
                        numbers.iter().map(|number| format!("{name}{number}")).collect::<Vec<_>>()
                    };
                    item = item.iter().flat_map(all).collect();
                    rest = behind;
                }
                None => {
                    rest = behind.strip_prefix(',').unwrap_or(behind);
                    // Nothing behind a comma.
                    if rest.is_empty() && !behind.is_empty() {
                        return None;
                    }
                    break;
                }
            }
            if rest.is_empty() {
                break;
            }
        }
        if item.iter().any(String::is_empty) || names.len() + item.len() > MAX_COUNT {
            return None;
        }
        names.extend(item);
    }
    (!names.is_empty()).then_some(names)
}

/// Returns the numbers of `01-03,7`, as wide as they are written.
fn numbers(ranges: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        if first.is_empty() || !(first.to_owned() + last).chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let (from, to) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        if to < from || to - from >= MAX_COUNT || first.len() > 20 {
            return None;
        }
        all.extend((from..=to).map(|number| format!("{number:0width$}", width = first.len())));
    }
    Some(all)
}

/// Returns the numbers of `2(x3),1`.
fn counts(text: &str) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for item in text.split(',') {
        let (count, times) = match item.split_once("(x") {
            Some((count, times)) => (count, times.strip_suffix(')')?.parse::<usize>().ok()?),
            None => (item, 1),
        };
        let count: usize = count.parse().ok().filter(|count| (1..=MAX_COUNT).contains(count))?;
        if times > MAX_COUNT || all.len() + times > MAX_COUNT {
            return None;
        }
        all.extend(std::iter::repeat_n(count, times));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nodes_are_expanded() {
        let expanded = |list: &str| expand(list).map(|names| names.join(" "));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(expanded("n[01-03,7],m2"), some("n01 n02 n03 n7 m2"));
        assert_eq!(expanded("tux"), some("tux"));
        assert_eq!(expanded("a,b,c"), some("a b c"));
        assert_eq!(
            expanded("r[1-2]n[08-10]-ib"),
            some("r1n08-ib r1n09-ib r1n10-ib r2n08-ib r2n09-ib r2n10-ib")
        );
        assert_eq!(expanded("n[098-101].site"), some("n098.site n099.site n100.site n101.site"));
        for wrong in [
            "",
            ",",
            "a,",
            ",a",
            "a[",
            "a[]",
            "a[1",
            "a[1-]",
            "a[-1]",
            "a[3-1]",
            "a]b",
            "a[x]",
            "a b",
            "a[1-99999999]",
            "a[1-999][1-999]",
            "[1-2",
            "a[99999999999999999999999]",
        ] {
            assert_eq!(expanded(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn tasks_on_each_node_are_counted() {
        assert_eq!(counts("2(x3),1"), Some(vec![2, 2, 2, 1]));
        assert_eq!(counts("16"), Some(vec![16]));
        for wrong in ["", "0", "2(x", "2(x3", "x", "2(3)", "1,", "1(x99999999)"] {
            assert_eq!(counts(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_step_names_its_processes() {
        let variables = |changes: &'static [(&str, &str)]| {
            let usual = [
                ("SLURM_STEP_NODELIST", "n[01-02]"),
                ("SLURM_STEP_TASKS_PER_NODE", "2,1"),
                ("SLURM_PROCID", "2"),
                ("SLURM_JOB_ID", "1230042"),
                ("SLURMD_NODENAME", "n02"),
            ];
            move |name: &str| {
                let all = changes.iter().chain(&usual);
                let value = all.clone().find(|(known, _)| *known == name)?.1;
                (!value.is_empty()).then(|| value.to_owned())
            }
        };
        let addresses = ["n01:20042", "n01:20043", "n02:20042"].map(str::to_owned).to_vec();
        assert_eq!(processes(variables(&[])), Ok((addresses.clone(), 2)));
        let of_job = variables(&[("SLURM_STEP_NODELIST", ""), ("SLURM_JOB_NODELIST", "n01,n02")]);
        assert_eq!(processes(of_job), Ok((addresses, 2)));
        let wrong = |changes| processes(variables(changes)).unwrap_err().to_string();
        assert_eq!(wrong(&[("SLURM_PROCID", "")]), "SLURM_PROCID is not set");
        assert_eq!(wrong(&[("SLURM_PROCID", "x")]), "SLURM_PROCID is 'x'");
        assert_eq!(wrong(&[("SLURM_STEP_NODELIST", "n[")]), "SLURM_STEP_NODELIST is 'n['");
        assert_eq!(
            wrong(&[("SLURM_STEP_TASKS_PER_NODE", "3")]),
            "SLURM_STEP_TASKS_PER_NODE is '3'"
        );
        assert_eq!(wrong(&[("SLURMD_NODENAME", "n01")]), "task 2 should be on n02, and is on n01");
    }
}
