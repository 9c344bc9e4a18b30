// After redis-async 0.18.0, src/reconnect.rs (which is right): who sees that there is no connection gives the lock back and starts to connect; two do at
// once, and the second that is through panics (or one sets "connecting" over "connected").
use std::sync::{Arc, Mutex};
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
        match &*state { //~
            State::NotConnected => {
                drop(state);
                self.start();
                Err("not connected".into())
            }
            State::Connected(tx) => {
                if tx.send(text).is_err() {
                    *state = State::NotConnected;
                    drop(state);
                    self.start();
                    return Err("not connected".into());
                }
                Ok(())
            }
            State::Failed(e) => {
                let e = e.clone();
                *state = State::NotConnected;
                drop(state);
                self.start();
                Err(e)
            }
            State::Connecting => Err("connecting".into()),
        }
    }

    fn start(&self) {
        *self.state.lock().unwrap() = State::Connecting; //~
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
