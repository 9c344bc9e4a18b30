// `select_shell_desc` returns the guard of the session, so the look at the client and the putting in happen under one lock; a session is never removed, and locks are taken in the order shells, session.
use parking_lot::{ArcMutexGuard, Mutex, RawMutex};
use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttachStatus { Created, Attached, Busy }

#[derive(Clone, Debug, PartialEq)]
pub enum ServerMessage {
    AttachReply(AttachStatus),
    Output(String),
}

pub struct Client {
    pub pid: u32,
    pub conn: Sender<ServerMessage>,
}

#[derive(Default)]
pub struct Session {
    client: Option<Client>,
    scrollback: Vec<String>,
}

impl Session {
    fn attach(&mut self, client: Client) {
        for line in &self.scrollback {
            let _ = client.conn.send(ServerMessage::Output(line.clone()));
        }
        self.client = Some(client);
    }
}

#[derive(Default)]
pub struct Server {
    shells: Mutex<HashMap<String, Arc<Mutex<Session>>>>,
}

impl Server {
    fn select_shell_desc(&self, name: &str) -> (ArcMutexGuard<RawMutex, Session>, AttachStatus) {
        let mut created = false;
        let session = {
            let mut shells = self.shells.lock();
            let session = shells.entry(name.to_string()).or_insert_with(|| {
                created = true;
                Arc::default()
            });
            Arc::clone(session)
        };
        let inner = Mutex::lock_arc(&session);
        let status = match &inner.client {
            Some(_) => AttachStatus::Busy,
            None if created => AttachStatus::Created,
            None => AttachStatus::Attached,
        };
        (inner, status)
    }

    /// Called on the thread of each connection.
    pub fn handle_attach(&self, name: &str, client: Client) -> AttachStatus {
        let (mut session, status) = self.select_shell_desc(name);
        if client.conn.send(ServerMessage::AttachReply(status)).is_err() || status == AttachStatus::Busy {
            return status;
        }
        session.attach(client);
        status
    }

    pub fn handle_detach(&self, name: &str, pid: u32) -> bool {
        let Some(session) = self.shells.lock().get(name).cloned() else { return false };
        let mut inner = session.lock();
        let attached = inner.client.as_ref().is_some_and(|client| client.pid == pid);
        if attached {
            inner.client = None;
        }
        attached
    }

    /// Called by the shell's reader thread.
    pub fn shell_output(&self, name: &str, line: String) {
        let Some(session) = self.shells.lock().get(name).cloned() else { return };
        let mut inner = session.lock();
        if let Some(client) = &inner.client {
            if client.conn.send(ServerMessage::Output(line.clone())).is_err() {
                inner.client = None;
            }
        }
        inner.scrollback.push(line);
    }
}
