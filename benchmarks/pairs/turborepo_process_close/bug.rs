// vercel/turborepo PR #6516
use futures::future::join_all;
use std::io;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use tokio::process::{Child as Process, Command};
use tokio::sync::{mpsc, watch, RwLock};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildExit {
    Finished(Option<i32>),
    Killed,
    Failed,
}

enum ChildCommand {
    Stop,
}

enum ChildState {
    Running(mpsc::Sender<ChildCommand>),
    Exited(ChildExit),
}

#[derive(Clone)]
pub struct Child {
    state: Arc<RwLock<ChildState>>,
    exit: watch::Receiver<Option<ChildExit>>,
}

impl Child {
    fn spawn(mut command: Command) -> io::Result<Self> {
        let process = command.kill_on_drop(true).spawn()?;
        let (command_tx, command_rx) = mpsc::channel(1);
        let (exit_tx, exit) = watch::channel(None);
        let state = Arc::new(RwLock::new(ChildState::Running(command_tx)));
        let task_state = Arc::downgrade(&state);
        tokio::spawn(async move {
            let status = supervise(process, command_rx).await;
            if let Some(state) = task_state.upgrade() {
                *state.write().await = ChildState::Exited(status);
            }
            let _ = exit_tx.send(Some(status));
        });
        Ok(Self { state, exit })
    }

    fn has_exited(&self) -> bool {
        self.exit.borrow().is_some()
    }

    pub async fn wait(&self) -> ChildExit {
        let mut exit = self.exit.clone();
        let seen = exit.wait_for(Option::is_some).await.map(|e| *e);
        seen.ok().flatten().unwrap_or(ChildExit::Failed)
    }

    pub async fn stop(&self) -> ChildExit {
        let state = self.state.read().await;
        match &*state {
            ChildState::Running(commands) => {
                let _ = commands.send(ChildCommand::Stop).await;
                self.wait().await
            }
            ChildState::Exited(exit) => *exit,
        }
    }
}

async fn supervise(mut process: Process, mut commands: mpsc::Receiver<ChildCommand>) -> ChildExit {
    let finished = |status: io::Result<ExitStatus>| match status {
        Ok(status) => ChildExit::Finished(status.code()),
        Err(_) => ChildExit::Failed,
    };
    tokio::select! {
        status = process.wait() => finished(status),
        _ = commands.recv() => match process.kill().await {
            Ok(()) => ChildExit::Killed,
            Err(_) => finished(process.wait().await),
        },
    }
}

#[derive(Default)]
struct ProcessManagerInner {
    is_closing: bool,
    children: Vec<Child>,
}

#[derive(Clone, Default)]
pub struct ProcessManager {
    state: Arc<Mutex<ProcessManagerInner>>,
}

impl ProcessManager {
    pub fn spawn(&self, command: Command) -> Option<io::Result<Child>> {
        let mut lock = self.state.lock().unwrap();
        if lock.is_closing {
            return None;
        }
        let child = Child::spawn(command);
        if let Ok(child) = &child {
            lock.children.retain(|c| !c.has_exited());
            lock.children.push(child.clone());
        }
        Some(child)
    }

    pub async fn stop(&self) -> Vec<ChildExit> {
        let children = {
            let mut lock = self.state.lock().unwrap();
            lock.is_closing = true;
            lock.children.clone()
        };
        join_all(children.iter().map(Child::stop)).await
    }
}
