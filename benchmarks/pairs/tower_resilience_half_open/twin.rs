// joshrotenberg/tower-resilience PR #407 (closes #382): a probe is admitted only with a permit of a semaphore made for this
// half-open period; the reservation is made at admission, is forgotten with the result and comes back when the call is dropped.
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

#[derive(Clone)]
pub struct CircuitBreakerConfig {
    pub failure_rate_threshold: f64,
    pub minimum_number_of_calls: usize,
    pub wait_duration_in_open: Duration,
    pub permitted_calls_in_half_open: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitState {
    Closed,
    Open,
    HalfOpen,
}

#[derive(Debug)]
pub enum CircuitBreakerError<E> {
    OpenCircuit,
    Inner(E),
}

pub struct Circuit {
    state: CircuitState,
    generation: u64,
    last_state_change: Instant,
    success_count: usize,
    failure_count: usize,
    /// The probes of this half-open period, made anew at every transition into it.
    half_open_probes: Arc<Semaphore>,
}

/// The reservation of a call; a probe which is dropped before its end gives its permit back.
struct Admission {
    generation: u64,
    probe: Option<OwnedSemaphorePermit>,
}

impl Circuit {
    fn new() -> Self {
        Self {
            state: CircuitState::Closed,
            generation: 0,
            last_state_change: Instant::now(),
            success_count: 0,
            failure_count: 0,
            half_open_probes: Arc::new(Semaphore::new(0)),
        }
    }

    fn transition_to(&mut self, state: CircuitState) {
        self.state = state;
        self.generation += 1;
        self.last_state_change = Instant::now();
        self.success_count = 0;
        self.failure_count = 0;
    }

    fn try_acquire(&mut self, config: &CircuitBreakerConfig) -> Option<Admission> {
        if self.state == CircuitState::Open && self.last_state_change.elapsed() >= config.wait_duration_in_open {
            self.transition_to(CircuitState::HalfOpen);
            self.half_open_probes = Arc::new(Semaphore::new(config.permitted_calls_in_half_open));
        }
        match self.state {
            CircuitState::Closed => Some(Admission { generation: self.generation, probe: None }),
            CircuitState::Open => None,
            CircuitState::HalfOpen => {
                let permit = self.half_open_probes.clone().try_acquire_owned().ok()?;
                Some(Admission { generation: self.generation, probe: Some(permit) })
            }
        }
    }

    fn record(&mut self, config: &CircuitBreakerConfig, generation: u64, ok: bool) {
        if generation != self.generation {
            return;
        }
        if ok { self.success_count += 1 } else { self.failure_count += 1 }
        if self.state == CircuitState::HalfOpen {
            if !ok {
                self.transition_to(CircuitState::Open);
            } else if self.success_count >= config.permitted_calls_in_half_open {
                self.transition_to(CircuitState::Closed);
            }
            return;
        }
        let total = self.success_count + self.failure_count;
        let rate = self.failure_count as f64 / total as f64;
        if total >= config.minimum_number_of_calls && rate >= config.failure_rate_threshold {
            self.transition_to(CircuitState::Open);
        }
    }
}

#[derive(Clone)]
pub struct CircuitBreaker {
    circuit: Arc<Mutex<Circuit>>,
    config: Arc<CircuitBreakerConfig>,
}

impl CircuitBreaker {
    pub fn new(config: CircuitBreakerConfig) -> Self {
        Self { circuit: Arc::new(Mutex::new(Circuit::new())), config: Arc::new(config) }
    }

    pub async fn call<F, Fut, T, E>(&self, inner: F) -> Result<T, CircuitBreakerError<E>>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let admitted = self.circuit.lock().await.try_acquire(&self.config);
        let Some(admission) = admitted else {
            return Err(CircuitBreakerError::OpenCircuit);
        };
        let result = inner().await;
        let mut circuit = self.circuit.lock().await;
        circuit.record(&self.config, admission.generation, result.is_ok());
        if let Some(probe) = admission.probe {
            probe.forget();
        }
        drop(circuit);
        result.map_err(CircuitBreakerError::Inner)
    }
}
