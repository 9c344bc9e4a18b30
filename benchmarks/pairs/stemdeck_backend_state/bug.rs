// Modelled on stemdeckapp/stemdeck issue #133 ("consolidate BackendState into single Mutex to enforce invariant").
// Child and address of the backend are two mutexes, although both must be there or neither: a command that
// runs between the two writes finds a child without an address, and a stop in between leaves an address without a child.

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
    Running { pid: u32, url: Option<String> },
}

#[derive(Default)]
pub struct BackendState {
    child: Mutex<Option<Child>>,
    url: Mutex<Option<String>>,
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
        let mut child = self.child.lock().unwrap();
        if child.is_some() {
            return Ok(());
        }
        let (started, url) = spawn_backend(program, port)?;
        *child = Some(started); //~
        drop(child);
        *self.url.lock().unwrap() = Some(url); //~
        Ok(())
    }

    pub fn stop_backend(&self) -> Result<(), BackendError> {
        let mut child = self.child.lock().unwrap();
        let Some(running) = child.as_mut() else {
            return Err(BackendError::NotRunning);
        };
        stop_child(running)?;
        *child = None; //~
        drop(child);
        *self.url.lock().unwrap() = None; //~
        Ok(())
    }

    pub fn backend_status(&self) -> Status {
        let pid = match self.child.lock().unwrap().as_ref() { //~
            Some(child) => child.id(),
            None => return Status::Stopped,
        };
        let url = self.url.lock().unwrap().clone(); //~
        Status::Running { pid, url }
    }

    /// When the window is closed.
    pub fn on_window_destroyed(&self) {
        match self.stop_backend() {
            Ok(()) | Err(BackendError::NotRunning) => {}
            Err(e) => log::error!("stopping the backend: {e}"),
        }
    }
}
