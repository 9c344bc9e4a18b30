// redis-async 0.18.0, src/reconnect.rs: the guard of the state is given to a function that sets "connecting", gives it back and starts a task, which sets
// "connected" when it is through; whoever finds "connecting" leaves it alone, so that one connects at a time.
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedSender;

enum State {
    NotConnected,
    Connecting,
    Connected(UnboundedSender<String>),
    Failed(String),
}

#[derive(Clone)]
pub struct Reconnect {
    state: Arc<Mutex<State>>,
}

async fn open() -> Result<UnboundedSender<String>, String> {
    let mut stream = TcpStream::connect("127.0.0.1:6379").await.map_err(|e| e.to_string())?;
    let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel::<String>();
    tokio::spawn(async move {
        while let Some(text) = rx.recv().await {
            if stream.write_all(text.as_bytes()).await.is_err() {
                return;
            }
        }
    });
    Ok(tx)
}

impl Reconnect {
    pub fn new() -> Self {
        Reconnect { state: Arc::new(Mutex::new(State::NotConnected)) }
    }

    pub fn work(&self, text: String) -> Result<(), String> {
        let mut state = self.state.lock().unwrap();
        match &*state {
            State::NotConnected => {
                self.start(state);
                Err("not connected".into())
            }
            State::Connected(tx) => {
                if tx.send(text).is_err() {
                    *state = State::NotConnected;
                    self.start(state);
                    return Err("not connected".into());
                }
                Ok(())
            }
            State::Failed(e) => {
                let e = e.clone();
                *state = State::NotConnected;
                self.start(state);
                Err(e)
            }
            State::Connecting => Err("connecting".into()),
        }
    }

    fn start(&self, mut state: MutexGuard<State>) {
        match *state {
            State::Connected(_) | State::Connecting => return,
            State::NotConnected | State::Failed(_) => (),
        }
        *state = State::Connecting;
        drop(state);
        let this = self.clone();
        tokio::spawn(async move {
            let result = open().await;
            let mut state = this.state.lock().unwrap();
            match *state {
                State::NotConnected | State::Connecting => match result {
                    Ok(tx) => *state = State::Connected(tx),
                    Err(e) => *state = State::Failed(e),
                },
                _ => panic!("somebody else connected"),
            }
        });
    }
}
