// `lock-across-await`: dashmap `RefMut` held over bounded `send().await` in a handler; `join`/`close` of other handlers wait for the shard by blocking.
//! Rooms of a chat service: members get what is posted through bounded queues of their own.
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use bytes::Bytes;
use dashmap::DashMap;
use futures::stream;
use tokio::sync::mpsc::{self, Sender};

#[derive(Default)]
struct Room {
    members: Vec<Sender<Bytes>>,
    posted: u64,
}

impl Room {
    fn forget_gone(&mut self) {
        self.members.retain(|member| !member.is_closed());
    }
}

#[derive(Default)]
pub struct Rooms {
    rooms: DashMap<String, Room>,
}

impl Rooms {
    fn join(&self, room: &str) -> mpsc::Receiver<Bytes> {
        let (sender, queue) = mpsc::channel(8);
        self.rooms.entry(room.to_string()).or_default().members.push(sender);
        queue
    }

    async fn publish(&self, room: &str, text: Bytes) -> Option<u64> {
        let mut room = self.rooms.get_mut(room)?;
        room.forget_gone();
        room.posted += 1;
        let number = room.posted;
        for member in &room.members {
            let _ = member.send(text.clone()).await; //~
        }
        Some(number)
    }

    fn close(&self, room: &str) -> bool {
        self.rooms.remove(room).is_some()
    }
}

async fn listen(State(rooms): State<Arc<Rooms>>, Path(room): Path<String>) -> Body {
    let queue = rooms.join(&room);
    Body::from_stream(stream::unfold(queue, |mut queue| async move {
        let text = queue.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(text), queue))
    }))
}

async fn say(
    State(rooms): State<Arc<Rooms>>,
    Path(room): Path<String>,
    text: Bytes,
) -> Result<String, StatusCode> {
    let number = rooms.publish(&room, text).await.ok_or(StatusCode::NOT_FOUND)?;
    Ok(number.to_string())
}

async fn close(State(rooms): State<Arc<Rooms>>, Path(room): Path<String>) -> StatusCode {
    if rooms.close(&room) { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }
}

pub fn routes(rooms: Arc<Rooms>) -> Router {
    Router::new()
        .route("/rooms/{room}", get(listen).delete(close))
        .route("/rooms/{room}/messages", post(say))
        .with_state(rooms)
}
