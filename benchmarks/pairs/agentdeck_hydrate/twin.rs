// Subscribes first and takes the snapshot second: an event is in the snapshot, in the channel, or in both, and what is in both is recognised by its number (numbered, stored and sent under one lock).
use std::collections::BTreeMap;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq)]
enum AgentStatus { Idle, Working, Exited }

#[derive(Clone, Debug)]
struct AgentEvent {
    seq: u64,
    agent_id: u32,
    status: AgentStatus,
}

struct Snapshot {
    seq: u64,
    agents: BTreeMap<u32, AgentStatus>,
}

#[derive(Default)]
struct DaemonState {
    seq: u64,
    agents: BTreeMap<u32, AgentStatus>,
    subscribers: Vec<Sender<AgentEvent>>,
}

#[derive(Default)]
struct Daemon {
    state: Mutex<DaemonState>,
}

impl Daemon {
    fn set_status(&self, agent_id: u32, status: AgentStatus) {
        let mut state = self.state.lock().unwrap();
        state.seq += 1;
        state.agents.insert(agent_id, status);
        let event = AgentEvent { seq: state.seq, agent_id, status };
        state.subscribers.retain(|tx| tx.send(event.clone()).is_ok());
    }

    fn list_agents(&self) -> Snapshot {
        let state = self.state.lock().unwrap();
        Snapshot { seq: state.seq, agents: state.agents.clone() }
    }

    fn subscribe_events(&self) -> Receiver<AgentEvent> {
        let (tx, rx) = channel();
        self.state.lock().unwrap().subscribers.push(tx);
        rx
    }
}

/// Watches the shells: one event when a foreground command starts, one when it ends.
fn monitor_shell(daemon: Arc<Daemon>, agent_id: u32) {
    for run in 1..=3u64 {
        daemon.set_status(agent_id, AgentStatus::Working);
        thread::sleep(Duration::from_millis(7 * run));
        daemon.set_status(agent_id, AgentStatus::Idle);
    }
    daemon.set_status(agent_id, AgentStatus::Exited);
}

fn draw(agents: &BTreeMap<u32, AgentStatus>) {
    let cards: Vec<String> = agents.iter().map(|(id, status)| format!("[{} {:?}]", id, status)).collect();
    println!("{}", cards.join(" "));
}

fn main() {
    let daemon = Arc::new(Daemon::default());
    for agent_id in 1..=4 {
        let daemon = Arc::clone(&daemon);
        thread::spawn(move || monitor_shell(daemon, agent_id));
    }
    let events = daemon.subscribe_events();
    let snapshot = daemon.list_agents();
    let mut agents = snapshot.agents;
    draw(&agents);
    loop {
        match events.recv_timeout(Duration::from_millis(250)) {
            Ok(event) if event.seq > snapshot.seq => {
                agents.insert(event.agent_id, event.status);
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => draw(&agents),
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if agents.len() == 4 && agents.values().all(|status| *status == AgentStatus::Exited) {
            break;
        }
    }
    draw(&agents);
}
