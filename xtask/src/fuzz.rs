//! Mutated inputs for everything that reads text or files.
//!
//! Only one thing guides the search: inputs that a reader accepts become seeds, so that inputs
//! drift away from the real ones without becoming noise. Findings are a panic, a law that does not
//! hold for an accepted input, and an input that takes too long.

mod files;
mod mutate;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use taquin::Random;

use crate::bench::cpu_seconds;
use mutate::mutate;
use targets::{Target, targets};

/// The processor time that an input may take.
const SLOW_INPUT: Duration = Duration::from_secs(1);
/// An input that takes this long never ends, however busy the machine is.
const HANG_TIME: Duration = Duration::from_secs(120);
/// The number of accepted inputs that are seeds, in addition to the real ones.
const MAX_FOUND_SEEDS: usize = 500;
/// Longer ones are tried, but not as seeds: they would only become longer.
const MAX_SEED_BYTES: usize = 1_000;

/// Tries inputs for this much processor time; `false`, and the input, if there is a finding.
pub(crate) fn fuzz(time: Duration, seed: Option<u64>) -> Result<bool> {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
    let seed = seed.unwrap_or_else(|| clock() as u64);
    println!("seed {seed}");
    // The default hook would tell of every panic while an input is made smaller.
    std::panic::set_hook(Box::new(|panic| *lock(&LAST_PANIC) = panic.to_string()));
    let mut targets = targets()?;
    let finding = run(&mut targets, time, seed);
    files::clean();
    let python_is_sound = python(time / 10, seed)?;
    for Target { name, tried, accepted, .. } in &targets {
        println!("{name:<10} {tried:>9} inputs, {accepted:>8} accepted");
    }
    if let Some(Finding { target, what, input }) = &finding {
        println!("\n{target}: {what}\ninput: b\"{}\"", input.escape_ascii());
    }
    Ok(finding.is_none() && python_is_sound)
}

/// Calls the Python package with mutated values; `false` if there is a finding, or no package.
fn python(time: Duration, seed: u64) -> Result<bool> {
    let python = crate::python::programs().join("python");
    if !python.is_file() {
        println!("python: not tried, so this run fails; 'cargo xtask python' builds the package");
        return Ok(false);
    }
    let mut command = Command::new(python);
    command
        .arg(crate::path("python/fuzz.py"))
        .args([time.as_secs_f64().to_string(), seed.to_string()]);
    Ok(command.status().context("python can't be started")?.success())
}

/// An input with an unexpected effect.
#[derive(Debug)]
struct Finding {
    target: &'static str,
    what: String,
    input: Vec<u8>,
}

/// The message and the place of the last panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// The current input, and since when it is tried.
static CURRENT: Mutex<Option<(Instant, &'static str, Vec<u8>)>> = Mutex::new(None);

/// Tries inputs, some hundreds for each target in turn, until the time is up or one is a finding.
fn run(targets: &mut [Target], time: Duration, seed: u64) -> Option<Finding> {
    let mut random = Random::new(seed);
    let started = Instant::now();
    // Searches of some targets use threads of their own.
    let processor = || Some(cpu_seconds().ok()?.into_iter().take(2).sum::<f64>());
    let before = processor();
    std::thread::spawn(watch);
    loop {
        for target in &mut *targets {
            for _ in 0..target.turns {
                let input = mutate(&target.seeds, &mut random);
                match attempt(target, &input) {
                    Ok(accepted) => target.note(input, accepted, &mut random),
                    Err(what) => return Some(shrink(target, input, what)),
                }
            }
        }
        let used = processor().zip(before).map(|(now, before)| now - before);
        if used.unwrap_or_else(|| started.elapsed().as_secs_f64()) > time.as_secs_f64() {
            return None;
        }
    }
}

impl Target {
    /// Keeps accepted inputs in addition to the real ones, in the place of earlier ones.
    fn note(&mut self, input: Vec<u8>, accepted: bool, random: &mut Random) {
        self.tried += 1;
        self.accepted += u64::from(accepted);
        if accepted && input.len() <= MAX_SEED_BYTES {
            if self.seeds.len() < self.real + MAX_FOUND_SEEDS {
                self.seeds.push(input);
            } else {
                self.seeds[self.real + random.below(MAX_FOUND_SEEDS)] = input;
            }
        }
    }
}

/// Whether a target accepts an input, or what is wrong.
fn attempt(target: &Target, input: &[u8]) -> Result<bool, String> {
    let mut is_repeated = false;
    loop {
        let (started, before) = (Instant::now(), processor_time());
        *lock(&CURRENT) = Some((started, target.name, input.to_vec()));
        let answer = catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
        *lock(&CURRENT) = None;
        let used = used_since(before).unwrap_or_else(|| started.elapsed());
        match answer {
            Err(_) => return Err(lock(&LAST_PANIC).clone()),
            Ok(answer) if used < SLOW_INPUT => return answer,
            Ok(_) if is_repeated => return Err(format!("took {:.1} s", used.as_secs_f64())),
            Ok(_) => is_repeated = true,
        }
    }
}

/// The CPU time of this thread, if the system reports it: the machine may be busy, and the tests of
/// this module run at the same time.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn used_since(before: Option<Duration>) -> Option<Duration> {
    Some(processor_time()?.saturating_sub(before?))
}

/// Removes parts of an input while the rest still fails.
fn shrink(target: &Target, mut input: Vec<u8>, mut what: String) -> Finding {
    let mut length = input.len() / 2;
    let until = Instant::now() + HANG_TIME;
    while length > 0 && Instant::now() < until {
        let mut at = 0;
        while at + length <= input.len() {
            let mut smaller = input.clone();
            smaller.drain(at..at + length);
            match attempt(target, &smaller) {
                Ok(_) => at += length,
                Err(still) => (input, what) = (smaller, still),
            }
        }
        length /= 2;
    }
    Finding { target: target.name, what, input }
}

/// Ends the program when an input never does.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        if let Some((since, target, input)) = &*lock(&CURRENT)
            && since.elapsed() > HANG_TIME
        {
            println!("\n{target}: does not end\ninput: b\"{}\"", input.escape_ascii());
            std::process::exit(1);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_finds_nothing_and_readers_accept_something() {
        let mut targets = targets().unwrap();
        let finding = run(&mut targets, Duration::from_secs(1), 1);
        files::clean();
        assert!(finding.is_none(), "{finding:?}");
        for Target { name, tried, accepted, .. } in targets {
            // Of files with checksums only few are accepted.
            let some = accepted > 0 || tried < 200;
            assert!(some && accepted < tried, "{name}: {accepted} of {tried} accepted");
        }
    }

    #[test]
    fn what_is_wrong_is_found_and_made_small() {
        let panics: fn(&[u8]) -> Result<bool, String> = |input| {
            assert!(!input.windows(2).any(|pair| pair == b"//"), "two slashes");
            Ok(false)
        };
        let lies: fn(&[u8]) -> Result<bool, String> = |input| match input.contains(&b'9') {
            true => Err("nine".to_owned()),
            false => Ok(true),
        };
        for (check, smallest) in [(panics, "//"), (lies, "9")] {
            let seeds = vec![b"1 2 3/4 5 6/7 8 0".to_vec()];
            let mut targets = [Target::new("planted", seeds, check)];
            let finding = run(&mut targets, Duration::from_secs(30), 1).unwrap();
            assert_eq!(finding.input, smallest.as_bytes(), "{finding:?}");
        }
    }
}
