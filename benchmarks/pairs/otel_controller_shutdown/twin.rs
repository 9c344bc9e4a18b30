// open-telemetry/otel-arrow PR #3490
use parking_lot::Mutex;
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

pub type PipelineKey = (String, usize);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControllerError {
    ShuttingDown,
    AlreadyRunning(PipelineKey),
    Pipeline(String),
}

struct Instance {
    cancel: DropGuard,
    handle: JoinHandle<Result<(), ControllerError>>,
}

#[derive(Default)]
struct ControllerState {
    shutting_down: bool,
    instances: HashMap<PipelineKey, Instance>,
}

impl ControllerState {
    fn admit(&self, key: &PipelineKey) -> Result<(), ControllerError> {
        if self.shutting_down {
            return Err(ControllerError::ShuttingDown);
        }
        match self.instances.get(key) {
            Some(i) if !i.handle.is_finished() => Err(ControllerError::AlreadyRunning(key.clone())),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Default)]
pub struct Controller {
    state: Arc<Mutex<ControllerState>>,
    shutdown_gate: Arc<tokio::sync::Mutex<()>>,
}

impl Controller {
    pub fn launch<F, Fut>(&self, key: PipelineKey, run: F) -> Result<(), ControllerError>
    where
        F: FnOnce(CancellationToken) -> Fut,
        Fut: Future<Output = Result<(), ControllerError>> + Send + 'static,
    {
        let cancel = CancellationToken::new();
        let pipeline = run(cancel.clone());
        let mut state = self.state.lock();
        state.admit(&key)?;
        let instance = spawn_instance(&key, cancel, pipeline);
        state.instances.insert(key, instance);
        Ok(())
    }

    pub async fn shutdown_all(&self) -> Vec<(PipelineKey, ControllerError)> {
        let _gate = self.shutdown_gate.lock().await;
        let instances = {
            let mut state = self.state.lock();
            state.shutting_down = true;
            std::mem::take(&mut state.instances)
        };
        let mut stopping = Vec::with_capacity(instances.len());
        for (key, Instance { cancel, handle }) in instances {
            drop(cancel);
            stopping.push((key, handle));
        }
        let mut failures = Vec::new();
        for (key, handle) in stopping {
            match handle.await {
                Ok(Ok(())) => {}
                Ok(Err(err)) => failures.push((key, err)),
                Err(join) => failures.push((key, ControllerError::Pipeline(join.to_string()))),
            }
        }
        failures
    }
}

fn spawn_instance<Fut>(key: &PipelineKey, cancel: CancellationToken, pipeline: Fut) -> Instance
where
    Fut: Future<Output = Result<(), ControllerError>> + Send + 'static,
{
    let name = format!("{}/{}", key.0, key.1);
    let handle = tokio::spawn(async move {
        pipeline
            .await
            .inspect_err(|err| tracing::warn!(%name, "pipeline failed: {err:?}"))
    });
    Instance { cancel: cancel.drop_guard(), handle }
}
