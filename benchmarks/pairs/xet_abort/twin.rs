// The task goes from Queued to Running only if it is still Queued, look and write under one lock of the status; every change of the status is such a guarded one, so Cancelled is final.
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TaskStatus { Queued, Running, Completed, Failed, Cancelled }

#[derive(Debug)]
pub enum SessionError {
    Aborted,
    Io(std::io::Error),
    Join(tokio::task::JoinError),
}

pub struct UploadTask {
    path: PathBuf,
    status: Mutex<TaskStatus>,
}

impl UploadTask {
    pub fn status(&self) -> TaskStatus {
        *self.status.lock().unwrap()
    }

    async fn upload(&self) -> Result<u64, SessionError> {
        let data = tokio::fs::read(&self.path).await.map_err(SessionError::Io)?;
        Ok(data.len() as u64)
    }
}

pub struct UploadHandle {
    pub task: Arc<UploadTask>,
    join: JoinHandle<Result<u64, SessionError>>,
}

impl UploadHandle {
    pub async fn finish(self) -> Result<u64, SessionError> {
        self.join.await.map_err(SessionError::Join)?
    }
}

#[derive(Default)]
struct SessionState {
    aborted: bool,
    tasks: Vec<Arc<UploadTask>>,
}

pub struct UploadSession {
    permits: Arc<Semaphore>,
    state: Mutex<SessionState>,
}

async fn run_upload(task: Arc<UploadTask>, permits: Arc<Semaphore>) -> Result<u64, SessionError> {
    let _permit = permits.acquire().await.map_err(|_| SessionError::Aborted)?;
    {
        let mut status = task.status.lock().unwrap();
        if *status != TaskStatus::Queued {
            return Err(SessionError::Aborted);
        }
        *status = TaskStatus::Running;
    }
    let result = task.upload().await;
    let mut status = task.status.lock().unwrap();
    if *status != TaskStatus::Running {
        return Err(SessionError::Aborted);
    }
    *status = if result.is_ok() { TaskStatus::Completed } else { TaskStatus::Failed };
    result
}

impl UploadSession {
    pub fn new(max_concurrent: usize) -> Self {
        UploadSession { permits: Arc::new(Semaphore::new(max_concurrent)), state: Mutex::default() }
    }

    pub fn upload_file(&self, path: PathBuf) -> Result<UploadHandle, SessionError> {
        let mut state = self.state.lock().unwrap();
        if state.aborted {
            return Err(SessionError::Aborted);
        }
        let task = Arc::new(UploadTask { path, status: Mutex::new(TaskStatus::Queued) });
        state.tasks.push(Arc::clone(&task));
        let join = tokio::spawn(run_upload(Arc::clone(&task), Arc::clone(&self.permits)));
        Ok(UploadHandle { task, join })
    }

    pub fn abort(&self) {
        let mut state = self.state.lock().unwrap();
        state.aborted = true;
        for task in state.tasks.drain(..) {
            let mut status = task.status.lock().unwrap();
            if matches!(*status, TaskStatus::Queued | TaskStatus::Running) {
                *status = TaskStatus::Cancelled;
            }
        }
    }
}
