// The blocking call runs on the blocking pool (`spawn_blocking` in a JoinSet); the loop goes on at once, reports what a notification returned when it returns, and waits for the last ones before it ends.
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time;

#[derive(Debug)]
enum AgentEvent {
    Delta(String),
    ApprovalNeeded { tool: String },
    Finished { turns: usize },
}

#[derive(Clone)]
struct Notification {
    title: String,
    body: String,
}

impl Notification {
    fn from_event(event: &AgentEvent) -> Option<Self> {
        let body = match event {
            AgentEvent::Delta(_) => return None,
            AgentEvent::ApprovalNeeded { tool } => format!("{} waits for your approval", tool),
            AgentEvent::Finished { turns } => format!("done after {} turns", turns),
        };
        Some(Notification { title: "steer".to_string(), body })
    }
}

/// Blocks until the notification daemon has taken the message (or D-Bus has timed out).
fn show_notification(note: &Notification) -> std::io::Result<()> {
    let status = Command::new("notify-send")
        .arg(&note.title)
        .arg(&note.body)
        .stdout(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(std::io::Error::other(format!("notify-send: {}", status)))
    }
}

async fn run_agent(prompt: String, events: mpsc::Sender<AgentEvent>) {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    for word in &words {
        time::sleep(Duration::from_millis(40)).await;
        if events.send(AgentEvent::Delta(word.to_uppercase())).await.is_err() {
            return;
        }
        if word.starts_with('!') {
            let tool = word.trim_start_matches('!').to_string();
            let _ = events.send(AgentEvent::ApprovalNeeded { tool }).await;
        }
    }
    let _ = events.send(AgentEvent::Finished { turns: words.len() }).await;
}

fn notify(event: &AgentEvent, notifications: &mut JoinSet<std::io::Result<()>>) {
    if let Some(note) = Notification::from_event(event) {
        notifications.spawn_blocking(move || show_notification(&note));
    }
}

fn report(shown: Result<std::io::Result<()>, tokio::task::JoinError>) {
    match shown {
        Ok(Ok(())) => {}
        Ok(Err(err)) => eprintln!("cannot notify: {}", err),
        Err(err) => eprintln!("cannot notify: {}", err),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let prompt = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let (event_tx, mut event_rx) = mpsc::channel(64);
    let agent = tokio::spawn(run_agent(prompt, event_tx));
    let mut frame = time::interval(Duration::from_millis(33));
    let mut notifications = JoinSet::new();
    let mut transcript = String::new();
    loop {
        tokio::select! {
            event = event_rx.recv() => {
                let Some(event) = event else { break };
                notify(&event, &mut notifications);
                if let AgentEvent::Delta(text) = event {
                    transcript.push_str(&text);
                    transcript.push(' ');
                }
            }
            Some(shown) = notifications.join_next() => report(shown),
            _ = frame.tick() => {
                print!("\r{}", transcript);
                let _ = std::io::stdout().flush();
            }
        }
    }
    while let Some(shown) = notifications.join_next().await {
        report(shown);
    }
    if let Err(err) = agent.await {
        eprintln!("the agent failed: {}", err);
    }
}
