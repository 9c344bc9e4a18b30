// Modelled on djc/gcp_auth PR #41 ("Hold a mutex while refreshing the token").
// Every caller that finds the token expired under the read lock asks the metadata server for one
// itself: nothing is held or looked at again between the look and the store, so a herd refreshes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use thiserror::Error;
use tokio::sync::{Mutex, RwLock};

#[derive(Debug, Error)]
pub enum AuthError {
    #[error("metadata server answered {0}")]
    Status(u16),
    #[error("no scopes were given")]
    NoScopes,
}

#[derive(Debug, Clone)]
pub struct Token {
    pub secret: Arc<str>,
    pub expires_at: Instant,
}

impl Token {
    const MARGIN: Duration = Duration::from_secs(20);

    pub fn has_expired(&self) -> bool {
        self.expires_at
            .checked_duration_since(Instant::now())
            .map_or(true, |left| left < Self::MARGIN)
    }
}

#[async_trait]
pub trait TokenEndpoint: Send + Sync {
    async fn fetch(&self, scopes: &[&str]) -> Result<Token, AuthError>;
}

type ScopeKey = Vec<String>;

pub struct AuthenticationManager<E> {
    endpoint: E,
    tokens: RwLock<HashMap<ScopeKey, Token>>,
    project: Mutex<Option<String>>,
}

fn scope_key(scopes: &[&str]) -> ScopeKey {
    let mut key: Vec<String> = scopes.iter().map(|s| s.to_string()).collect();
    key.sort();
    key
}

impl<E: TokenEndpoint> AuthenticationManager<E> {
    pub fn new(endpoint: E) -> Self {
        Self {
            endpoint,
            tokens: RwLock::new(HashMap::new()),
            project: Mutex::new(None),
        }
    }

    async fn cached(&self, key: &ScopeKey) -> Option<Token> {
        let tokens = self.tokens.read().await;
        tokens.get(key).filter(|t| !t.has_expired()).cloned()
    }

    pub async fn get_token(&self, scopes: &[&str]) -> Result<Token, AuthError> {
        if scopes.is_empty() {
            return Err(AuthError::NoScopes);
        }
        let key = scope_key(scopes);
        if let Some(token) = self.cached(&key).await { //~
            return Ok(token);
        }
        let token = self.endpoint.fetch(scopes).await?;
        self.tokens.write().await.insert(key, token.clone()); //~
        Ok(token)
    }

    pub async fn set_project(&self, id: impl Into<String>) {
        *self.project.lock().await = Some(id.into());
    }

    pub async fn project_id(&self) -> Option<String> {
        self.project.lock().await.clone()
    }
}
