//! Values that are expensive to make: one cell per key, and a bound on their memory.
//!
//! Values are built without holding a lock. Callers that need the same value wait, and stop waiting
//! when cancelled. Callers that need a different value do not wait. When the values together take
//! more memory than allowed, the least recently used ones are dropped. A dropped value stays alive
//! while a caller holds it.

use std::any::Any;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use taquin_search::Monitor;

/// How often a waiting thread looks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

type Value = Arc<dyn Any + Send + Sync>;

/// Values by their keys. All values of one key have the same type.
#[derive(Debug)]
pub(crate) struct Cache<K> {
    cells: Mutex<Cells<K>>,
    /// Signals that a value is ready, or will not be made.
    changed: Condvar,
    most_bytes: u64,
}

#[derive(Debug)]
struct Cells<K> {
    by_key: HashMap<K, Cell>,
    bytes: u64,
    /// Counts the uses, so that the least recent one is known.
    uses: u64,
}

#[derive(Debug)]
enum Cell {
    Building,
    Ready { value: Value, bytes: u64, used: u64 },
}

/// Waiting for a value was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cancelled;

impl<K: Clone + Eq + Hash> Cache<K> {
    /// An empty cache of at most `most_bytes` bytes.
    pub(crate) fn new(most_bytes: u64) -> Self {
        let cells = Cells { by_key: HashMap::new(), bytes: 0, uses: 0 };
        Self { cells: Mutex::new(cells), changed: Condvar::new(), most_bytes }
    }

