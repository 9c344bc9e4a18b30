// zellij-org/zellij PR #966 (issue #963): a client which leaves is removed from one state after the other; a render between the two
// finds it in the session but has no sender for it any more, and the server panics on "Failed to get client sender".
use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, RwLock};

pub type ClientId = u16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub rows: usize,
    pub cols: usize,
}

#[derive(Debug, Clone)]
pub enum ServerToClientMsg {
    Render(String),
    Exit,
}

#[derive(Clone, Default)]
pub struct ServerOsInputOutput {
    client_senders: Arc<Mutex<HashMap<ClientId, Sender<ServerToClientMsg>>>>,
}

impl ServerOsInputOutput {
    pub fn new_client(&self, client_id: ClientId) -> Receiver<ServerToClientMsg> {
        let (sender, receiver) = mpsc::channel();
        self.client_senders.lock().unwrap().insert(client_id, sender);
        receiver
    }

    pub fn send_to_client(&self, client_id: ClientId, msg: ServerToClientMsg) {
        let senders = self.client_senders.lock().unwrap();
        // A client which hung up is removed by its own route thread.
        let _ = senders.get(&client_id).expect("Failed to get client sender").send(msg); //~
    }

    pub fn remove_client(&self, client_id: ClientId) {
        self.client_senders.lock().unwrap().remove(&client_id);
    }
}

/// The clients of the session; none has a size until it is attached.
#[derive(Default)]
pub struct SessionState {
    clients: HashMap<ClientId, Option<Size>>,
}

impl SessionState {
    pub fn new_client(&mut self) -> ClientId {
        let client_id = (1..).find(|id| !self.clients.contains_key(id)).unwrap();
        self.clients.insert(client_id, None);
        client_id
    }

    pub fn min_client_terminal_size(&self) -> Option<Size> {
        let sizes = || self.clients.values().flatten();
        Some(Size { rows: sizes().map(|s| s.rows).min()?, cols: sizes().map(|s| s.cols).min()? })
    }
}

#[derive(Clone)]
pub struct Server {
    os_input: ServerOsInputOutput,
    session_state: Arc<RwLock<SessionState>>,
}

impl Server {
    pub fn new() -> Self {
        Self { os_input: ServerOsInputOutput::default(), session_state: Arc::default() }
    }

    /// A connection was accepted.
    pub fn new_client(&self) -> (ClientId, Receiver<ServerToClientMsg>) {
        let mut state = self.session_state.write().unwrap();
        let client_id = state.new_client();
        (client_id, self.os_input.new_client(client_id))
    }

    pub fn resize(&self, client_id: ClientId, size: Size) -> Option<Size> {
        let mut state = self.session_state.write().unwrap();
        *state.clients.get_mut(&client_id)? = Some(size);
        state.min_client_terminal_size()
    }

    /// From the route thread of the client, when it detaches or hangs up.
    pub fn client_exit(&self, client_id: ClientId) {
        self.os_input.remove_client(client_id); //~
        self.session_state.write().unwrap().clients.remove(&client_id); //~
    }

    /// From the screen thread.
    pub fn render(&self, output: &str) {
        let state = self.session_state.read().unwrap();
        for (client_id, size) in state.clients.iter() { //~
            if let Some(size) = size {
                let lines: Vec<&str> = output.lines().take(size.rows).collect();
                self.os_input.send_to_client(*client_id, ServerToClientMsg::Render(lines.join("\r\n")));
            }
        }
    }
}

fn main() {
    let server = Server::new();
    let mut clients = Vec::new();
    for _ in 0..4 {
        let server = server.clone();
        clients.push(std::thread::spawn(move || {
            let (client_id, output) = server.new_client();
            server.resize(client_id, Size { rows: 24, cols: 80 });
            for msg in output.iter().take(20) {
                if let ServerToClientMsg::Exit = msg {
                    break;
                }
            }
            server.client_exit(client_id);
        }));
    }
    while clients.iter().any(|client| !client.is_finished()) {
        server.render("~ $ ls\nCargo.toml  src\n~ $ ");
        std::thread::yield_now();
    }
    for client in clients {
        client.join().unwrap();
    }
}
