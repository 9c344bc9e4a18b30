// Source: librespot-org/librespot commit 3a7843d, repaired as there: `resolve` is atomic, from the look to the taking out, the question to the
// service included (there by a flag that is waited for; here by the guard of tokio's mutex).
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Mutex;

pub type SocketAddress = (String, u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    AccessPoint,
    Dealer,
    SpClient,
}

#[derive(Debug)]
pub struct ResolveError(pub String);

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "access points could not be resolved: {}", self.0)
    }
}

/// What the service answers: `host:port`, those that are to be preferred first.
#[derive(Clone, Debug)]
pub struct ApResolveData {
    pub accesspoint: Vec<String>,
    pub dealer: Vec<String>,
    pub spclient: Vec<String>,
}

impl Default for ApResolveData {
    fn default() -> Self {
        ApResolveData {
            accesspoint: vec!["ap.spotify.com:443".to_owned()],
            dealer: vec!["dealer.spotify.com:443".to_owned()],
            spclient: vec!["spclient.wg.spotify.com:443".to_owned()],
        }
    }
}

#[async_trait]
pub trait ResolveService: Send + Sync {
    async fn fetch(&self) -> Result<ApResolveData, ResolveError>;
}

#[derive(Clone, Debug, Default)]
struct AccessPoints {
    accesspoint: Vec<SocketAddress>,
    dealer: Vec<SocketAddress>,
    spclient: Vec<SocketAddress>,
}

impl AccessPoints {
    fn is_any_empty(&self) -> bool {
        self.accesspoint.is_empty() || self.dealer.is_empty() || self.spclient.is_empty()
    }

    fn list_mut(&mut self, endpoint: Endpoint) -> &mut Vec<SocketAddress> {
        match endpoint {
            Endpoint::AccessPoint => &mut self.accesspoint,
            Endpoint::Dealer => &mut self.dealer,
            Endpoint::SpClient => &mut self.spclient,
        }
    }
}

pub struct ApResolver<S> {
    inner: Arc<ApResolverInner<S>>,
}

impl<S> Clone for ApResolver<S> {
    fn clone(&self) -> Self {
        ApResolver { inner: self.inner.clone() }
    }
}

struct ApResolverInner<S> {
    service: S,
    data: Mutex<AccessPoints>,
}

impl<S: ResolveService> ApResolver<S> {
    pub fn new(service: S) -> Self {
        ApResolver { inner: Arc::new(ApResolverInner { service, data: Mutex::default() }) }
    }

    fn process_data(data: Vec<String>) -> Vec<SocketAddress> {
        data.into_iter()
            .filter_map(|ap| {
                let (host, port) = ap.rsplit_once(':')?;
                Some((host.to_owned(), port.parse().ok()?))
            })
            .collect()
    }

    async fn apresolve(&self, points: &mut AccessPoints) {
        let result = self.inner.service.fetch().await;

        let data = match result {
            Ok(data) => data,
            Err(_) => ApResolveData::default(),
        };
        points.accesspoint = Self::process_data(data.accesspoint);
        points.dealer = Self::process_data(data.dealer);
        points.spclient = Self::process_data(data.spclient);
    }

    /// Gives out an access point; each only once.
    pub async fn resolve(&self, endpoint: Endpoint) -> SocketAddress {
        let mut points = self.inner.data.lock().await;
        if points.is_any_empty() {
            self.apresolve(&mut points).await;
        }

        // The first position instead of the last with `pop`, because the service returns access points in order of preference.
        points.list_mut(endpoint).remove(0)
    }
}
