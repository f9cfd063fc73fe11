//! Things that are used one at a time, such as devices.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use taquin::WhenBusy;
use taquin_search::Instant;

/// Things that are taken, used and given back.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    /// The devices that are not in use.
    idle: Mutex<Vec<T>>,
    returned: Condvar,
}

impl<T> Pool<T> {
    pub(crate) fn new(all: Vec<T>) -> Self {
        Self { idle: Mutex::new(all), returned: Condvar::new() }
    }

    /// Takes the first item with the least value of `rank`. If all are in use, it waits for one or
    /// returns `None`, at once or after some time.
    pub(crate) fn take<R: Ord>(
        &self,
        when_busy: WhenBusy,
        mut rank: impl FnMut(&T) -> R,
    ) -> Option<Lease<'_, T>> {
        let began = Instant::now();
        let mut idle = self.idle();
        loop {
            let best = (0..idle.len()).min_by_key(|&at| rank(&idle[at]));
            if let Some(at) = best {
                return Some(Lease { pool: self, thing: Some(idle.remove(at)) });
            }
            idle = match when_busy {
                WhenBusy::Fail => return None,
                WhenBusy::Wait => self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner),
                WhenBusy::WaitAtMost(most) => {
                    let left = most.checked_sub(began.elapsed())?;
                    let waited = self.returned.wait_timeout(idle, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<T>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thing in use. It is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Lease<'a, T> {
    pool: &'a Pool<T>,
    thing: Option<T>,
}

impl<T> Lease<'_, T> {
    pub(crate) const fn get(&mut self) -> &mut T {
        self.thing.as_mut().expect("it is there until it is given back")
    }
}

impl<T> Drop for Lease<'_, T> {
    fn drop(&mut self) {
        self.pool.idle().extend(self.thing.take());
        self.pool.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Duration;

    #[test]
    fn each_is_used_once_at_a_time() {
        let pool = Pool::new(vec![5, 3, 9]);
        let mut first = pool.take(WhenBusy::Fail, |&thing| thing).unwrap();
        assert_eq!(*first.get(), 3);
        let mut second = pool.take(WhenBusy::Fail, |&thing| std::cmp::Reverse(thing)).unwrap();
        assert_eq!(*second.get(), 9);
        let third = pool.take(WhenBusy::Fail, |_| 0).unwrap();
        assert!(pool.take(WhenBusy::Fail, |_| 0).is_none());
        drop((second, third));
        *first.get() = 1;
        drop(first);
        assert_eq!(*pool.take(WhenBusy::Fail, |&thing| thing).unwrap().get(), 1);
    }

    #[test]
    fn one_that_is_given_back_in_time_is_taken() {
        let pool = Pool::new(vec![7]);
        let taken = pool.take(WhenBusy::Fail, |_| 0).unwrap();
        assert!(pool.take(WhenBusy::WaitAtMost(Duration::from_millis(1)), |_| 0).is_none());
        let long = WhenBusy::WaitAtMost(Duration::from_secs(600));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| pool.take(long, |_| 0).map(|mut taken| *taken.get()));
            drop(taken);
            assert_eq!(waiting.join().unwrap(), Some(7));
        });
    }

    #[test]
    fn all_are_used_and_whoever_waits_gets_one() {
        let pool = Pool::new(vec![AtomicUsize::new(0), AtomicUsize::new(0)]);
        let both = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (pool, both) = (&pool, &both);
                scope.spawn(move || {
                    for _ in 0..100 {
                        let mut taken = pool.take(WhenBusy::Wait, |_| 0).unwrap();
                        assert_eq!(taken.get().fetch_add(1, Relaxed) % 2, 0);
                        if thread < 2 {
                            // Two are in use at the same time.
                            both.wait();
                        }
                        assert_eq!(taken.get().fetch_add(1, Relaxed) % 2, 1);
                    }
                });
            }
        });
        let uses = pool.idle().iter().map(|count| count.load(Relaxed)).sum::<usize>();
        assert_eq!(uses, 2 * 4 * 100);
    }
}
