// Repaired as in PR #30952 (atomic_incr_if_not_zero): the increment is a compare-exchange loop that gives up at zero, so a handle is only made from a count that was not zero at that very step; from zero a count never rises again and ids are never reused.
use parking_lot::{RwLock, RwLockUpgradableReadGuard};
use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Weak};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EntityId(u64);

#[derive(Default)]
struct EntityRefCounts {
    counts: HashMap<EntityId, AtomicUsize>,
    dropped_entity_ids: Vec<EntityId>,
    next_id: u64,
}

/// Owns the entities; lives on the main thread, handles travel anywhere.
#[derive(Default)]
pub struct EntityMap {
    entities: HashMap<EntityId, Box<dyn Any + Send>>,
    ref_counts: Arc<RwLock<EntityRefCounts>>,
}

impl EntityMap {
    pub fn insert<T: Any + Send>(&mut self, entity: T) -> AnyEntity {
        let mut ref_counts = self.ref_counts.write();
        let id = EntityId(ref_counts.next_id);
        ref_counts.next_id += 1;
        ref_counts.counts.insert(id, AtomicUsize::new(1));
        self.entities.insert(id, Box::new(entity));
        AnyEntity { id, entity_map: Arc::downgrade(&self.ref_counts) }
    }

    pub fn read<T: Any>(&self, handle: &AnyEntity) -> &T {
        self.entities[&handle.id].downcast_ref().expect("used an entity with the wrong type")
    }

    /// Removes the entities whose last handle is gone.
    pub fn take_dropped(&mut self) -> Vec<Box<dyn Any + Send>> {
        let mut ref_counts = self.ref_counts.write();
        let dropped = std::mem::take(&mut ref_counts.dropped_entity_ids);
        let released = dropped.into_iter().filter_map(|id| {
            ref_counts.counts.remove(&id);
            self.entities.remove(&id)
        });
        released.collect()
    }
}

pub struct AnyEntity {
    id: EntityId,
    entity_map: Weak<RwLock<EntityRefCounts>>,
}

impl AnyEntity {
    pub fn downgrade(&self) -> AnyWeakEntity {
        AnyWeakEntity { id: self.id, entity_map: self.entity_map.clone() }
    }
}

impl Drop for AnyEntity {
    fn drop(&mut self) {
        let Some(entity_map) = self.entity_map.upgrade() else { return };
        let ref_counts = entity_map.upgradable_read();
        let count = ref_counts.counts.get(&self.id).expect("over-release of a handle");
        if count.fetch_sub(1, SeqCst) == 1 {
            // We were the last reference to this entity, so it can be released.
            let mut ref_counts = RwLockUpgradableReadGuard::upgrade(ref_counts);
            ref_counts.dropped_entity_ids.push(self.id);
        }
    }
}

#[derive(Clone)]
pub struct AnyWeakEntity {
    id: EntityId,
    entity_map: Weak<RwLock<EntityRefCounts>>,
}

impl AnyWeakEntity {
    pub fn upgrade(&self) -> Option<AnyEntity> {
        let entity_map = self.entity_map.upgrade()?;
        let ref_counts = entity_map.read();
        let ref_count = ref_counts.counts.get(&self.id)?;
        if !atomic_incr_if_not_zero(ref_count) {
            // The id is in dropped_entity_ids.
            return None;
        }
        Some(AnyEntity { id: self.id, entity_map: self.entity_map.clone() })
    }
}

/// Increments the counter if it is not zero, and tells whether it did.
fn atomic_incr_if_not_zero(counter: &AtomicUsize) -> bool {
    let mut loaded = counter.load(SeqCst);
    while loaded != 0 {
        match counter.compare_exchange_weak(loaded, loaded + 1, SeqCst, SeqCst) {
            Ok(_) => return true,
            Err(seen) => loaded = seen,
        }
    }
    false
}
