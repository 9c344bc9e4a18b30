// tinyhumansai/openhuman PR 3380 (review): The run is spawned before it is registered; if it ends first, it finds no entry and skips the write-back, then the entry is registered for good: the card stays in progress.
//! Task-card dispatcher: claims a card, runs one autonomous agent turn in a detached task and
//! writes the outcome back to the board.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::sync::watch;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskCardStatus {
    Todo,
    InProgress,
    Done,
    Blocked,
}

#[derive(Debug, Clone)]
pub struct TaskBoardCard {
    pub id: String,
    pub objective: String,
    pub status: TaskCardStatus,
    pub evidence: Option<String>,
}

#[derive(Default)]
pub struct TaskBoard {
    cards: Mutex<HashMap<String, TaskBoardCard>>,
}

impl TaskBoard {
    pub fn put(&self, card: TaskBoardCard) {
        self.cards.lock().unwrap().insert(card.id.clone(), card);
    }

    pub fn get(&self, card_id: &str) -> Option<TaskBoardCard> {
        self.cards.lock().unwrap().get(card_id).cloned()
    }

    /// Compare-and-set: only a `Todo` card can be claimed.
    fn claim_card(&self, card_id: &str) -> Result<TaskBoardCard, String> {
        let mut cards = self.cards.lock().unwrap();
        let card = cards.get_mut(card_id).ok_or_else(|| format!("no card {card_id}"))?;
        if card.status != TaskCardStatus::Todo {
            return Err(format!("card {card_id} is {:?}", card.status));
        }
        card.status = TaskCardStatus::InProgress;
        Ok(card.clone())
    }

    fn write_back(&self, card_id: &str, outcome: Result<String, String>) {
        if let Some(card) = self.cards.lock().unwrap().get_mut(card_id) {
            let (status, text) = match outcome {
                Ok(evidence) => (TaskCardStatus::Done, evidence),
                Err(reason) => (TaskCardStatus::Blocked, reason),
            };
            card.status = status;
            card.evidence = Some(text);
        }
    }
}

/// Handle to an in-flight autonomous run, keyed by its session `thread_id`.
struct ActiveRun {
    abort: tokio::task::AbortHandle,
    hb_cancel: watch::Sender<bool>,
    board: Arc<TaskBoard>,
    card_id: String,
}

static ACTIVE_RUNS: OnceLock<Mutex<HashMap<String, ActiveRun>>> = OnceLock::new();

fn active_runs() -> &'static Mutex<HashMap<String, ActiveRun>> {
    ACTIVE_RUNS.get_or_init(|| Mutex::new(HashMap::new()))
}

fn register_active_run(thread_id: String, run: ActiveRun) {
    active_runs().lock().unwrap().insert(thread_id, run); //~
}

/// The run that completes and a concurrent [`cancel_session`] race on this: whoever gets `Some`
/// owns the terminal write-back, so that it happens exactly once.
fn take_active_run(thread_id: &str) -> Option<ActiveRun> {
    active_runs().lock().unwrap().remove(thread_id) //~
}

/// Cancels the run that streams into session `thread_id`; false if there is none.
pub async fn cancel_session(thread_id: &str) -> bool {
    let Some(run) = take_active_run(thread_id) else {
        return false;
    };
    run.abort.abort();
    let _ = run.hb_cancel.send(true);
    run.board.write_back(&run.card_id, Err("Cancelled by user".to_string()));
    true
}

fn spawn_heartbeat_task(run_id: String, mut cancel: watch::Receiver<bool>) {
    tokio::spawn(async move {
        let mut ticker = tokio::time::interval(Duration::from_secs(30));
        loop {
            tokio::select! {
                _ = ticker.tick() => tracing::debug!(%run_id, "heartbeat"),
                _ = cancel.changed() => return,
            }
        }
    });
}

/// Claims the card and spawns its run. Returns the thread id of the run's session.
pub async fn dispatch_card<F, Fut>(
    board: Arc<TaskBoard>,
    card_id: String,
    run_autonomous: F,
) -> Result<String, String>
where
    F: FnOnce(String) -> Fut + Send + 'static,
    Fut: Future<Output = Result<String, String>> + Send + 'static,
{
    let card = board.claim_card(&card_id)?;
    let run_id = uuid::Uuid::new_v4().to_string();
    let thread_id = format!("task-{run_id}");
    let (hb_cancel, hb_cancel_rx) = watch::channel(false);
    spawn_heartbeat_task(run_id.clone(), hb_cancel_rx);

    let thread_for_run = thread_id.clone();
    let join = tokio::spawn(async move { //~
        let outcome = run_autonomous(card.objective).await;
        if let Some(run) = take_active_run(&thread_for_run) {
            let _ = run.hb_cancel.send(true);
            run.board.write_back(&run.card_id, outcome);
        }
        tracing::info!(%run_id, "autonomous run over");
    });

    register_active_run(
        thread_id.clone(),
        ActiveRun { abort: join.abort_handle(), hb_cancel, board, card_id },
    );
    Ok(thread_id)
}
