//! Loading memory into the cache before it is needed.

/// Whether [`prefetch`] does anything.
pub(crate) const HAS_PREFETCH: bool = cfg!(target_arch = "x86_64");

/// Starts loading `value` into the processor's cache, without waiting for it.
///
/// ```
/// let table = vec![0u64; 1000];
/// taquin_search::prefetch(&table[700]); // while something else is computed
/// assert_eq!(table[700], 0);
/// ```
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // A plain load would stall the instructions after it until the value has arrived.
        #[expect(unsafe_code, reason = "the standard library has no safe prefetch")]
        // SAFETY: the address comes from a reference, and a prefetch only affects the cache.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
