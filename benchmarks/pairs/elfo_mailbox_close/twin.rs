// elfo-rs/elfo PR #89: `close` takes the lock of `closed_trace_id` before it closes the channel and holds it until the id is there;
// a `recv` which sees the channel closed waits on that lock and finds the id.
use crossbeam::queue::SegQueue;
use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore, TryAcquireError};

const LIMIT: usize = 100_000;

pub type TraceId = u64;

#[derive(Debug)]
pub struct Envelope {
    pub trace_id: TraceId,
    pub payload: Vec<u8>,
}

#[derive(Debug)]
pub enum TrySendError<T> {
    Full(T),
    Closed(T),
}

pub enum RecvResult {
    Data(Envelope),
    Closed(TraceId),
}

pub struct Mailbox {
    queue: SegQueue<Envelope>,
    tx_semaphore: Semaphore,
    rx_notify: Notify,
    closed_trace_id: Mutex<Option<TraceId>>,
}

impl Mailbox {
    pub fn new() -> Self {
        Self {
            queue: SegQueue::new(),
            tx_semaphore: Semaphore::new(LIMIT),
            rx_notify: Notify::new(),
            closed_trace_id: Mutex::new(None),
        }
    }

    pub async fn send(&self, envelope: Envelope) -> Result<(), TrySendError<Envelope>> {
        let permit = match self.tx_semaphore.acquire().await {
            Ok(permit) => permit,
            Err(_) => return Err(TrySendError::Closed(envelope)),
        };
        permit.forget();
        self.queue.push(envelope);
        self.rx_notify.notify_one();
        Ok(())
    }

    pub fn try_send(&self, envelope: Envelope) -> Result<(), TrySendError<Envelope>> {
        match self.tx_semaphore.try_acquire() {
            Ok(permit) => {
                permit.forget();
                self.queue.push(envelope);
                self.rx_notify.notify_one();
                Ok(())
            }
            Err(TryAcquireError::NoPermits) => Err(TrySendError::Full(envelope)),
            Err(TryAcquireError::Closed) => Err(TrySendError::Closed(envelope)),
        }
    }

    /// Called by the actor only.
    pub async fn recv(&self) -> RecvResult {
        loop {
            if let Some(envelope) = self.queue.pop() {
                self.tx_semaphore.add_permits(1);
                return RecvResult::Data(envelope);
            }
            if self.tx_semaphore.is_closed() {
                return self.on_close();
            }
            self.rx_notify.notified().await;
        }
    }

    #[cold]
    pub fn close(&self, trace_id: TraceId) -> bool {
        let mut closed_trace_id = self.closed_trace_id.lock();
        if self.tx_semaphore.is_closed() {
            return false;
        }
        *closed_trace_id = Some(trace_id);
        self.tx_semaphore.close();
        self.rx_notify.notify_one();
        true
    }

    #[cold]
    pub fn drop_all(&self) {
        while self.queue.pop().is_some() {}
    }

    #[cold]
    fn on_close(&self) -> RecvResult {
        // Some messages may be in the queue after the channel is closed.
        match self.queue.pop() {
            Some(envelope) => RecvResult::Data(envelope),
            None => {
                let trace_id = self.closed_trace_id.lock().expect("called before close()");
                RecvResult::Closed(trace_id)
            }
        }
    }
}
