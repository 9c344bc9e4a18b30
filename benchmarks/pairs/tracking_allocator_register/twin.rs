// Repaired as the maintainer says in tobz/tracking-allocator issue #12: there is no second counter; the one there is
// does not go beyond its end.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use thiserror::Error;

const ROOT_GROUP: usize = 1;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum RegisterError {
    #[error("no more allocation groups")]
    Exhausted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AllocationGroupId(NonZeroUsize);

impl AllocationGroupId {
    pub const ROOT: Self = Self(NonZeroUsize::MIN);

    pub fn as_usize(self) -> usize {
        self.0.get()
    }

    fn register(ids: &GroupIds) -> Option<Self> {
        let group_id = ids.next.fetch_update(Ordering::AcqRel, Ordering::Acquire, |id| id.checked_add(1));
        NonZeroUsize::new(group_id.ok()?).map(Self)
    }
}

struct GroupIds {
    next: AtomicUsize,
}

impl GroupIds {
    const fn new() -> Self {
        Self { next: AtomicUsize::new(ROOT_GROUP + 1) }
    }
}

static GROUP_IDS: GroupIds = GroupIds::new();

thread_local! {
    static CURRENT_GROUP: Cell<AllocationGroupId> = const { Cell::new(AllocationGroupId::ROOT) };
}

/// A group that allocations can be counted for.
pub struct AllocationGroupToken {
    id: AllocationGroupId,
}

impl AllocationGroupToken {
    pub fn register() -> Result<Self, RegisterError> {
        AllocationGroupId::register(&GROUP_IDS).map(|id| Self { id }).ok_or(RegisterError::Exhausted)
    }

    pub fn id(&self) -> AllocationGroupId {
        self.id
    }

    pub fn enter(&self) -> AllocationGuard {
        AllocationGuard { previous: CURRENT_GROUP.with(|current| current.replace(self.id)) }
    }
}

#[must_use]
pub struct AllocationGuard {
    previous: AllocationGroupId,
}

impl Drop for AllocationGuard {
    fn drop(&mut self) {
        CURRENT_GROUP.with(|current| current.set(self.previous));
    }
}

pub trait AllocationTracker: Send + Sync {
    fn allocated(&self, size: usize, group: AllocationGroupId);
    fn deallocated(&self, size: usize, group: AllocationGroupId);
}

static TRACKER: OnceLock<Box<dyn AllocationTracker>> = OnceLock::new();

pub fn set_global_tracker(tracker: Box<dyn AllocationTracker>) -> Result<(), Box<dyn AllocationTracker>> {
    TRACKER.set(tracker)
}

pub fn track_allocation(size: usize) -> AllocationGroupId {
    let group = CURRENT_GROUP.with(Cell::get);
    if let Some(tracker) = TRACKER.get() {
        tracker.allocated(size, group);
    }
    group
}

pub fn track_deallocation(size: usize, group: AllocationGroupId) {
    if let Some(tracker) = TRACKER.get() {
        tracker.deallocated(size, group);
    }
}
