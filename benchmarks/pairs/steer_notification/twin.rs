// BrendanGraham14/steer PR #60 (tui): the notification is shown on the blocking pool (`spawn_blocking`), the event loop goes on
// drawing; a failure is logged there.
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

#[derive(Debug, Clone)]
pub enum ClientEvent {
    AssistantDelta { text: String },
    ToolApprovalRequested { tool: String },
    ProcessingCompleted,
    Error { message: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationTransport {
    Desktop,
    Off,
}

#[derive(Debug, Clone)]
pub struct NotificationPreferences {
    pub transport: NotificationTransport,
    pub expire: Duration,
}

fn show_notification(summary: &str, body: &str, expire: Duration) -> std::io::Result<()> {
    let status = Command::new("notify-send")
        .arg("--app-name=Steer")
        .arg(format!("--expire-time={}", expire.as_millis()))
        .arg(summary)
        .arg(body)
        .status()?;
    if !status.success() {
        return Err(std::io::Error::other(format!("notify-send failed: {status}")));
    }
    Ok(())
}

pub struct NotificationManager {
    preferences: NotificationPreferences,
}

impl NotificationManager {
    pub fn new(preferences: NotificationPreferences) -> Self {
        Self { preferences }
    }

    pub async fn emit(&self, summary: &str, body: String) {
        if self.preferences.transport == NotificationTransport::Off {
            return;
        }
        let (summary, expire) = (summary.to_string(), self.preferences.expire);
        tokio::task::spawn_blocking(move || {
            if let Err(e) = show_notification(&summary, &body, expire) {
                tracing::warn!("failed to show the notification: {e}");
            }
        });
    }
}

struct ChatView {
    transcript: String,
    focused: bool,
    dirty: bool,
}

impl ChatView {
    fn draw(&mut self) {
        if std::mem::take(&mut self.dirty) {
            print!("\x1b[H\x1b[2J{}", self.transcript);
        }
    }
}

pub struct Tui {
    view: ChatView,
    notifications: Arc<NotificationManager>,
}

impl Tui {
    pub async fn run(&mut self, mut events: mpsc::Receiver<ClientEvent>) {
        let mut frames = tokio::time::interval(Duration::from_millis(16));
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.handle_event(event).await,
                    None => return,
                },
                _ = frames.tick() => self.view.draw(),
            }
        }
    }

    async fn handle_event(&mut self, event: ClientEvent) {
        self.view.dirty = true;
        let notice = match event {
            ClientEvent::AssistantDelta { text } => {
                self.view.transcript.push_str(&text);
                return;
            }
            ClientEvent::ToolApprovalRequested { tool } => ("Tool approval needed", tool),
            ClientEvent::ProcessingCompleted => ("Processing complete", "Ready for input".to_string()),
            ClientEvent::Error { message } => ("Error", message),
        };
        if !self.view.focused {
            self.notifications.emit(notice.0, notice.1).await;
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let preferences = NotificationPreferences { transport: NotificationTransport::Desktop, expire: Duration::from_secs(5) };
    let view = ChatView { transcript: String::new(), focused: false, dirty: true };
    let mut tui = Tui { view, notifications: Arc::new(NotificationManager::new(preferences)) };
    let (tx, rx) = mpsc::channel(64);
    let agent = tokio::spawn(async move {
        for text in ["Reading ", "src/main.rs", "\n"] {
            let _ = tx.send(ClientEvent::AssistantDelta { text: text.into() }).await;
        }
        let _ = tx.send(ClientEvent::ProcessingCompleted).await;
    });
    tui.run(rx).await;
    agent.await.expect("agent panicked");
}
