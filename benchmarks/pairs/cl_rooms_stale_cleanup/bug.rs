// tideway 0.9: the cleanup of stale memberships removed rooms that had been joined again.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::RwLock;

#[derive(Clone, Default)]
pub struct Rooms { rooms: Arc<RwLock<HashMap<String, HashSet<u64>>>> }

impl Rooms {
    pub async fn join(&self, room: &str, who: u64) { self.rooms.write().await.entry(room.to_string()).or_default().insert(who); }
    pub async fn leave(&self, room: &str, who: u64) { if let Some(r) = self.rooms.write().await.get_mut(room) { r.remove(&who); } }
    pub async fn cleanup(&self) -> usize {
        let empty: Vec<String> = {
            let rooms = self.rooms.read().await;
            rooms.iter().filter(|(_, who)| who.is_empty()).map(|(name, _)| name.clone()).collect() //~
        };
        let mut rooms = self.rooms.write().await;
        for room in &empty {
            rooms.remove(room); //~
        }
        empty.len()
    }
    pub async fn members(&self, room: &str) -> Vec<u64> { self.rooms.read().await.get(room).into_iter().flatten().copied().collect() }
}
