//! Quotas: how many slots clients may hold at a time, each of them and all together.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Gives out at most `each` slots to a client, and at most `most` in all.
#[derive(Debug)]
pub(crate) struct Quota {
    most: usize,
    each: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// A slot, which is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    quota: Arc<Quota>,
    client: IpAddr,
}

/// Why there is no free slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QuotaError {
    /// The client holds as many as it may.
    Client,
    /// All are taken.
    All,
}

impl Quota {
    pub(crate) fn new(most: usize, each: usize) -> Arc<Self> {
        Arc::new(Self { most, each, taken: Mutex::default() })
    }

    /// Takes a slot for a client. If `is_many`, it stands for many clients and may hold all slots.
    pub(crate) fn take(
        self: &Arc<Self>,
        client: IpAddr,
        is_many: bool,
    ) -> Result<Slot, QuotaError> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_many && taken.get(&client).is_some_and(|&own| own >= self.each) {
            return Err(QuotaError::Client);
        }
        if taken.values().sum::<usize>() >= self.most {
            return Err(QuotaError::All);
        }
        *taken.entry(client).or_default() += 1;
        Ok(Slot { quota: Arc::clone(self), client })
    }

    /// How many slots are taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.quota.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                // Clients without slots take no memory.
                taken.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_given_and_come_back() {
        let quota = Quota::new(3, 2);
        let [one, two] = [1, 2].map(|last| IpAddr::from([127, 0, 0, last]));
        let first = quota.take(one, false).unwrap();
        let _second = quota.take(one, false).unwrap();
        assert_eq!(quota.take(one, false).unwrap_err(), QuotaError::Client);
        let third = quota.take(two, false).unwrap();
        assert_eq!(quota.take(two, false).unwrap_err(), QuotaError::All);
        drop((first, third));
        assert_eq!(quota.taken(), 1);
        assert!(quota.take(one, true).is_ok());
        assert!(quota.take(one, false).is_ok() && quota.take(two, false).is_ok());
    }
}
