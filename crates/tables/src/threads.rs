//! How many threads a build takes.

/// Does some work on a pool of this many threads of its own: tables that are built or verified
/// inside take no more. Without such a pool, they take all cores.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build() {
        Ok(pool) => pool.install(work),
        // The system has no threads left, so the work is done on those that there are.
        Err(_) => work(),
    }
}
