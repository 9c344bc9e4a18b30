// tikv/tikv PR #16048, commit 293b9eeabb: repaired as there.
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, Semaphore};

struct DeferContext<T: FnOnce()>(Option<T>);

impl<T: FnOnce()> DeferContext<T> {
    fn new(t: T) -> DeferContext<T> {
        DeferContext(Some(t))
    }
}

impl<T: FnOnce()> Drop for DeferContext<T> {
    fn drop(&mut self) {
        if let Some(t) = self.0.take() {
            t()
        }
    }
}

#[derive(Clone, Debug)]
pub struct ChangeDataRequest {
    pub region_id: u64,
    pub request_id: u64,
}

#[derive(Clone, Debug)]
pub enum CdcEvent {
    RegionNotFound(u64),
    DuplicateRequest(u64),
    InitializeFailed(u64, String),
}

#[async_trait]
pub trait Initializer: Send + Sync {
    async fn initialize(&self, request: &ChangeDataRequest) -> Result<(), String>;
}

pub struct CdcConfig {
    pub incremental_scan_concurrency: usize,
    pub incremental_scan_concurrency_limit: isize,
}

pub struct Endpoint {
    workers: Handle,
    config: CdcConfig,
    init: Arc<dyn Initializer>,
    downstreams: Arc<Mutex<HashMap<(u64, u64), mpsc::UnboundedSender<CdcEvent>>>>,
    scan_task_counter: Arc<AtomicIsize>,
    scan_concurrency_semaphore: Arc<Semaphore>,
}

impl Endpoint {
    pub fn new(workers: Handle, config: CdcConfig, init: Arc<dyn Initializer>) -> Endpoint {
        Endpoint {
            workers,
            init,
            downstreams: Arc::default(),
            scan_task_counter: Arc::default(),
            scan_concurrency_semaphore: Arc::new(Semaphore::new(config.incremental_scan_concurrency)),
            config,
        }
    }

    fn subscribe(&self, request: &ChangeDataRequest, sink: &mpsc::UnboundedSender<CdcEvent>) -> bool {
        match self.downstreams.lock().entry((request.region_id, request.request_id)) {
            Entry::Occupied(_) => false,
            Entry::Vacant(e) => {
                e.insert(sink.clone());
                true
            }
        }
    }

    pub fn on_register(&self, request: ChangeDataRequest, sink: mpsc::UnboundedSender<CdcEvent>) {
        let scan_task_counter = self.scan_task_counter.clone();
        let scan_task_count = scan_task_counter.fetch_add(1, Ordering::Relaxed);
        let release_scan_task_counter = DeferContext::new(move || {
            scan_task_counter.fetch_sub(1, Ordering::Relaxed);
        });
        if scan_task_count + 1 > self.config.incremental_scan_concurrency_limit {
            let _ = sink.send(CdcEvent::RegionNotFound(request.region_id));
            return;
        }
        if !self.subscribe(&request, &sink) {
            let _ = sink.send(CdcEvent::DuplicateRequest(request.region_id));
            return;
        }

        let init = self.init.clone();
        let downstreams = self.downstreams.clone();
        let concurrency_semaphore = self.scan_concurrency_semaphore.clone();
        self.workers.spawn(async move {
            let _permit = concurrency_semaphore.acquire().await;
            if let Err(e) = init.initialize(&request).await {
                downstreams.lock().remove(&(request.region_id, request.request_id));
                let _ = sink.send(CdcEvent::InitializeFailed(request.region_id, e));
            }
            drop(release_scan_task_counter);
        });
    }
}
