// neondatabase/neon, #3273: `schedule_upload` looks at the state and adds its task afterwards; `detach` can stop the tenant and collect the tasks in between, so the upload runs on a tenant that is already gone.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TenantState {
    Attaching,
    Active,
    Stopping,
}

#[derive(Debug, PartialEq, Eq)]
pub enum TenantError {
    NotActive(TenantState),
    AlreadyStopping,
}

pub struct Tenant {
    id: String,
    state: watch::Sender<TenantState>,
    tasks: Mutex<JoinSet<()>>,
    cancel: CancellationToken,
    layers: Mutex<BTreeMap<String, u64>>,
}

impl Tenant {
    pub fn attach(id: &str) -> Arc<Self> {
        Arc::new(Self {
            id: id.to_string(),
            state: watch::Sender::new(TenantState::Attaching),
            tasks: Mutex::new(JoinSet::new()),
            cancel: CancellationToken::new(),
            layers: Mutex::default(),
        })
    }

    pub async fn wait_until_attached(&self) -> TenantState {
        let mut state = self.state.subscribe();
        let attached = state.wait_for(|state| *state != TenantState::Attaching).await.map(|state| *state);
        attached.unwrap_or(TenantState::Stopping)
    }

    pub fn activate(&self) -> bool {
        self.state.send_if_modified(|state| {
            let attaching = *state == TenantState::Attaching;
            if attaching {
                *state = TenantState::Active;
            }
            attaching
        })
    }

    /// Uploads a layer to the remote storage in the background.
    pub fn schedule_upload(self: &Arc<Self>, layer: String, size: u64) -> Result<(), TenantError> {
        let state = *self.state.borrow(); //~
        if state != TenantState::Active {
            return Err(TenantError::NotActive(state));
        }
        let tenant = Arc::clone(self);
        let mut tasks = self.tasks.lock().unwrap();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move { //~
            tokio::select! {
                _ = tenant.cancel.cancelled() => tracing::info!("upload of {layer} to {} cancelled", tenant.id),
                _ = tokio::time::sleep(Duration::from_millis(size / 1024)) => {
                    tenant.layers.lock().unwrap().insert(layer, size);
                }
            }
        });
        Ok(())
    }

    /// Stops all tasks of the tenant and forgets its local layers.
    pub async fn detach(&self) -> Result<(), TenantError> {
        if self.state.send_replace(TenantState::Stopping) == TenantState::Stopping {
            return Err(TenantError::AlreadyStopping);
        }
        self.cancel.cancel();
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap()); //~
        while tasks.join_next().await.is_some() {}
        self.layers.lock().unwrap().clear();
        Ok(())
    }
}
