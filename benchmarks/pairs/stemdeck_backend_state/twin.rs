// Repaired as in stemdeckapp/stemdeck issue #133: child and address are one value behind one mutex.

use std::io;
use std::process::{Child, Command};
use std::sync::Mutex;

use thiserror::Error;
use uuid::Uuid;

#[derive(Debug, Error)]
pub enum BackendError {
    #[error("backend: {0}")]
    Io(#[from] io::Error),
    #[error("the backend is not running")]
    NotRunning,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    Stopped,
    Running { pid: u32, url: String },
}

struct BackendHandles {
    child: Child,
    url: String,
}

#[derive(Default)]
pub struct BackendState {
    backend: Mutex<Option<BackendHandles>>,
}

// The backend answers only who has the token that it was started with.
fn spawn_backend(program: &str, port: u16) -> io::Result<(Child, String)> {
    let token = Uuid::new_v4().simple().to_string();
    let child = Command::new(program)
        .arg("--port")
        .arg(port.to_string())
        .env("STEMDECK_TOKEN", &token)
        .spawn()?;
    log::info!("backend {} on port {port}", child.id());
    Ok((child, format!("http://127.0.0.1:{port}/?token={token}")))
}

fn stop_child(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    let status = child.wait()?;
    log::info!("backend ended: {status}");
    Ok(())
}

impl BackendState {
    pub fn start_backend(&self, program: &str, port: u16) -> Result<(), BackendError> {
        let mut backend = self.backend.lock().unwrap();
        if backend.is_some() {
            return Ok(());
        }
        let (child, url) = spawn_backend(program, port)?;
        *backend = Some(BackendHandles { child, url });
        Ok(())
    }

    pub fn stop_backend(&self) -> Result<(), BackendError> {
        let mut backend = self.backend.lock().unwrap();
        let Some(running) = backend.as_mut() else {
            return Err(BackendError::NotRunning);
        };
        stop_child(&mut running.child)?;
        *backend = None;
        Ok(())
    }

    pub fn backend_status(&self) -> Status {
        match self.backend.lock().unwrap().as_ref() {
            Some(running) => Status::Running { pid: running.child.id(), url: running.url.clone() },
            None => Status::Stopped,
        }
    }

    /// When the window is closed.
    pub fn on_window_destroyed(&self) {
        match self.stop_backend() {
            Ok(()) | Err(BackendError::NotRunning) => {}
            Err(e) => log::error!("stopping the backend: {e}"),
        }
    }
}
