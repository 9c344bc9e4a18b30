// Repaired as in rsimmonsjr/axiom PR #60: the list is changed in place through the entry, under the lock of the shard.

use std::collections::HashSet;
use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use crossbeam_channel::{unbounded, Receiver, Sender};
use dashmap::DashMap;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Aid(u64);

#[derive(Debug, Clone, PartialEq)]
pub enum SystemMsg {
    Start,
    Stop,
    Stopped(Aid),
}

#[derive(Debug, Error)]
pub enum SystemError {
    #[error("actor {0:?} is not in this system")]
    NoSuchActor(Aid),
}

struct ActorEntry {
    name: String,
    mailbox: Sender<SystemMsg>,
}

struct SystemData {
    next: AtomicU64,
    actors: DashMap<Aid, ActorEntry>,
    monitoring_by_monitored: DashMap<Aid, HashSet<Aid>>,
}

#[derive(Clone)]
pub struct ActorSystem {
    data: Arc<SystemData>,
}

impl Debug for ActorSystem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorSystem").field("actors", &self.data.actors.len()).finish()
    }
}

impl Default for ActorSystem {
    fn default() -> Self {
        Self {
            data: Arc::new(SystemData {
                next: AtomicU64::new(1),
                actors: DashMap::new(),
                monitoring_by_monitored: DashMap::new(),
            }),
        }
    }
}

impl ActorSystem {
    pub fn spawn(&self, name: &str) -> (Aid, Receiver<SystemMsg>) {
        let aid = Aid(self.data.next.fetch_add(1, Ordering::Relaxed));
        let (mailbox, inbox) = unbounded();
        let _ = mailbox.send(SystemMsg::Start);
        self.data.actors.insert(aid, ActorEntry { name: name.to_owned(), mailbox });
        (aid, inbox)
    }

    fn deliver(&self, to: Aid, message: SystemMsg) -> Result<(), SystemError> {
        let mailbox = self
            .data
            .actors
            .get(&to)
            .map(|entry| entry.mailbox.clone())
            .ok_or(SystemError::NoSuchActor(to))?;
        mailbox.send(message).map_err(|_| SystemError::NoSuchActor(to))
    }

    /// `monitoring` is told when `monitored` stops.
    pub fn monitor(&self, monitoring: Aid, monitored: Aid) {
        self.data
            .monitoring_by_monitored
            .entry(monitored)
            .or_default()
            .insert(monitoring);
    }

    pub fn stop_actor(&self, aid: Aid) -> Result<(), SystemError> {
        let (_, entry) = self.data.actors.remove(&aid).ok_or(SystemError::NoSuchActor(aid))?;
        let _ = entry.mailbox.send(SystemMsg::Stop);
        tracing::debug!(name = %entry.name, "actor stopped");
        if let Some((_, monitors)) = self.data.monitoring_by_monitored.remove(&aid) {
            for monitor in monitors {
                if let Err(e) = self.deliver(monitor, SystemMsg::Stopped(aid)) {
                    tracing::debug!(error = %e, "monitor is gone");
                }
            }
        }
        Ok(())
    }

    /// Asks the actors that are there to stop.
    pub fn stop_all(&self) {
        for entry in self.data.actors.iter() {
            let _ = entry.mailbox.send(SystemMsg::Stop);
        }
    }
}
