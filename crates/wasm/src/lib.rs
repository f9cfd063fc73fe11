//! The laboratory as a WebAssembly module.
//!
//! The module answers the requests of the page as the server does, by the same functions; see
//! `taquin_web::Local`. Its host, `worker.js` of the page, writes the path and the body of a request
//! into memory that it has asked for, and calls `answer`, which sends answers to the host while it
//! runs. The host ends a search by ending its worker.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "the host passes and takes bytes by their addresses")]
mod host {
    use std::sync::OnceLock;

    use taquin_web::Local;

    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        fn tell(name: *const u8, name_len: usize, document: *const u8, document_len: usize);
    }

    /// Returns the address of `len` bytes, which `answer` frees.
    #[unsafe(no_mangle)]
    extern "C" fn alloc(len: usize) -> *mut u8 {
        Box::leak(vec![0; len].into_boxed_slice()).as_mut_ptr()
    }

    /// Answers a request, whose path and body were written to addresses that `alloc` returned.
    ///
    /// # Safety
    /// Each address was returned by `alloc` for that length, and is passed once.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn answer(path: *mut u8, path_len: usize, body: *mut u8, body_len: usize) {
        // The tables of a request are there for the next one.
        static LOCAL: OnceLock<Local> = OnceLock::new();
        // SAFETY: the host passes what `alloc` returned, once.
        let [path, body] = [(path, path_len), (body, body_len)].map(|(address, len)| unsafe {
            Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, len))
        });
        let path = String::from_utf8_lossy(&path);
        LOCAL.get_or_init(Local::default).answer(&path, &body, |name, document| {
            // SAFETY: the host reads the two texts before it returns, and keeps no address.
            unsafe { tell(name.as_ptr(), name.len(), document.as_ptr(), document.len()) }
        });
    }
}
