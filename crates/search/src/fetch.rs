//! Asking for memory before it is needed.

/// Begins to bring a value into the processor's cache, without waiting for it.
#[inline]
pub fn fetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // A load in its place would hold up the instructions after it until the value is there.
        #[allow(unsafe_code)]
        // SAFETY: the address is that of a reference, and a prefetch has no other effect than on
        // the cache.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
