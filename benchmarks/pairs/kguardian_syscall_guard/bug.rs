// Modelled on kguardian-dev/kguardian PR #1343 ("stop a DashMap guard being held across await in the controller").
// The entry of the container is kept over the await for the cache; the pod watcher is a future of the same task,
// and when it inserts into the same shard it blocks the thread that would have to let the guard go.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use async_trait::async_trait;
use dashmap::DashMap;
use tokio::sync::{mpsc, Mutex};
use tracing::{debug, error};

#[derive(Debug, Clone)]
pub struct PodInspect {
    pub pod_name: String,
    pub namespace: String,
}

#[derive(Debug, Clone, Copy)]
pub struct SyscallEventData {
    pub inum: u64,
    pub sysnbr: u32,
}

pub enum PodEvent {
    Started { inum: u64, pod: PodInspect },
    Stopped { inum: u64 },
}

#[async_trait]
pub trait Broker: Send + Sync {
    async fn post_syscalls(&self, pod_name: &str, syscalls: &[String]) -> Result<()>;
}

pub type ContainerMap = Arc<DashMap<u64, PodInspect>>;

#[derive(Default)]
pub struct SyscallCache {
    unsent: Mutex<HashMap<String, HashSet<String>>>,
}

impl SyscallCache {
    async fn add(&self, pod_name: &str, syscall: String) {
        let mut unsent = self.unsent.lock().await;
        if !unsent.entry(pod_name.to_string()).or_default().insert(syscall) {
            debug!(pod_name, "Skipping duplicate syscall");
        }
    }

    async fn take(&self) -> HashMap<String, HashSet<String>> {
        std::mem::take(&mut *self.unsent.lock().await)
    }

    async fn give_back(&self, pod_name: String, syscalls: Vec<String>) {
        self.unsent.lock().await.entry(pod_name).or_default().extend(syscalls);
    }
}

fn syscall_name(number: u32) -> String {
    match number {
        0 => "read".to_string(),
        1 => "write".to_string(),
        59 => "execve".to_string(),
        other => other.to_string(),
    }
}

pub async fn handle_syscall_events(
    mut event_receiver: mpsc::Receiver<SyscallEventData>,
    container_map: ContainerMap,
    cache: Arc<SyscallCache>,
) -> Result<()> {
    while let Some(event) = event_receiver.recv().await {
        // DashMap provides lock-free reads - no need for explicit locking!
        if let Some(pod_inspect) = container_map.get(&event.inum) { //~
            process_syscall_event(&event, &pod_inspect, &cache).await //~
        }
    }
    error!("Syscall event receiver exited unexpectedly!");
    Ok(())
}

async fn process_syscall_event(data: &SyscallEventData, pod: &PodInspect, cache: &SyscallCache) {
    cache.add(&pod.pod_name, syscall_name(data.sysnbr)).await;
}

pub async fn watch_pods(mut pods: mpsc::Receiver<PodEvent>, container_map: ContainerMap) -> Result<()> {
    while let Some(event) = pods.recv().await {
        match event {
            PodEvent::Started { inum, pod } => {
                debug!(inum, namespace = pod.namespace, "pod started");
                container_map.insert(inum, pod); //~
            }
            PodEvent::Stopped { inum } => {
                container_map.remove(&inum);
            }
        }
    }
    Ok(())
}

pub async fn send_syscall_cache_periodically<B: Broker>(cache: Arc<SyscallCache>, broker: B) -> Result<()> {
    loop {
        tokio::time::sleep(Duration::from_secs(10)).await;
        for (pod_name, syscalls) in cache.take().await {
            let syscalls: Vec<String> = syscalls.into_iter().collect();
            if let Err(e) = broker.post_syscalls(&pod_name, &syscalls).await {
                error!("Failed to post syscalls of {pod_name}: {e}");
                cache.give_back(pod_name, syscalls).await;
            }
        }
    }
}

pub async fn run<B: Broker>(
    events: mpsc::Receiver<SyscallEventData>,
    pods: mpsc::Receiver<PodEvent>,
    broker: B,
) -> Result<()> {
    let container_map = ContainerMap::default();
    let cache = Arc::new(SyscallCache::default());
    tokio::try_join!(
        handle_syscall_events(events, container_map.clone(), cache.clone()),
        watch_pods(pods, container_map),
        send_syscall_cache_periodically(cache, broker),
    )?;
    Ok(())
}
