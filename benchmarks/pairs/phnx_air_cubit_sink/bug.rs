// Modelled on phnx-im/air PR #387 ("race between the first state notification and sink").
// The emitter tells the sinks when the state changes; a sink that is registered after the last change
// (often the very first one) is only put into the list, and its screen stays empty until something changes again.

use std::sync::Arc;

use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::trace;

#[derive(Debug, Error)]
#[error("the sink is closed")]
pub struct SinkClosed;

/// Where a screen gets the states of its cubit from.
pub trait StateSink<S>: Send {
    fn add(&self, state: S) -> Result<(), SinkClosed>;
}

type Sink<S> = Box<dyn StateSink<S>>;

pub struct CubitCore<S> {
    state_tx: watch::Sender<S>,
    sinks_tx: mpsc::UnboundedSender<Sink<S>>,
    _stop: DropGuard,
}

impl<S: Clone + Send + Sync + 'static> CubitCore<S> {
    pub fn with_initial_state(state: S) -> Self {
        let (state_tx, mut state_rx) = watch::channel(state);
        state_rx.mark_changed();
        let (sinks_tx, sinks_rx) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        tokio::spawn(emitter_loop(state_rx, sinks_rx, stop.clone()));
        Self { state_tx, sinks_tx, _stop: stop.drop_guard() }
    }

    pub fn state(&self) -> S {
        self.state_tx.borrow().clone()
    }

    pub fn update(&self, change: impl FnOnce(&mut S)) {
        self.state_tx.send_modify(change);
    }

    pub fn add_sink(&self, sink: impl StateSink<S> + 'static) -> Result<(), SinkClosed> {
        self.sinks_tx.send(Box::new(sink)).map_err(|_| SinkClosed)
    }
}

async fn emitter_loop<S: Clone + Send + Sync + 'static>(
    mut state_rx: watch::Receiver<S>,
    mut sinks_rx: mpsc::UnboundedReceiver<Sink<S>>,
    stop: CancellationToken,
) {
    let mut sinks: Vec<Sink<S>> = Vec::new();
    loop {
        tokio::select! {
            sink = sinks_rx.recv() => {
                let Some(sink) = sink else { return };
                sinks.push(sink); //~
            }
            changed = state_rx.changed() => { //~
                if changed.is_err() {
                    return;
                }
                let state = state_rx.borrow().clone();
                trace!(num_sinks = sinks.len(), "emitting new state");
                sinks.retain(|sink| sink.add(state.clone()).is_ok());
            }
            _ = stop.cancelled() => return,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserState {
    pub user_name: Option<String>,
    pub devices: Vec<String>,
}

pub struct UserCubit {
    core: Arc<CubitCore<UserState>>,
}

impl UserCubit {
    pub fn new(state: UserState) -> Self {
        Self { core: Arc::new(CubitCore::with_initial_state(state)) }
    }

    pub fn stream(&self, sink: impl StateSink<UserState> + 'static) -> Result<(), SinkClosed> {
        self.core.add_sink(sink)
    }

    pub fn set_user_name(&self, name: &str) {
        self.core.update(|state| state.user_name = Some(name.to_string()));
    }

    pub fn add_device(&self, device: String) {
        self.core.update(|state| state.devices.push(device));
    }

    pub fn state(&self) -> UserState {
        self.core.state()
    }
}
