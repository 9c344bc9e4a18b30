// shpool (terminal session daemon), PR #366: `handle_attach` asks the session whether it is busy, lets its lock go, answers the client and locks again to put the client in; two terminals that attach at once are both told "attached" and the second tramples on the first.
use parking_lot::Mutex;
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
    fn select_shell_desc(&self, name: &str) -> (Arc<Mutex<Session>>, AttachStatus) {
        let mut created = false;
        let session = {
            let mut shells = self.shells.lock();
            let session = shells.entry(name.to_string()).or_insert_with(|| {
                created = true;
                Arc::default()
            });
            Arc::clone(session)
        };
        let status = {
            let inner = session.lock();
            match &inner.client { //~
                Some(_) => AttachStatus::Busy,
                None if created => AttachStatus::Created,
                None => AttachStatus::Attached,
            }
        };
        (session, status)
    }

    /// Called on the thread of each connection.
    pub fn handle_attach(&self, name: &str, client: Client) -> AttachStatus {
        let (session, status) = self.select_shell_desc(name);
        if client.conn.send(ServerMessage::AttachReply(status)).is_err() || status == AttachStatus::Busy {
            return status;
        }
        session.lock().attach(client); //~
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
