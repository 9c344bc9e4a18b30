// `persist_run_async` hands on both errors, the store's and the blocking task's (panic), and `execute_run` marks the run as failed and returns the error; a run is executed, finished and saved by one caller only.
use futures::future::BoxFuture;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq)]
pub enum RunState {
    Pending,
    Running,
    Completed,
    Failed(String),
}

#[derive(Clone, Debug)]
pub struct WorkflowRun {
    pub id: Uuid,
    pub workflow: String,
    pub state: RunState,
    pub output: String,
}

pub trait RunStore: Send + Sync + 'static {
    /// Writes one run; blocks on the disk.
    fn save_run(&self, run: &WorkflowRun) -> anyhow::Result<()>;
}

pub type Step = Arc<dyn Fn(String) -> BoxFuture<'static, Result<String, String>> + Send + Sync>;

pub struct WorkflowEngine {
    runs: Mutex<HashMap<Uuid, WorkflowRun>>,
    store: Arc<dyn RunStore>,
}

impl WorkflowEngine {
    pub fn new(store: Arc<dyn RunStore>) -> Self {
        WorkflowEngine { runs: Mutex::new(HashMap::new()), store }
    }

    pub fn create_run(&self, workflow: &str) -> Uuid {
        let id = Uuid::new_v4();
        let run = WorkflowRun { id, workflow: workflow.to_string(), state: RunState::Pending, output: String::new() };
        self.runs.lock().unwrap().insert(id, run);
        id
    }

    pub fn state(&self, id: Uuid) -> Option<RunState> {
        self.runs.lock().unwrap().get(&id).map(|run| run.state.clone())
    }

    fn finish(&self, run: WorkflowRun) {
        self.runs.lock().unwrap().insert(run.id, run);
    }

    async fn persist_run_async(&self, run: WorkflowRun) -> Result<(), String> {
        let store = Arc::clone(&self.store);
        match tokio::task::spawn_blocking(move || store.save_run(&run)).await {
            Ok(saved) => saved.map_err(|err| format!("cannot save the run: {err}")),
            Err(err) => Err(format!("saving the run failed: {err}")),
        }
    }

    pub async fn execute_run(&self, id: Uuid, steps: &[Step], input: String) -> Result<String, String> {
        let mut run = {
            let mut runs = self.runs.lock().unwrap();
            let run = runs.get_mut(&id).ok_or("unknown run")?;
            if run.state != RunState::Pending {
                return Err("the run was already started".to_string());
            }
            run.state = RunState::Running;
            run.clone()
        };
        let mut output = input;
        let mut result = Ok(());
        for step in steps {
            match step(output.clone()).await {
                Ok(next) => output = next,
                Err(err) => {
                    result = Err(err);
                    break;
                }
            }
        }
        run.state = match &result {
            Ok(()) => RunState::Completed,
            Err(err) => RunState::Failed(err.clone()),
        };
        run.output = output.clone();
        let result = result.and(self.persist_run_async(run.clone()).await);
        if let Err(err) = &result {
            run.state = RunState::Failed(err.clone());
        }
        self.finish(run);
        result.map(|()| output)
    }
}
