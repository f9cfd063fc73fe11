//! The laboratory as a WebAssembly module.
//!
//! The module answers the page's requests with the same functions as the server: see
//! `taquin_web::Local`. Its host, the page's `worker.js`, writes a request's path and body into
//! memory that `alloc` has returned, and calls `answer`, which sends answers to the host while it
//! runs. The host ends a search by ending its worker, or by answering `progress` with 1: the search
//! then reports its results so far. The host also stores table files, so the next visit need not
//! build them again.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "the host passes and takes bytes by their addresses")]
mod host {
    use std::ops::ControlFlow;
    use std::sync::OnceLock;

    use taquin_web::{Local, TableFiles};

    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        fn tell(name: *const u8, name_len: usize, document: *const u8, document_len: usize) -> u32;
        fn load(name: *const u8, name_len: usize, len: *mut usize) -> *mut u8;
        fn keep(name: *const u8, name_len: usize, bytes: *const u8, len: usize);
    }

    /// The files that the host stores.
    #[derive(Debug)]
    struct Files;

    impl TableFiles for Files {
        fn read(&self, name: &str) -> Option<Vec<u8>> {
            let mut len = 0;
            // SAFETY: the host reads the name and writes the length before it returns.
            let bytes = unsafe { load(name.as_ptr(), name.len(), &raw mut len) };
            // SAFETY: the host returns nothing, or what `alloc` returned for this length, once.
            (!bytes.is_null()).then(|| unsafe { taken(bytes, len) }.into_vec())
        }

        fn write(&self, name: &str, bytes: &[u8]) {
            // SAFETY: the host copies the name and the bytes before it returns, and keeps no
            // address.
            unsafe { keep(name.as_ptr(), name.len(), bytes.as_ptr(), bytes.len()) }
        }
    }

    /// Takes bytes that the host has written.
    ///
    /// # Safety
    /// The address was returned by `alloc` for that length, and is passed once.
    unsafe fn taken(bytes: *mut u8, len: usize) -> Box<[u8]> {
        // SAFETY: `alloc` leaked a box of this length, and nothing else has its address.
        unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes, len)) }
    }

    /// Returns the address of `len` bytes, which are freed when the host passes them back.
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
        // A request's tables remain available to the next request.
        static LOCAL: OnceLock<Local> = OnceLock::new();
        // SAFETY: the host passes what `alloc` returned, once.
        let (path, body) = unsafe { (taken(path, path_len), taken(body, body_len)) };
        let path = String::from_utf8_lossy(&path);
        LOCAL.get_or_init(|| Local::with_files(Files)).answer(&path, &body, |name, document| {
            // SAFETY: the host reads the two texts before it returns, and keeps no address.
            let stops =
                unsafe { tell(name.as_ptr(), name.len(), document.as_ptr(), document.len()) };
            if stops == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
}
