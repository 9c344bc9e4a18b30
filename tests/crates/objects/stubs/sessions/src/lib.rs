//! A library whose struct others fill in, and whose fields they use.

use std::collections::HashMap;
use std::sync::RwLock;
use std::sync::atomic::AtomicU8;

/// What a session has.
pub struct State {
    pub status: AtomicU8,
    pub entries: RwLock<HashMap<String, String>>,
    pub name: String,
}
