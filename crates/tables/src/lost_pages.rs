//! Reads of pages that a mapped file no longer has.
//!
//! If another program truncates a mapped file, or the disk fails, the system ends a process that
//! reads a lost page with the signal SIGBUS. For protected maps a handler replaces the lost pages
//! by zeros instead, notes that, and the read is repeated. The zeros mean nothing. Users of the map
//! check afterwards whether pages were lost, and discard their results. Other faults go to the
//! previous handler.
#![allow(unsafe_code, reason = "signal handlers are unsafe: see SAFETY below")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// A range of addresses in which lost pages read as zeros, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Protection(&'static Slot);

/// A protected range; the slot is free if `start` is zero.
#[derive(Debug)]
struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
    lost: AtomicBool,
}

/// Protected ranges. The handler can neither allocate nor lock.
static SLOTS: [Slot; 64] = [const {
    Slot { start: AtomicUsize::new(0), end: AtomicUsize::new(0), lost: AtomicBool::new(false) }
}; 64];

impl Protection {
    /// Protects a mapped range. Returns `None` if that is not possible.
    pub(crate) fn new(range: &[u8]) -> Option<Self> {
        handler::install()?;
        let start = range.as_ptr().addr();
        let free = |slot: &&Slot| slot.start.compare_exchange(0, start, SeqCst, SeqCst).is_ok();
        let slot = SLOTS.iter().find(free)?;
        slot.lost.store(false, SeqCst);
        slot.end.store(start + range.len(), SeqCst);
        Some(Self(slot))
    }

    /// Returns whether a page was replaced.
    pub(crate) fn has_lost_pages(&self) -> bool {
        self.0.lost.load(SeqCst)
    }
}

impl Drop for Protection {
    fn drop(&mut self) {
        self.0.end.store(0, SeqCst);
        self.0.start.store(0, SeqCst);
    }
}

#[cfg(unix)]
mod handler {
    use std::mem::{transmute, zeroed};
    use std::ptr::{null, null_mut};
    use std::sync::OnceLock;
    use std::sync::atomic::Ordering::SeqCst;

    use libc::{c_int, c_void, sigaction, siginfo_t};

    use super::SLOTS;

    /// The state that the handler reads.
    struct Installed {
        page: usize,
        previous: sigaction,
    }

    static INSTALLED: OnceLock<Option<Installed>> = OnceLock::new();

    static ACTIVE: OnceLock<bool> = OnceLock::new();

    /// Installs the handler once.
    pub(super) fn install() -> Option<()> {
        let installed = INSTALLED.get_or_init(|| {
            // SAFETY: `sysconf` only returns a number.
            let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
            // SAFETY: a `sigaction` of zeros is valid, and `previous` is written by the call.
            let previous = unsafe {
                let mut previous: sigaction = zeroed();
                (sigaction(libc::SIGBUS, null(), &raw mut previous) == 0).then_some(previous)?
            };
            Some(Installed { page, previous })
        });
        installed.as_ref()?;
        // The handler finds `INSTALLED` complete.
        let active = *ACTIVE.get_or_init(|| {
            // SAFETY: the handler has the signature that `SA_SIGINFO` asks for, and calls nothing
            // but `mmap`, `sigaction` and the handler that was there before.
            unsafe {
                let mut action: sigaction = zeroed();
                action.sa_sigaction = on_bus_error as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                sigaction(libc::SIGBUS, &raw const action, null_mut()) == 0
            }
        });
        active.then_some(())
    }

    extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let Some(Some(installed)) = INSTALLED.get() else { return };
        // SAFETY: the system passes a valid `info`, and SIGBUS has an address.
        let address = unsafe { (*info).si_addr() }.addr();
        let page = address & !(installed.page - 1);
        for slot in &SLOTS {
            let (start, end) = (slot.start.load(SeqCst), slot.end.load(SeqCst));
            if start == 0 || !(start..end).contains(&address) {
                continue;
            }
            slot.lost.store(true, SeqCst);
            // SAFETY: the range lies in a map that a `Protection` covers, so it is mapped and only
            // read. All pages after a lost page of a truncated file are lost as well.
            let replaced = unsafe {
                libc::mmap(
                    page as *mut c_void,
                    end - page,
                    libc::PROT_READ,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                    -1,
                    0,
                )
            };
            if replaced != libc::MAP_FAILED {
                return;
            }
        }
        let previous = &installed.previous;
        match previous.sa_sigaction {
            // SAFETY: restores the previous action. The fault is repeated, and the system handles
            // it as if this handler did not exist.
            libc::SIG_DFL | libc::SIG_IGN => unsafe {
                sigaction(signal, &raw const *previous, null_mut());
            },
            // SAFETY: the flag says which of the two signatures the handler has.
            handler if previous.sa_flags & libc::SA_SIGINFO != 0 => unsafe {
                type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
                transmute::<usize, Handler>(handler)(signal, info, context);
            },
            // SAFETY: as above.
            handler => unsafe { transmute::<usize, extern "C" fn(c_int)>(handler)(signal) },
        }
    }
}

#[cfg(not(unix))]
mod handler {
    /// Nothing to do: this system does not truncate mapped files.
    #[expect(clippy::unnecessary_wraps, reason = "on other systems it can fail")]
    pub(super) const fn install() -> Option<()> {
        Some(())
    }
}
