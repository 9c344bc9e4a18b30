// majiayu000/harness issue 439, repaired: `entry`. (What was raced in the original is reconstructed from the issue, which names `get` + `insert` only.)
//! RPC handlers for execution plans: the plans are in a database, those in use in a cache.

use std::collections::HashMap;
use std::sync::Arc;

use dashmap::DashMap;
use serde_json::{json, Value};
use tokio::sync::Mutex;
use uuid::Uuid;

const INTERNAL_ERROR: i64 = -32603;
const NOT_FOUND: i64 = -32004;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStatus {
    Draft,
    Active,
    Completed,
    Abandoned,
}

#[derive(Debug, Clone)]
pub struct ExecPlan {
    pub id: String,
    pub spec: String,
    pub status: PlanStatus,
    pub milestones: Vec<String>,
    pub decisions: Vec<(String, String)>,
}

impl ExecPlan {
    fn from_spec(spec: &str) -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            spec: spec.to_string(),
            status: PlanStatus::Draft,
            milestones: Vec::new(),
            decisions: Vec::new(),
        }
    }

    fn to_value(&self) -> Value {
        json!({
            "id": self.id,
            "status": format!("{:?}", self.status),
            "milestones": self.milestones,
            "decisions": self.decisions.len(),
        })
    }
}

#[derive(Default)]
pub struct PlanDb {
    rows: Mutex<HashMap<String, ExecPlan>>,
}

impl PlanDb {
    pub async fn upsert(&self, plan: &ExecPlan) -> anyhow::Result<()> {
        self.rows.lock().await.insert(plan.id.clone(), plan.clone());
        Ok(())
    }

    pub async fn get(&self, plan_id: &str) -> anyhow::Result<Option<ExecPlan>> {
        Ok(self.rows.lock().await.get(plan_id).cloned())
    }
}

pub struct AppState {
    pub plan_db: PlanDb,
    pub plan_cache: DashMap<String, Arc<Mutex<ExecPlan>>>,
}

fn rpc_error(code: i64, message: impl Into<String>) -> Value {
    json!({ "error": { "code": code, "message": message.into() } })
}

impl AppState {
    /// The plan out of the cache, where it is put if it is only in the database.
    async fn cached_plan(&self, plan_id: &str) -> anyhow::Result<Option<Arc<Mutex<ExecPlan>>>> {
        if let Some(plan) = self.plan_cache.get(plan_id) {
            return Ok(Some(plan.clone()));
        }
        let Some(plan) = self.plan_db.get(plan_id).await? else {
            return Ok(None);
        };
        let plan = self
            .plan_cache
            .entry(plan_id.to_string())
            .or_insert_with(|| Arc::new(Mutex::new(plan)))
            .clone();
        Ok(Some(plan))
    }

    pub async fn exec_plan_init(&self, spec: String) -> Value {
        let plan = ExecPlan::from_spec(&spec);
        if let Err(e) = self.plan_db.upsert(&plan).await {
            return rpc_error(INTERNAL_ERROR, format!("failed to persist plan: {e}"));
        }
        json!({ "plan_id": plan.id })
    }

    pub async fn exec_plan_status(&self, plan_id: &str) -> Value {
        match self.cached_plan(plan_id).await {
            Ok(Some(plan)) => plan.lock().await.to_value(),
            Ok(None) => rpc_error(NOT_FOUND, "plan not found"),
            Err(e) => rpc_error(INTERNAL_ERROR, format!("db error: {e}")),
        }
    }

    pub async fn exec_plan_update(&self, plan_id: &str, updates: Value) -> Value {
        let plan = match self.cached_plan(plan_id).await {
            Ok(Some(plan)) => plan,
            Ok(None) => return rpc_error(NOT_FOUND, "plan not found"),
            Err(e) => return rpc_error(INTERNAL_ERROR, format!("db error: {e}")),
        };

        let mut plan = plan.lock().await;
        let text = |field: &str| updates[field].as_str().unwrap_or_default().to_string();
        match updates["action"].as_str().unwrap_or_default() {
            "activate" => plan.status = PlanStatus::Active,
            "complete" => plan.status = PlanStatus::Completed,
            "abandon" => plan.status = PlanStatus::Abandoned,
            "add_milestone" => plan.milestones.push(text("description")),
            "log_decision" => plan.decisions.push((text("decision"), text("rationale"))),
            action => return rpc_error(INTERNAL_ERROR, format!("unknown action: {action}")),
        }
        // Still under the plan's lock: the updates reach the database in their order.
        match self.plan_db.upsert(&plan).await {
            Ok(()) => plan.to_value(),
            Err(e) => rpc_error(INTERNAL_ERROR, format!("failed to persist plan: {e}")),
        }
    }
}
