// apache/iggy PR 2734: Member slot and partition out of two metadata snapshots: after a swap in between the slot is empty or another member's, a client polls its partition.
//! Metadata of a message broker: readers take a snapshot, a writer publishes the next one. Members
//! of a consumer group are in slots, which are given to others when a member has left.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use arc_swap::ArcSwap;

pub type ClientId = u32;
pub type GroupId = u32;
pub type PartitionId = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IggyError {
    ConsumerGroupNotFound(GroupId),
    ConsumerGroupMemberNotFound(ClientId),
    NoPartitionAssigned,
}

#[derive(Debug, Clone)]
pub struct ConsumerGroupMember {
    client_id: ClientId,
    partitions: Vec<PartitionId>,
    /// Shared with the snapshots before: the round robin goes on.
    cursor: Arc<AtomicUsize>,
}

#[derive(Debug, Clone, Default)]
pub struct ConsumerGroup {
    partitions: Vec<PartitionId>,
    members: Vec<Option<ConsumerGroupMember>>,
}

impl ConsumerGroup {
    fn slot_of(&self, client_id: ClientId) -> Option<usize> {
        self.members.iter().position(|m| m.as_ref().is_some_and(|m| m.client_id == client_id))
    }

    fn add_member(&mut self, client_id: ClientId) {
        if self.slot_of(client_id).is_some() {
            return;
        }
        let member = ConsumerGroupMember { client_id, partitions: Vec::new(), cursor: Arc::default() };
        match self.members.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = Some(member),
            None => self.members.push(Some(member)),
        }
        self.rebalance();
    }

    fn remove_member(&mut self, client_id: ClientId) {
        if let Some(slot) = self.slot_of(client_id) {
            self.members[slot] = None;
            self.rebalance();
        }
    }

    fn rebalance(&mut self) {
        let mut members: Vec<_> = self.members.iter_mut().flatten().collect();
        members.iter_mut().for_each(|member| member.partitions.clear());
        for (n, partition) in self.partitions.iter().enumerate() {
            let count = members.len().max(1);
            if let Some(member) = members.get_mut(n % count) {
                member.partitions.push(*partition);
            }
        }
    }
}

#[derive(Debug, Clone, Default)]
struct InnerMetadata {
    groups: BTreeMap<GroupId, ConsumerGroup>,
}

#[derive(Default)]
pub struct Metadata {
    inner: ArcSwap<InnerMetadata>,
}

impl Metadata {
    /// Publishes a changed copy; tried again if another writer was faster.
    fn update(&self, change: impl Fn(&mut InnerMetadata)) {
        self.inner.rcu(|inner| { //~
            let mut next = InnerMetadata::clone(inner);
            change(&mut next);
            next
        });
    }

    pub fn create_consumer_group(&self, group_id: GroupId, partitions: Vec<PartitionId>) {
        let group = ConsumerGroup { partitions, members: Vec::new() };
        self.update(|inner| {
            inner.groups.entry(group_id).or_insert_with(|| group.clone());
        });
    }

    pub fn join_consumer_group(&self, group_id: GroupId, client_id: ClientId) {
        self.update(|inner| {
            if let Some(group) = inner.groups.get_mut(&group_id) {
                group.add_member(client_id);
            }
        });
    }

    pub fn leave_consumer_group(&self, group_id: GroupId, client_id: ClientId) {
        self.update(|inner| {
            if let Some(group) = inner.groups.get_mut(&group_id) {
                group.remove_member(client_id);
            }
        });
    }

    /// The partition that the client polls next.
    pub fn resolve_consumer_group_partition(
        &self,
        group_id: GroupId,
        client_id: ClientId,
    ) -> Result<PartitionId, IggyError> {
        let slot = self.member_slot(group_id, client_id)?; //~
        self.next_member_partition(group_id, slot) //~
    }

    fn member_slot(&self, group_id: GroupId, client_id: ClientId) -> Result<usize, IggyError> {
        let inner = self.inner.load(); //~
        let group = inner.groups.get(&group_id).ok_or(IggyError::ConsumerGroupNotFound(group_id))?;
        group.slot_of(client_id).ok_or(IggyError::ConsumerGroupMemberNotFound(client_id))
    }

    fn next_member_partition(&self, group_id: GroupId, slot: usize) -> Result<PartitionId, IggyError> {
        let inner = self.inner.load(); //~
        let group = inner.groups.get(&group_id).ok_or(IggyError::ConsumerGroupNotFound(group_id))?;
        let Some(Some(member)) = group.members.get(slot) else {
            return Err(IggyError::NoPartitionAssigned);
        };
        if member.partitions.is_empty() {
            return Err(IggyError::NoPartitionAssigned);
        }
        let turn = member.cursor.fetch_add(1, Ordering::Relaxed);
        Ok(member.partitions[turn % member.partitions.len()])
    }
}
