// amqp-rs/lapin commit eb09d81: repaired as there.
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::Arc;

pub type ChannelId = u16;

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    ProtocolError(String),
    IOError(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConnectionState {
    Connecting,
    Error,
}

struct PromiseResolver(Sender<Result<(), Error>>);

impl PromiseResolver {
    fn swear(self, result: Result<(), Error>) {
        let _ = self.0.send(result);
    }
}

struct Inner {
    connection_step: Option<PromiseResolver>,
    state: ConnectionState,
}

#[derive(Clone)]
struct ConnectionStatus(Arc<Mutex<Inner>>);

impl ConnectionStatus {
    fn new(resolver: PromiseResolver) -> Self {
        let connection_step = Some(resolver);
        ConnectionStatus(Arc::new(Mutex::new(Inner { connection_step, state: ConnectionState::Connecting })))
    }

    fn set_state(&self, state: ConnectionState) -> ConnectionState {
        let mut inner = self.0.lock();
        std::mem::replace(&mut inner.state, state)
    }

    fn connection_resolver(&self) -> Option<PromiseResolver> {
        self.0.lock().connection_step.take()
    }
}

#[derive(Clone, Default)]
struct ErrorHandler {
    handler: Arc<Mutex<Option<Box<dyn FnMut(Error) + Send>>>>,
}

impl ErrorHandler {
    fn set_handler<E: FnMut(Error) + Send + 'static>(&self, handler: E) {
        *self.handler.lock() = Some(Box::new(handler));
    }

    fn on_error(&self, error: Error) {
        if let Some(handler) = self.handler.lock().as_mut() {
            handler(error)
        }
    }
}

pub struct Channels {
    inner: Arc<Mutex<HashMap<ChannelId, Option<Error>>>>,
    connection_status: ConnectionStatus,
    error_handler: ErrorHandler,
}

impl Channels {
    pub fn new(ids: Vec<ChannelId>, connected: Sender<Result<(), Error>>) -> Self {
        let channels = ids.into_iter().map(|id| (id, None)).collect();
        Channels {
            inner: Arc::new(Mutex::new(channels)),
            connection_status: ConnectionStatus::new(PromiseResolver(connected)),
            error_handler: ErrorHandler::default(),
        }
    }

    pub fn on_error<E: FnMut(Error) + Send + 'static>(&self, handler: E) {
        self.error_handler.set_handler(handler);
    }

    pub fn set_connection_error(&self, error: Error) {
        if let ConnectionState::Error = self.connection_status.set_state(ConnectionState::Error) {
            return;
        }

        if let Some(resolver) = self.connection_status.connection_resolver() {
            resolver.swear(Err(error.clone()));
        }
        self.error_handler.on_error(error.clone());
        for channel in self.inner.lock().values_mut() {
            *channel = Some(error.clone());
        }
    }

    pub fn channel_error(&self, id: ChannelId) -> Option<Error> {
        self.inner.lock().get(&id).cloned().flatten()
    }
}
