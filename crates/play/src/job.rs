//! Work on another thread, which ends when its answers are no longer wanted.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use taquin::Monitor;

/// Work on another thread that sends answers. Dropping it cancels the work and discards its
/// remaining answers, so that none is taken for another board's.
#[derive(Debug)]
pub(crate) struct Job<T> {
    monitor: Arc<Monitor>,
    answers: Receiver<T>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts `work`, which should end soon after its monitor is cancelled.
    pub(crate) fn start(work: impl FnOnce(&Arc<Monitor>, &Sender<T>) + Send + 'static) -> Self {
        let monitor = Arc::new(Monitor::default());
        let (sender, answers) = channel();
        let watched = Arc::clone(&monitor);
        thread::spawn(move || work(&watched, &sender));
        Self { monitor, answers }
    }

    /// Returns the latest answer that has come since the last call.
    pub(crate) fn latest(&mut self) -> Option<T> {
        self.answers.try_iter().last()
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.monitor.cancel();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_cancelled() {
        let (sender, receiver) = channel();
        let job = Job::<()>::start(move |monitor, _| {
            while !monitor.is_cancelled() {
                thread::yield_now();
            }
            sender.send("ended").unwrap();
        });
        drop(job);
        assert_eq!(receiver.recv(), Ok("ended"));
    }

    #[test]
    fn the_latest_answer_counts() {
        let mut job = Job::start(|_, answers| {
            (1..=3).for_each(|answer| answers.send(answer).unwrap());
        });
        while job.latest() != Some(3) {
            thread::yield_now();
        }
        assert_eq!(job.latest(), None);
    }
}
