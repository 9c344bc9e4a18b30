// conda/rattler (PR #2522), repaired: a refresh gate per auth key; whoever has waited for it reads the stored credential again and uses the fresh one.
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authentication {
    BearerToken(String),
    Basic { username: String, password: String },
    OAuth { access_token: String, refresh_token: Option<String>, expires_at: SystemTime },
}

#[derive(Debug)]
pub enum AuthError {
    InvalidGrant,
    Transport(String),
    Storage(String),
}

pub trait StorageBackend: Send + Sync {
    fn get(&self, host: &str) -> Result<Option<Authentication>, AuthError>;
    fn store(&self, host: &str, auth: &Authentication) -> Result<(), AuthError>;
    fn delete(&self, host: &str) -> Result<(), AuthError>;
}

#[derive(Default)]
pub struct MemoryStorage {
    entries: RwLock<HashMap<String, Authentication>>,
}

impl StorageBackend for MemoryStorage {
    fn get(&self, host: &str) -> Result<Option<Authentication>, AuthError> {
        let entries = self.entries.read().map_err(|e| AuthError::Storage(e.to_string()))?;
        Ok(entries.get(host).cloned())
    }

    fn store(&self, host: &str, auth: &Authentication) -> Result<(), AuthError> {
        let mut entries = self.entries.write().map_err(|e| AuthError::Storage(e.to_string()))?;
        entries.insert(host.to_owned(), auth.clone());
        Ok(())
    }

    fn delete(&self, host: &str) -> Result<(), AuthError> {
        let mut entries = self.entries.write().map_err(|e| AuthError::Storage(e.to_string()))?;
        entries.remove(host);
        Ok(())
    }
}

pub struct TokenResponse {
    pub access_token: String,
    pub refresh_token: Option<String>,
    pub expires_in: Duration,
}

#[async_trait]
pub trait TokenEndpoint: Send + Sync {
    async fn refresh(&self, host: &str, refresh_token: &str) -> Result<TokenResponse, AuthError>;
}

/// Credentials of all hosts, together with what is needed to keep them fresh.
pub struct AuthenticationStorage {
    backends: Vec<Arc<dyn StorageBackend>>,
    refresh_gates: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl AuthenticationStorage {
    pub fn new(backends: Vec<Arc<dyn StorageBackend>>) -> Self {
        Self { backends, refresh_gates: Mutex::new(HashMap::new()) }
    }

    fn refresh_gate(&self, host: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut gates = self.refresh_gates.lock().unwrap_or_else(|e| e.into_inner());
        gates.entry(host.to_owned()).or_default().clone()
    }

    pub fn get(&self, host: &str) -> Result<Option<Authentication>, AuthError> {
        for backend in &self.backends {
            if let Some(auth) = backend.get(host)? {
                return Ok(Some(auth));
            }
        }
        Ok(None)
    }

    /// Stores the credential of a new login; a refresh that is under way must not put its own over it.
    pub async fn login(&self, host: &str, auth: &Authentication) -> Result<(), AuthError> {
        let gate = self.refresh_gate(host);
        let _refreshing = gate.lock().await;
        self.store(host, auth)
    }

    fn store(&self, host: &str, auth: &Authentication) -> Result<(), AuthError> {
        let mut last = Err(AuthError::Storage("no backend".into()));
        for backend in &self.backends {
            last = backend.store(host, auth);
            if last.is_ok() {
                break;
            }
        }
        last
    }
}

pub struct AuthenticationMiddleware {
    storage: Arc<AuthenticationStorage>,
    endpoint: Arc<dyn TokenEndpoint>,
    leeway: Duration,
}

impl AuthenticationMiddleware {
    pub fn new(storage: Arc<AuthenticationStorage>, endpoint: Arc<dyn TokenEndpoint>) -> Self {
        Self { storage, endpoint, leeway: Duration::from_secs(30) }
    }

    fn is_expired(&self, expires_at: SystemTime) -> bool {
        SystemTime::now() + self.leeway >= expires_at
    }

    /// The credential to attach to a request for `host`, refreshed when it has run out.
    pub async fn authentication_for(&self, host: &str) -> Result<Option<Authentication>, AuthError> {
        let auth = self.storage.get(host)?;
        match auth {
            Some(Authentication::OAuth { refresh_token: Some(_), expires_at, .. }) if self.is_expired(expires_at) => {
                let gate = self.storage.refresh_gate(host);
                let _refreshing = gate.lock().await;
                let current = self.storage.get(host)?;
                self.refresh_if_needed(host, current).await
            }
            other => Ok(other),
        }
    }

    async fn refresh_if_needed(&self, host: &str, auth: Option<Authentication>) -> Result<Option<Authentication>, AuthError> {
        let Some(Authentication::OAuth { refresh_token: Some(refresh_token), expires_at, .. }) = &auth else {
            return Ok(auth);
        };
        if !self.is_expired(*expires_at) {
            return Ok(auth);
        }
        let response = self.endpoint.refresh(host, refresh_token).await?;
        let fresh = Authentication::OAuth {
            access_token: response.access_token,
            refresh_token: response.refresh_token.or_else(|| Some(refresh_token.clone())),
            expires_at: SystemTime::now() + response.expires_in,
        };
        self.storage.store(host, &fresh)?;
        Ok(Some(fresh))
    }
}
