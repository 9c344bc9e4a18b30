//! How much is too much.

use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::StatusCode;

const MOST: u32 = 1000;

/// Requests since the last sweep.
#[derive(Debug, Default)]
pub struct Limits {
    requests: AtomicU32,
}

impl Limits {
    /// Counts a request.
    ///
    /// # Errors
    /// There were too many.
    pub fn count(&self) -> Result<(), StatusCode> {
        match self.requests.fetch_add(1, Ordering::Relaxed) {
            before if before < MOST => Ok(()),
            _ => Err(StatusCode::TOO_MANY_REQUESTS),
        }
    }

    /// Begins anew.
    pub fn reset(&self) {
        self.requests.store(0, Ordering::Relaxed);
    }
}
