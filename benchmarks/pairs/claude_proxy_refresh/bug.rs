// claude-code-proxy, PR #42: refresh_now is not serialized; requests that hit the expiry together all post the same single-use refresh token, the first rotates it, the others get 401 and their clear_auth() destroys the tokens the winner has just saved.
use async_trait::async_trait;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;
use tracing::{debug, info, warn};

const REFRESH_MARGIN: Duration = Duration::from_secs(300);

#[derive(Clone, Debug, PartialEq)]
pub struct StoredAuth {
    pub access: String,
    pub refresh: String,
    pub expires_at: SystemTime,
    pub account_id: Option<String>,
}

impl StoredAuth {
    fn is_fresh(&self) -> bool {
        self.expires_at > SystemTime::now() + REFRESH_MARGIN
    }
}

#[derive(Debug)]
pub enum AuthError { NotLoggedIn, Unauthorized, Transport(String), Store(String) }

/// The file or keychain entry in which the tokens are kept.
#[async_trait]
pub trait AuthStore: Send + Sync + 'static {
    async fn load_auth(&self) -> Result<Option<StoredAuth>, AuthError>;
    async fn save_auth(&self, auth: &StoredAuth) -> Result<(), AuthError>;
    async fn clear_auth(&self) -> Result<(), AuthError>;
}

/// POST /oauth/token
#[async_trait]
pub trait TokenEndpoint: Send + Sync + 'static {
    async fn refresh(&self, refresh_token: &str) -> Result<StoredAuth, AuthError>;
}

pub struct CodexAuthManager {
    store: Arc<dyn AuthStore>,
    endpoint: Arc<dyn TokenEndpoint>,
    cached: Mutex<Option<StoredAuth>>,
}

impl CodexAuthManager {
    pub fn new(store: Arc<dyn AuthStore>, endpoint: Arc<dyn TokenEndpoint>) -> Self {
        Self { store, endpoint, cached: Mutex::new(None) }
    }

    /// The tokens for a request, refreshed if they are about to expire.
    pub async fn get_auth(self: &Arc<Self>) -> Result<StoredAuth, AuthError> {
        if let Some(auth) = self.cached.lock().await.clone() {
            if auth.is_fresh() {
                return Ok(auth);
            }
        }
        self.spawn_refresh(None).await
    }

    /// Called when the upstream has answered 401 to a request with this access token.
    pub async fn force_refresh(self: &Arc<Self>, rejected_access: &str) -> Result<StoredAuth, AuthError> {
        self.spawn_refresh(Some(rejected_access.to_string())).await
    }

    /// A refresh goes on when the request that needs it is dropped; otherwise rotated tokens could get lost.
    async fn spawn_refresh(self: &Arc<Self>, rejected_access: Option<String>) -> Result<StoredAuth, AuthError> {
        let this = self.clone();
        let refresh = tokio::spawn(async move { this.refresh_now(rejected_access.as_deref()).await });
        refresh.await.unwrap_or_else(|err| Err(AuthError::Transport(err.to_string())))
    }

    async fn refresh_now(&self, rejected_access: Option<&str>) -> Result<StoredAuth, AuthError> {
        let current = self.store.load_auth().await?.ok_or(AuthError::NotLoggedIn)?; //~
        if current.is_fresh() && rejected_access != Some(current.access.as_str()) {
            debug!("tokens in the store are fresh, no need to refresh");
            *self.cached.lock().await = Some(current.clone());
            return Ok(current);
        }
        match self.endpoint.refresh(&current.refresh).await { //~
            Ok(mut auth) => {
                auth.account_id = auth.account_id.or(current.account_id);
                self.store.save_auth(&auth).await?; //~
                *self.cached.lock().await = Some(auth.clone());
                info!("tokens refreshed");
                Ok(auth)
            }
            Err(AuthError::Unauthorized) => {
                warn!("refresh token was rejected, login required");
                self.store.clear_auth().await?; //~
                *self.cached.lock().await = None;
                Err(AuthError::Unauthorized)
            }
            Err(err) => Err(err),
        }
    }

    /// Saves the tokens of a new login.
    pub async fn login(&self, auth: StoredAuth) -> Result<(), AuthError> {
        self.store.save_auth(&auth).await?;
        *self.cached.lock().await = Some(auth);
        Ok(())
    }

    pub async fn logout(&self) -> Result<(), AuthError> {
        self.store.clear_auth().await?;
        *self.cached.lock().await = None;
        Ok(())
    }
}
