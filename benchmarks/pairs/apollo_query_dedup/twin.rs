// As in PR #2014 the entry is removed under the wait map lock and the waiters are notified right then: whoever subscribed did so before the send, whoever comes later finds no entry and becomes a leader itself.
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::sync::broadcast;
use tower::{Service, ServiceExt};

pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
type CloneResult = Result<SubgraphResponse, String>;
type WaitMap = Arc<Mutex<HashMap<SubgraphRequest, broadcast::Sender<CloneResult>>>>;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SubgraphRequest(pub String);

#[derive(Clone, Debug)]
pub struct SubgraphResponse(pub Arc<str>);

/// The entry of the request that is on its way; taken out of the map when the leader ends or is dropped.
struct InFlight {
    wait_map: WaitMap,
    key: SubgraphRequest,
    sender: broadcast::Sender<CloneResult>,
    result: Option<CloneResult>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut wait_map = self.wait_map.lock().unwrap();
        wait_map.remove(&self.key);
        if let Some(result) = self.result.take() {
            let _ = self.sender.send(result);
        }
    }
}

/// Sends identical subgraph queries that are in flight at the same time only once.
#[derive(Clone)]
pub struct QueryDeduplication<S> {
    service: S,
    wait_map: WaitMap,
}

impl<S> QueryDeduplication<S>
where
    S: Service<SubgraphRequest, Response = SubgraphResponse, Error = BoxError>,
{
    pub fn new(service: S) -> Self {
        Self { service, wait_map: Default::default() }
    }

    async fn dedup(service: S, wait_map: WaitMap, request: SubgraphRequest) -> Result<SubgraphResponse, BoxError> {
        let role = {
            let mut locked = wait_map.lock().unwrap();
            match locked.get(&request) {
                Some(waiter) => Err(waiter.subscribe()),
                None => {
                    let (sender, _) = broadcast::channel(1);
                    locked.insert(request.clone(), sender.clone());
                    Ok(InFlight { wait_map: wait_map.clone(), key: request.clone(), sender, result: None })
                }
            }
        };
        match role {
            Err(mut receiver) => match receiver.recv().await {
                Ok(result) => result.map_err(Into::into),
                Err(_) => Err("the deduplicated request was cancelled".into()),
            },
            Ok(mut in_flight) => {
                let result = service.oneshot(request).await.map_err(|e| e.to_string());
                in_flight.result = Some(result.clone());
                drop(in_flight);
                result.map_err(Into::into)
            }
        }
    }
}

impl<S> Service<SubgraphRequest> for QueryDeduplication<S>
where
    S: Service<SubgraphRequest, Response = SubgraphResponse, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = SubgraphResponse;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<SubgraphResponse, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: SubgraphRequest) -> Self::Future {
        Box::pin(Self::dedup(self.service.clone(), self.wait_map.clone(), request))
    }
}
