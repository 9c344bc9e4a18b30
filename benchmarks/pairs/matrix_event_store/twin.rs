// matrix-org/matrix-rust-sdk PR #3176
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{broadcast, Mutex, RwLock};

pub type RoomId = String;

#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEvent {
    pub event_id: String,
    pub body: String,
}

#[derive(Debug, Clone)]
pub enum RoomEventCacheUpdate {
    Clear(RoomId),
    Append(RoomId, Vec<TimelineEvent>),
}

#[derive(Debug)]
pub enum EventCacheError {
    Backend(String),
}

pub type Result<T> = std::result::Result<T, EventCacheError>;

#[async_trait]
pub trait EventCacheStore: Send + Sync {
    async fn room_events(&self, room: &RoomId) -> Result<Vec<TimelineEvent>>;
    async fn add_room_events(&self, room: &RoomId, events: Vec<TimelineEvent>) -> Result<()>;
    async fn clear_room_events(&self, room: &RoomId) -> Result<()>;
}

#[derive(Default)]
pub struct MemoryStore {
    by_room: RwLock<BTreeMap<RoomId, Vec<TimelineEvent>>>,
}

#[async_trait]
impl EventCacheStore for MemoryStore {
    async fn room_events(&self, room: &RoomId) -> Result<Vec<TimelineEvent>> {
        Ok(self.by_room.read().await.get(room).cloned().unwrap_or_default())
    }

    async fn add_room_events(&self, room: &RoomId, events: Vec<TimelineEvent>) -> Result<()> {
        self.by_room.write().await.entry(room.clone()).or_default().extend(events);
        Ok(())
    }

    async fn clear_room_events(&self, room: &RoomId) -> Result<()> {
        self.by_room.write().await.remove(room);
        Ok(())
    }
}

#[derive(Clone)]
pub struct EventCache {
    store: Arc<Mutex<Box<dyn EventCacheStore>>>,
    updates: broadcast::Sender<RoomEventCacheUpdate>,
}

impl EventCache {
    pub fn new(store: impl EventCacheStore + 'static) -> Self {
        let (updates, _) = broadcast::channel(128);
        Self {
            store: Arc::new(Mutex::new(Box::new(store))),
            updates,
        }
    }

    pub async fn subscribe(
        &self,
        room: &RoomId,
    ) -> Result<(Vec<TimelineEvent>, broadcast::Receiver<RoomEventCacheUpdate>)> {
        let store = self.store.lock().await;
        let updates = self.updates.subscribe();
        let events = store.room_events(room).await?;
        Ok((events, updates))
    }

    pub async fn add_initial_events(&self, room: RoomId, events: Vec<TimelineEvent>) -> Result<()> {
        let store = self.store.lock().await;
        store.clear_room_events(&room).await?;
        self.emit(RoomEventCacheUpdate::Clear(room.clone()));
        self.append(&**store, room, events).await
    }

    pub async fn handle_room_updates(
        &self,
        joined: BTreeMap<RoomId, Vec<TimelineEvent>>,
    ) -> Result<()> {
        let store = self.store.lock().await;
        for (room, timeline) in joined {
            self.append(&**store, room, timeline).await?;
        }
        Ok(())
    }

    async fn append(
        &self,
        store: &dyn EventCacheStore,
        room: RoomId,
        events: Vec<TimelineEvent>,
    ) -> Result<()> {
        store.add_room_events(&room, events.clone()).await?;
        self.emit(RoomEventCacheUpdate::Append(room, events));
        Ok(())
    }

    fn emit(&self, update: RoomEventCacheUpdate) {
        let _ = self.updates.send(update);
    }
}
