// arman-jalili/rigorix-oss PR #810: repaired as there.
use async_trait::async_trait;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LlmBudgetError {
    ReservationFailed { detail: String },
    MaxCallsExceeded { used: u32, max: u32 },
    MaxTokensExceeded { used: u32, max: u32, requested: u32 },
}

pub struct BudgetStatus {
    pub calls_used: u32,
    pub tokens_used: u32,
}

#[async_trait]
pub trait LlmBudgetService: Send + Sync {
    async fn reserve(&self, estimated_tokens: u32) -> Result<LlmBudgetReservation, LlmBudgetError>;
    async fn get_status(&self) -> BudgetStatus;
}

struct BudgetState {
    max_calls: u32,
    max_tokens: u32,
    next_call_id: AtomicU32,
    used_calls: AtomicU32,
    used_tokens: AtomicU32,
}

impl BudgetState {
    fn reserve_call(&self) -> Result<(), LlmBudgetError> {
        let max = self.max_calls;
        self.used_calls
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
                (used < max).then_some(used + 1)
            })
            .map(|_| ())
            .map_err(|used| LlmBudgetError::MaxCallsExceeded { used, max })
    }

    fn release_call(&self) {
        self.used_calls.fetch_sub(1, Ordering::AcqRel);
    }

    fn reserve_tokens(&self, requested: u32) -> Result<(), LlmBudgetError> {
        let max = self.max_tokens;
        self.used_tokens
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
                used.checked_add(requested).filter(|total| *total <= max)
            })
            .map(|_| ())
            .map_err(|used| LlmBudgetError::MaxTokensExceeded { used, max, requested })
    }

    fn allocate_call_id(&self) -> u32 {
        self.next_call_id.fetch_add(1, Ordering::AcqRel)
    }
}

pub struct LlmBudgetReservation {
    budget: Arc<BudgetState>,
    call_id: u32,
    reserved_tokens: u32,
}

impl LlmBudgetReservation {
    pub fn commit(self, actual_tokens: u32) -> u32 {
        let refund = self.reserved_tokens.saturating_sub(actual_tokens);
        self.budget.used_tokens.fetch_sub(refund, Ordering::AcqRel);
        self.call_id
    }
}

pub struct LlmBudgetImpl {
    state: Arc<BudgetState>,
}

impl LlmBudgetImpl {
    pub fn new(max_calls: u32, max_tokens: u32) -> Self {
        Self {
            state: Arc::new(BudgetState {
                max_calls,
                max_tokens,
                next_call_id: AtomicU32::new(1),
                used_calls: AtomicU32::new(0),
                used_tokens: AtomicU32::new(0),
            }),
        }
    }
}

#[async_trait]
impl LlmBudgetService for LlmBudgetImpl {
    async fn reserve(&self, estimated_tokens: u32) -> Result<LlmBudgetReservation, LlmBudgetError> {
        if estimated_tokens == 0 {
            let detail = "estimated_tokens must be > 0".to_string();
            return Err(LlmBudgetError::ReservationFailed { detail });
        }
        self.state.reserve_call()?;
        if let Err(err) = self.state.reserve_tokens(estimated_tokens) {
            self.state.release_call();
            return Err(err);
        }
        let call_id = self.state.allocate_call_id();
        let budget = self.state.clone();
        Ok(LlmBudgetReservation { budget, call_id, reserved_tokens: estimated_tokens })
    }

    async fn get_status(&self) -> BudgetStatus {
        BudgetStatus {
            calls_used: self.state.used_calls.load(Ordering::Acquire),
            tokens_used: self.state.used_tokens.load(Ordering::Acquire),
        }
    }
}
