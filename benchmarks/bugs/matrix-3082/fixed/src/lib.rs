//! What is known of each room, kept in memory and in a store.

use std::collections::HashMap;
use std::sync::RwLock as StdRwLock;
use std::time::Duration;
use tokio::sync::Mutex;

#[derive(Clone, Default)]
pub struct RoomInfo {
    joined: bool,
    members_synced: bool,
}

#[derive(Default)]
pub struct Client {
    /// Keeps what sync writes from being overwritten.
    sync_lock: Mutex<()>,
    rooms: StdRwLock<HashMap<u64, RoomInfo>>,
}

impl Client {
    /// The user joined the room.
    pub async fn room_joined(&self, room: u64) {
        let _sync = self.sync_lock.lock().await;
        let mut info = self.rooms.read().unwrap().get(&room).cloned().unwrap_or_default();
        info.joined = true;
        save(&info).await;
        self.rooms.write().unwrap().insert(room, info);
    }

    /// All members of the room are known.
    pub async fn members_synced(&self, room: u64) {
        let _sync = self.sync_lock.lock().await;
        let mut info = self.rooms.read().unwrap().get(&room).cloned().unwrap_or_default();
        info.members_synced = true;
        save(&info).await;
        self.rooms.write().unwrap().insert(room, info);
    }
}

async fn save(_info: &RoomInfo) {
    tokio::time::sleep(Duration::from_millis(5)).await;
}
