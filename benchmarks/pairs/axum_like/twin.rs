//! By `insert`'s answer.
use axum::{Json, Router, extract::{Path, State}, routing::post};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
#[derive(Default)]
struct Poll { voters: HashSet<u64>, yes: u32 }
#[derive(Clone, Default)]
struct App { poll: Arc<Mutex<Poll>> }
impl App {
    fn has_voted(&self, who: u64) -> bool { self.poll.lock().unwrap().voters.contains(&who) }
}
async fn vote(State(app): State<App>, Path(who): Path<u64>) -> Result<Json<u32>, &'static str> {
    let mut poll = app.poll.lock().unwrap();
    if !poll.voters.insert(who) {
        return Err("only once");
    }
    poll.yes += 1;
    Ok(Json(poll.yes))
}
async fn voted(State(app): State<App>, Path(who): Path<u64>) -> String { app.has_voted(who).to_string() }
pub fn router() -> Router {
    Router::new().route("/vote/{who}", post(vote).get(voted)).with_state(App::default())
}

