// Modelled on containerd/rust-extensions PR #270 ("monitor_notify_by_pid and monitor_unsubscribe may cause dead lock").
// Exit events are sent into bounded channels under the lock of the monitor: if a subscriber that has
// what it wanted does not receive any more and unsubscribes, it waits for the lock, and the lock for its channel.

use std::collections::HashMap;

use once_cell::sync::Lazy;
use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::sync::Mutex;

static MONITOR: Lazy<Mutex<Monitor>> = Lazy::new(|| Mutex::new(Monitor::default()));

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    Pid,
    Exec,
    All,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Pid(i32),
    Exec(String, String),
}

#[derive(Debug, Clone)]
pub struct ExitEvent {
    pub subject: Subject,
    pub exit_code: i32,
}

pub async fn monitor_subscribe(topic: Topic) -> Subscription {
    MONITOR.lock().await.subscribe(topic)
}

pub async fn monitor_unsubscribe(sub_id: i64) {
    MONITOR.lock().await.unsubscribe(sub_id) //~
}

pub async fn monitor_notify_by_pid(pid: i32, exit_code: i32) {
    let mut monitor = MONITOR.lock().await; //~
    monitor.notify_by_pid(pid, exit_code).await
}

pub async fn monitor_notify_by_exec(id: &str, exec_id: &str, exit_code: i32) {
    let mut monitor = MONITOR.lock().await;
    monitor.notify_by_exec(id, exec_id, exit_code).await
}

#[derive(Default)]
pub struct Monitor {
    seq_id: i64,
    subscribers: HashMap<i64, Subscriber>,
}

struct Subscriber {
    topic: Topic,
    tx: Sender<ExitEvent>,
}

pub struct Subscription {
    pub id: i64,
    pub rx: Receiver<ExitEvent>,
}

impl Monitor {
    fn subscribe(&mut self, topic: Topic) -> Subscription {
        let (tx, rx) = channel::<ExitEvent>(128);
        let id = self.seq_id;
        self.seq_id += 1;
        self.subscribers.insert(id, Subscriber { topic, tx });
        Subscription { id, rx }
    }

    async fn notify_by_pid(&mut self, pid: i32, exit_code: i32) {
        self.notify_topic(Topic::Pid, Subject::Pid(pid), exit_code).await;
    }

    async fn notify_by_exec(&mut self, cid: &str, exec_id: &str, exit_code: i32) {
        self.notify_topic(Topic::Exec, Subject::Exec(cid.into(), exec_id.into()), exit_code).await;
    }

    // Tells those of the topic and those of all topics, and forgets whoever has gone.
    async fn notify_topic(&mut self, topic: Topic, subject: Subject, exit_code: i32) {
        let mut gone = Vec::new();
        for (id, sub) in &self.subscribers {
            if sub.topic != topic && sub.topic != Topic::All {
                continue;
            }
            let event = ExitEvent { subject: subject.clone(), exit_code };
            if sub.tx.send(event).await.is_err() { //~
                gone.push(*id);
            }
        }
        for id in gone {
            tracing::debug!(id, "subscriber has gone");
            self.unsubscribe(id);
        }
    }

    fn unsubscribe(&mut self, id: i64) {
        self.subscribers.remove(&id);
    }
}

/// Waits for the exit of a process; the subscription is older than the process.
pub async fn wait_pid(pid: i32, mut s: Subscription) -> Option<i32> {
    let mut exit_code = None;
    while let Some(event) = s.rx.recv().await {
        if event.subject == Subject::Pid(pid) {
            exit_code = Some(event.exit_code);
            break;
        }
    }
    monitor_unsubscribe(s.id).await;
    exit_code
}
