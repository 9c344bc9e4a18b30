//! Ctrl-C. While cargo runs, the run is wound up in order: compilers are stopped, partial files removed. At any other time,
//! or the second time, the program just ends, after what [`before_exit`] was given.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::exit;

static ASKED: AtomicBool = AtomicBool::new(false);
static IN_ORDER: AtomicBool = AtomicBool::new(false);
static LAST: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Takes over Ctrl-C and requests to terminate.
pub(super) fn install() {
    // Without a handler the program ends as well, only less nicely.
    let _ = ctrlc::set_handler(|| {
        let again = ASKED.swap(true, Ordering::SeqCst);
        if again || !IN_ORDER.load(Ordering::SeqCst) {
            if std::io::stderr().is_terminal() {
                // Leaves no half-drawn progress behind.
                let _ = std::io::stderr().write_all(b"\r\x1b[K\x1b[?25h");
            }
            if let Some(last) = LAST.lock().unwrap_or_else(PoisonError::into_inner).take() {
                last();
            }
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
    });
}

/// Whether the user wants to stop.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Whether whoever works asks [`asked`] and winds up, or is to be ended at once.
pub(super) fn wind_up_in_order(in_order: bool) {
    IN_ORDER.store(in_order, Ordering::SeqCst);
}

/// What has to be removed when the program just ends.
pub(super) fn before_exit(last: Box<dyn FnOnce() + Send>) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
}

/// It was removed.
pub(super) fn nothing_before_exit() {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
