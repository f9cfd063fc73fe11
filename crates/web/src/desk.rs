//! Seats: how many clients may have at a time, each of them and all together.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Gives out seats, so many to each client and so many in all.
#[derive(Debug)]
pub(crate) struct Desk {
    most: usize,
    each: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// A place that is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    desk: Arc<Desk>,
    client: IpAddr,
}

/// Why there is no seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// The client has as many as one may have.
    Client,
    /// All are taken.
    All,
}

impl Desk {
    pub(crate) fn new(most: usize, each: usize) -> Arc<Self> {
        Arc::new(Self { most, each, taken: Mutex::default() })
    }

    pub(crate) fn take(self: &Arc<Self>, client: IpAddr) -> Result<Seat, Full> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.get(&client).is_some_and(|&own| own >= self.each) {
            return Err(Full::Client);
        }
        if taken.values().sum::<usize>() >= self.most {
            return Err(Full::All);
        }
        *taken.entry(client).or_default() += 1;
        Ok(Seat { desk: Arc::clone(self), client })
    }

    /// How many are taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.desk.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                // Nobody is remembered who has nothing here.
                taken.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_given_and_come_back() {
        let desk = Desk::new(3, 2);
        let [one, two] = [1, 2].map(|last| IpAddr::from([127, 0, 0, last]));
        let first = desk.take(one).unwrap();
        let _second = desk.take(one).unwrap();
        assert_eq!(desk.take(one).unwrap_err(), Full::Client);
        let third = desk.take(two).unwrap();
        assert_eq!(desk.take(two).unwrap_err(), Full::All);
        drop((first, third));
        assert_eq!(desk.taken(), 1);
        assert!(desk.take(one).is_ok() && desk.take(two).is_ok());
    }
}
