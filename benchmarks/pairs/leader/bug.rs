//! The seat is seen free, and two sit down.
use std::sync::atomic::{AtomicU64, Ordering};
const FREE: u64 = 0;
pub struct Election { leader: AtomicU64 }
#[derive(Debug, PartialEq)]
pub enum Role { Leader, Follower { of: u64 } }
impl Election {
    pub const fn new() -> Self { Election { leader: AtomicU64::new(FREE) } }
    pub fn stand(&self, me: u64) -> Role {
        match self.leader.load(Ordering::SeqCst) { //~
            FREE => {
                self.leader.store(me, Ordering::SeqCst); //~
                Role::Leader
            }
            of => Role::Follower { of },
        }
    }
    pub fn resign(&self, me: u64) -> bool {
        self.leader.compare_exchange(me, FREE, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}
