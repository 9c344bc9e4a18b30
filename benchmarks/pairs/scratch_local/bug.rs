//! The depth is the process's.
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
static DEPTH: AtomicU32 = AtomicU32::new(0);
fn depth() -> u32 { DEPTH.load(Ordering::SeqCst) } //~
fn set_depth(to: u32) { DEPTH.store(to, Ordering::SeqCst) } //~
pub struct Span { _outer: Cell<u32> }
impl Span {
    pub fn enter() -> Span {
        let outer = depth();
        set_depth(outer + 1);
        Span { _outer: Cell::new(outer) }
    }
}
impl Drop for Span {
    fn drop(&mut self) { set_depth(depth() - 1); }
}
