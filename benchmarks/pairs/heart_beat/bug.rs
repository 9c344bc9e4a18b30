//! A session starts a heart beat in a task that nothing ends.
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
pub enum Frame { Ping, Text(String) }
pub struct Session { out: mpsc::Sender<Frame>, beat: Option<JoinHandle<()>> }
async fn beat(out: mpsc::Sender<Frame>) {
    let mut every = tokio::time::interval(Duration::from_secs(30));
    loop {
        every.tick().await;
        let _ = out.try_send(Frame::Ping);
    }
}
impl Session {
    pub fn open(out: mpsc::Sender<Frame>) -> Session {
        let beat = Some(tokio::spawn(beat(out.clone()))); //~
        Session { out, beat }
    }
    pub async fn say(&self, text: &str) -> bool { self.out.send(Frame::Text(text.into())).await.is_ok() }
    pub fn is_alive(&self) -> bool { self.beat.as_ref().is_some_and(|b| !b.is_finished()) }
}
