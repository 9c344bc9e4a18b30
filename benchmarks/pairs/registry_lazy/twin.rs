//! `insert` tells.
use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};
static NAMES: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(|| Mutex::new(HashSet::from(["admin".to_string()])));
mod names {
    pub(super) fn is_free(name: &str) -> bool {
        !super::NAMES.lock().unwrap_or_else(super::PoisonError::into_inner).contains(name)
    }
    pub(super) fn take(name: &str) -> bool {
        super::NAMES.lock().unwrap_or_else(super::PoisonError::into_inner).insert(name.to_string())
    }
}
#[derive(Debug)]
pub enum SignUp { Welcome(String), Taken }
pub fn sign_up(name: &str) -> SignUp {
    if !names::take(name) {
        return SignUp::Taken;
    }
    SignUp::Welcome(format!("Hello {name}"))
}
pub fn free(name: &str) -> bool { names::is_free(name) }
pub fn leave(name: &str) { NAMES.lock().unwrap().remove(name); }
