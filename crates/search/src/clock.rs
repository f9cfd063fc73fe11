//! The clock of searches.
//!
//! In a browser the standard library has no clock, and its host is asked instead.

#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;

/// Returns the time since the year 1970 began.
#[cfg(not(target_arch = "wasm32"))]
pub fn time_since_1970() -> std::time::Duration {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
}

/// Whether threads can be started.
pub const HAS_THREADS: bool = cfg!(not(target_arch = "wasm32"));

#[cfg(target_arch = "wasm32")]
pub use browser::{Instant, time_since_1970};

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "the host's clock is a foreign function without arguments")]
mod browser {
    use std::ops::{Add, Sub};
    use std::time::Duration;

    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Milliseconds since the year 1970 began, which never decrease.
        safe fn now() -> f64;
    }

    /// Returns the time since the year 1970 began.
    pub fn time_since_1970() -> Duration {
        Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default()
    }

    /// A moment, as [`std::time::Instant`] is.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns this moment.
        pub fn now() -> Self {
            Self(time_since_1970())
        }

        /// Returns the time since this moment.
        pub fn elapsed(&self) -> Duration {
            Self::now().saturating_duration_since(*self)
        }

        /// Returns the time since another moment, or none if that is later.
        pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, time: Duration) -> Self {
            Self(self.0.saturating_add(time))
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Self) -> Duration {
            self.saturating_duration_since(earlier)
        }
    }
}
