//! Closures that can fail.

use std::cell::RefCell;
use std::sync::Arc;

use super::Found;
use crate::limits::{Limits, Monitor};

/// Ends a search at the first error of its closures and returns that error.
///
/// ```
/// use taquin_search::{Fallible, ImplicitGraph, Limits};
///
/// fn neighbours(town: &str) -> Result<Vec<(&'static str, u32)>, String> {
///     match town {
///         "Arad" => Ok(vec![("Sibiu", 140), ("Zerind", 75)]),
///         _ => Err(format!("no map of {town}")),
///     }
/// }
///
/// let fallible = Fallible::new(Limits::default());
/// let graph = ImplicitGraph::new(
///     |&town: &&'static str| fallible.or_default(|| neighbours(town)),
///     |&town| town == "Bucharest",
/// )
/// .limits(fallible.limits());
/// let found = graph.dijkstra(&"Arad");
/// assert_eq!(fallible.check(found).unwrap_err(), "no map of Zerind");
/// ```
#[derive(Debug)]
pub struct Fallible<E> {
    error: RefCell<Option<E>>,
    limits: Limits,
    monitor: Arc<Monitor>,
}

impl<E> Fallible<E> {
    /// No closure has failed. The search also has these limits.
    ///
    /// ```
    /// # use taquin_search::{Fallible, Limits};
    /// let fallible = Fallible::<String>::new(Limits::default());
    /// assert_eq!(fallible.or_default(|| Ok(5)), 5);
    /// ```
    pub fn new(limits: Limits) -> Self {
        // A monitor of the caller still shows the progress and can cancel the search.
        let monitor = limits.monitor.as_ref().map_or_else(Monitor::default, Monitor::part_of);
        Self { error: RefCell::new(None), limits, monitor: Arc::new(monitor) }
    }

    /// Returns the limits for the search. They end it when a closure fails.
    ///
    /// ```
    /// # use taquin_search::{Fallible, Limits};
    /// let limits = Fallible::<String>::new(Limits::default()).limits();
    /// assert!(limits.monitor.is_some());
    /// ```
    pub fn limits(&self) -> Limits {
        Limits { monitor: Some(Arc::clone(&self.monitor)), ..self.limits.clone() }
    }

    /// Returns the result of `call`, or nothing if it fails or an earlier call has failed.
    ///
    /// ```
    /// # use taquin_search::{Fallible, Limits};
    /// let fallible = Fallible::new(Limits::default());
    /// assert_eq!(fallible.or_default(|| Err::<u32, _>("no map")), 0);
    /// assert_eq!(fallible.or_default(|| Ok(7)), 0);
    /// ```
    pub fn or_default<T: Default>(&self, call: impl FnOnce() -> Result<T, E>) -> T {
        if self.error.borrow().is_some() {
            return T::default();
        }
        call().unwrap_or_else(|error| {
            *self.error.borrow_mut() = Some(error);
            self.monitor.cancel();
            T::default()
        })
    }

    /// Returns the result of a search, or the error that ended it.
    ///
    /// # Errors
    /// Fails with the first error of a closure.
    ///
    /// ```
    /// # use taquin_search::{Fallible, Limits, bfs};
    /// let found = bfs(&0, |&n| [n + 1], |&n| n == 3);
    /// assert!(Fallible::<String>::new(Limits::default()).check(found).is_ok());
    /// ```
    pub fn check<N>(self, found: Found<N>) -> Result<Found<N>, E> {
        match self.error.into_inner() {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }
}
