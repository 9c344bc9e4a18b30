// rants 0.6.0, src/lib.rs: two tasks try to connect; `disconnect` notes that it disconnects, the first task answers that with "disconnected", and the
// second one, which slept meanwhile, sees "not connected" and connects, after `disconnect` has returned.
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Notify};

#[derive(PartialEq, Clone, Copy)]
enum State {
    Disconnected,
    Connecting,
    Connected,
    Disconnecting,
}

pub struct Client {
    state: Mutex<State>,
    gone: Notify,
}

impl Client {
    pub fn new() -> Arc<Self> {
        Arc::new(Client { state: Mutex::new(State::Disconnected), gone: Notify::new() })
    }

    pub async fn connect(self: Arc<Self>) {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let mut state = self.state.lock().await;
            match *state {
                State::Connected => return,
                State::Disconnecting => {
                    *state = State::Disconnected;
                    self.gone.notify_one();
                    return;
                }
                _ => {}
            }
            *state = State::Connecting; //~
            if tokio::net::TcpStream::connect("127.0.0.1:1").await.is_ok() {
                *state = State::Connected;
                return;
            }
        }
    }

    pub async fn disconnect(&self) {
        {
            let mut state = self.state.lock().await;
            if *state != State::Connecting {
                *state = State::Disconnected;
                return;
            }
            *state = State::Disconnecting; //~
        }
        self.gone.notified().await;
    }
}
