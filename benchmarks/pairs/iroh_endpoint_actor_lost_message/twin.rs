// n0-computer/iroh PR #3643, commit c792334b8a: repaired as there.
use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time;
use tokio_util::task::AbortOnDropHandle;

const ACTOR_MAX_IDLE_TIMEOUT: Duration = Duration::from_secs(1);

pub type EndpointId = [u8; 32];

enum EndpointStateMessage {
    SendDatagram(Vec<u8>),
    SendBatch(Vec<Vec<u8>>),
}

struct EndpointStateActor {
    endpoint_id: EndpointId,
    transports_sender: mpsc::UnboundedSender<(EndpointId, Vec<u8>)>,
    close_lock: Arc<Mutex<()>>,
}

impl EndpointStateActor {
    fn start(self) -> EndpointStateHandle {
        let (tx, rx) = mpsc::channel(16);
        let close_lock = self.close_lock.clone();
        let task = tokio::spawn(async move { self.run(rx).await });
        EndpointStateHandle {
            sender: tx,
            close_lock,
            _task: AbortOnDropHandle::new(task),
        }
    }

    fn is_idle(&self, inbox: &mpsc::Receiver<EndpointStateMessage>) -> bool {
        inbox.sender_strong_count() == 1 && inbox.is_empty()
    }

    async fn run(&self, mut inbox: mpsc::Receiver<EndpointStateMessage>) {
        loop {
            tokio::select! {
                biased;
                msg = inbox.recv() => match msg {
                    Some(msg) => self.handle_message(msg),
                    None => break,
                },
                _ = time::sleep(ACTOR_MAX_IDLE_TIMEOUT) => {
                    let _guard = self.close_lock.lock().expect("poisoned");
                    if self.is_idle(&inbox) {
                        inbox.close();
                        break;
                    }
                }
            }
        }
    }

    fn transmit(&self, data: Vec<u8>) {
        let _ = self.transports_sender.send((self.endpoint_id, data));
    }

    fn handle_message(&self, msg: EndpointStateMessage) {
        match msg {
            EndpointStateMessage::SendDatagram(data) => self.transmit(data),
            EndpointStateMessage::SendBatch(batch) => batch.into_iter().for_each(|data| self.transmit(data)),
        }
    }
}

struct EndpointStateHandle {
    sender: mpsc::Sender<EndpointStateMessage>,
    close_lock: Arc<Mutex<()>>,
    _task: AbortOnDropHandle<()>,
}

impl EndpointStateHandle {
    fn sender(&self) -> Option<mpsc::Sender<EndpointStateMessage>> {
        let _guard = self.close_lock.lock().expect("poisoned");
        if self.sender.is_closed() {
            None
        } else {
            Some(self.sender.clone())
        }
    }
}

pub struct EndpointMap {
    actor_handles: Mutex<HashMap<EndpointId, EndpointStateHandle>>,
    transports_sender: mpsc::UnboundedSender<(EndpointId, Vec<u8>)>,
}

impl EndpointMap {
    pub fn new(transports_sender: mpsc::UnboundedSender<(EndpointId, Vec<u8>)>) -> Self {
        Self { actor_handles: Mutex::new(HashMap::new()), transports_sender }
    }

    fn endpoint_state_actor(&self, eid: EndpointId) -> mpsc::Sender<EndpointStateMessage> {
        let mut handles = self.actor_handles.lock().expect("poisoned");
        loop {
            match handles.entry(eid) {
                Entry::Occupied(entry) => {
                    if let Some(sender) = entry.get().sender() {
                        return sender;
                    }
                    entry.remove();
                }
                Entry::Vacant(entry) => {
                    let transports_sender = self.transports_sender.clone();
                    let actor = EndpointStateActor {
                        endpoint_id: eid,
                        transports_sender,
                        close_lock: Arc::default(),
                    };
                    let handle = entry.insert(actor.start());
                    return handle.sender().expect("just created");
                }
            }
        }
    }

    pub async fn send_datagram(&self, eid: EndpointId, data: Vec<u8>) {
        let actor = self.endpoint_state_actor(eid);
        actor.send(EndpointStateMessage::SendDatagram(data)).await.ok();
    }

    pub async fn send_batch(&self, eid: EndpointId, batch: Vec<Vec<u8>>) {
        let actor = self.endpoint_state_actor(eid);
        actor.send(EndpointStateMessage::SendBatch(batch)).await.ok();
    }
}