    /// Returns the value of a key if it is ready.
    pub(crate) fn get<V: Send + Sync + 'static>(&self, key: &K) -> Option<Arc<V>> {
        self.lock().get(key)?.downcast().ok()
    }

    /// Returns whether the value of a key is ready.
    pub(crate) fn has(&self, key: &K) -> bool {
        self.lock().get(key).is_some()
    }

    /// Returns a key's value, and makes it first if it does not exist. `make` also returns the
    /// value's bytes.
    pub(crate) fn get_or_make<V, E>(
        &self,
        key: &K,
        monitor: &Monitor,
        make: impl FnOnce() -> Result<(Arc<V>, u64), E>,
    ) -> Result<Arc<V>, E>
    where
        V: Send + Sync + 'static,
        E: From<Cancelled>,
    {
        self.get_or_replace(key, monitor, |_| true, make)
    }

    /// Does the same, but makes a new value if the present one does not suffice.
    pub(crate) fn get_or_replace<V, E>(
        &self,
        key: &K,
        monitor: &Monitor,
        suffices: impl Fn(&V) -> bool,
        make: impl FnOnce() -> Result<(Arc<V>, u64), E>,
    ) -> Result<Arc<V>, E>
    where
        V: Send + Sync + 'static,
        E: From<Cancelled>,
    {
        let mut cells = self.lock();
        loop {
            if let Some(value) = cells.get(key) {
                let value = value.downcast().expect("all values of a key have one type");
                if suffices(&value) {
                    return Ok(value);
                }
                cells.remove(key);
            }
            if !cells.by_key.contains_key(key) {
                break;
            }
            if monitor.is_cancelled() {
                return Err(Cancelled.into());
            }
            let waited = self.changed.wait_timeout(cells, POLL_INTERVAL);
            cells = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        cells.by_key.insert(key.clone(), Cell::Building);
        drop(cells);
        // A value that could not be made, even because of a panic, can be tried again.
        let building = Building { cache: self, key };
        let (value, bytes) = make()?;
        std::mem::forget(building);
        self.put(key, &value, bytes);
        Ok(value)
    }

    /// Stores the value of a key.
    pub(crate) fn put<V: Send + Sync + 'static>(&self, key: &K, value: &Arc<V>, bytes: u64) {
        let mut cells = self.lock();
        let value: Value = Arc::<V>::clone(value);
        cells.remove(key);
        cells.uses += 1;
        cells.bytes += bytes;
        let used = cells.uses;
        cells.by_key.insert(key.clone(), Cell::Ready { value, bytes, used });
        while cells.bytes > self.most_bytes {
            let used = |(key, cell): (&K, &Cell)| match cell {
                Cell::Ready { used, .. } => Some((*used, key.clone())),
                Cell::Building => None,
            };
            let oldest = cells.by_key.iter().filter_map(used).min_by_key(|(used, _)| *used);
            match oldest {
                Some((oldest, key)) if oldest != cells.uses => cells.remove(&key),
                // The newest value alone may take more.
                _ => break,
            }
        }
        self.changed.notify_all();
    }

    /// Drops the values of some keys.
    pub(crate) fn remove(&self, is_removed: impl Fn(&K) -> bool) {
        let mut cells = self.lock();
        let keys: Vec<K> = cells.by_key.keys().filter(|key| is_removed(key)).cloned().collect();
        for key in keys {
            // The thread that builds a value finishes it.
            if matches!(cells.by_key.get(&key), Some(Cell::Ready { .. })) {
                cells.remove(&key);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Cells<K>> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash> Cells<K> {
    fn get(&mut self, key: &K) -> Option<Value> {
        self.uses += 1;
        match self.by_key.get_mut(key)? {
            Cell::Building => None,
            Cell::Ready { value, used, .. } => {
                *used = self.uses;
                Some(Arc::clone(value))
            }
        }
    }

    fn remove(&mut self, key: &K) {
        if let Some(Cell::Ready { bytes, .. }) = self.by_key.remove(key) {
            self.bytes -= bytes;
        }
    }
}

/// Empties the cell of a value that is not made after all.
struct Building<'a, K: Clone + Eq + Hash> {
    cache: &'a Cache<K>,
    key: &'a K,
}

impl<K: Clone + Eq + Hash> Drop for Building<'_, K> {
    fn drop(&mut self) {
        self.cache.lock().remove(self.key);
        self.cache.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    fn make(value: u64, bytes: u64) -> impl FnOnce() -> Result<(Arc<u64>, u64), Cancelled> {
        move || Ok((Arc::new(value), bytes))
    }

    #[test]
    fn a_value_is_made_once_and_others_are_not_held_up() {
        let (cache, monitor) = (Cache::new(100), Monitor::default());
        let (begun, has_begun) = channel();
        let (finish, may_finish) = channel::<()>();
        thread::scope(|scope| {
            let (cache, monitor) = (&cache, &monitor);
            scope.spawn(move || {
                cache.get_or_make(&"slow", monitor, || {
                    begun.send(()).unwrap();
                    may_finish.recv().unwrap();
                    Ok::<_, Cancelled>((Arc::new(1_u64), 1))
                })
            });
            has_begun.recv().unwrap();
            assert_eq!(cache.get::<u64>(&"slow"), None);
            assert_eq!(*cache.get_or_make(&"quick", monitor, make(2, 1)).unwrap(), 2);
            let impatient = Monitor::default();
            impatient.cancel();
            assert_eq!(cache.get_or_make(&"slow", &impatient, make(3, 1)), Err(Cancelled));
            let waiting = scope.spawn(|| cache.get_or_make(&"slow", monitor, make(4, 1)));
            finish.send(()).unwrap();
            assert_eq!(*waiting.join().unwrap().unwrap(), 1, "it was made once");
        });
    }

    #[test]
    fn a_value_that_does_not_suffice_is_replaced() {
        let (cache, monitor) = (Cache::new(10), Monitor::default());
        let get = |least: u64, made: u64| {
            let suffices = |value: &u64| *value >= least;
            *cache.get_or_replace(&1, &monitor, suffices, make(made, 8)).unwrap()
        };
        assert_eq!([get(2, 3), get(3, 7), get(5, 6), get(1, 9)], [3, 3, 6, 6]);
    }

    #[test]
    fn a_failure_can_be_tried_again() {
        let (cache, monitor) = (Cache::new(100), Monitor::default());
        let failed = cache.get_or_make(&1, &monitor, || Err::<(Arc<u64>, u64), _>(Cancelled));
        assert_eq!(failed, Err(Cancelled));
        assert_eq!(*cache.get_or_make(&1, &monitor, make(7, 1)).unwrap(), 7);
    }

    #[test]
    fn memory_is_bounded_and_the_least_recently_used_value_goes_first() {
        let (cache, monitor) = (Cache::new(10), Monitor::default());
        for key in 1..=3 {
            cache.get_or_make(&key, &monitor, make(key, 4)).unwrap();
            cache.get::<u64>(&1);
        }
        let held = [1, 2, 3].map(|key| cache.get::<u64>(&key).is_some());
        assert_eq!(held, [true, false, true]);
        // One that is larger than the bound is held alone.
        cache.get_or_make(&4, &monitor, make(4, 50)).unwrap();
        let held = [1, 3, 4].map(|key| cache.get::<u64>(&key).is_some());
        assert_eq!(held, [false, false, true]);
    }
}
