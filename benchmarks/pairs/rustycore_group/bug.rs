// rustycore (game server), PR #111: `handle_group_accept` asks whether the group is full and adds the player in a second access to the registry; two invited players that accept at once both see four members, and the group of five gets six.
use dashmap::DashMap;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::UnboundedSender;

pub const MAX_GROUP_SIZE: usize = 5;

pub type Guid = u64;

#[derive(Clone, Debug, PartialEq)]
pub enum ServerPacket {
    PartyUpdate { group: Guid, members: Vec<Guid> },
    PartyCommandResult(PartyResult),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartyResult {
    AlreadyInGroup,
    GroupFull,
    NotInvited,
    NoSuchGroup,
}

pub struct GroupInfo {
    leader: Guid,
    members: Vec<Guid>,
}

impl GroupInfo {
    fn is_full(&self) -> bool {
        self.members.len() >= MAX_GROUP_SIZE
    }
}

#[derive(Default)]
pub struct GroupRegistry {
    next_guid: AtomicU64,
    groups: DashMap<Guid, GroupInfo>,
    invites: Mutex<HashMap<Guid, Guid>>,
}

impl GroupRegistry {
    pub fn create(&self, leader: Guid) -> Guid {
        let group = self.next_guid.fetch_add(1, Ordering::Relaxed) + 1;
        self.groups.insert(group, GroupInfo { leader, members: vec![leader] });
        group
    }

    pub fn members(&self, group: Guid) -> Vec<Guid> {
        self.groups.get(&group).map(|info| info.members.clone()).unwrap_or_default()
    }
}

/// One per connected player; its packets are handled one after the other.
pub struct WorldSession {
    pub player: Guid,
    pub group: Option<Guid>,
    pub registry: Arc<GroupRegistry>,
    pub send: UnboundedSender<ServerPacket>,
}

impl WorldSession {
    pub fn handle_group_invite(&self, invited: Guid) {
        let Some(group) = self.group else { return };
        if self.registry.groups.get(&group).is_some_and(|info| info.leader == self.player) {
            self.registry.invites.lock().unwrap().insert(invited, group);
        }
    }

    fn add_member(&self, group: Guid) -> Result<Vec<Guid>, PartyResult> {
        let mut info = self.registry.groups.get_mut(&group).ok_or(PartyResult::NoSuchGroup)?;
        info.members.push(self.player); //~
        Ok(info.members.clone())
    }

    fn accept(&self, group: Guid) -> Result<Vec<Guid>, PartyResult> {
        let full = self.registry.groups.get(&group).map(|info| info.is_full()); //~
        match full {
            None => Err(PartyResult::NoSuchGroup),
            Some(true) => Err(PartyResult::GroupFull),
            Some(false) => self.add_member(group),
        }
    }

    pub fn handle_group_accept(&mut self) {
        if self.group.is_some() {
            let _ = self.send.send(ServerPacket::PartyCommandResult(PartyResult::AlreadyInGroup));
            return;
        }
        let invite = self.registry.invites.lock().unwrap().remove(&self.player);
        let accepted = invite.ok_or(PartyResult::NotInvited).and_then(|group| Ok((group, self.accept(group)?)));
        let packet = match accepted {
            Ok((group, members)) => {
                self.group = Some(group);
                ServerPacket::PartyUpdate { group, members }
            }
            Err(result) => ServerPacket::PartyCommandResult(result),
        };
        let _ = self.send.send(packet);
    }
}
