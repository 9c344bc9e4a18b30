// yoshidan/google-cloud-rust PR #48
use async_trait::async_trait;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::RwLock;

const EXPIRY_DELTA: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub enum Error {
    InvalidGrant,
    Http(u16),
    NoRefreshToken,
}

#[derive(Debug, Clone)]
pub struct Token {
    pub access_token: String,
    pub token_type: String,
    pub refresh_token: Option<String>,
    pub expiry: Option<Instant>,
}

impl Token {
    pub fn value(&self) -> String {
        format!("{} {}", self.token_type, self.access_token)
    }

    pub fn valid(&self) -> bool {
        !self.access_token.is_empty() && !self.expired()
    }

    fn expired(&self) -> bool {
        match self.expiry {
            Some(at) => at <= Instant::now() + EXPIRY_DELTA,
            None => false,
        }
    }
}

#[async_trait]
pub trait TokenExchange: Send + Sync {
    async fn exchange(&self, refresh_token: &str) -> Result<Token, Error>;
}

#[async_trait]
pub trait TokenSource: Send + Sync {
    async fn token(&self) -> Result<Token, Error>;
}

pub struct ReuseTokenSource {
    target: Box<dyn TokenExchange>,
    current_token: RwLock<Token>,
}

impl ReuseTokenSource {
    pub fn new(target: Box<dyn TokenExchange>, token: Token) -> Self {
        Self {
            target,
            current_token: RwLock::new(token),
        }
    }

    async fn cached(&self) -> Option<Token> {
        let current = self.current_token.read().await;
        current.valid().then(|| current.clone())
    }

    async fn refresh(&self) -> Result<Token, Error> {
        let refresh_token = self
            .current_token
            .read()
            .await
            .refresh_token
            .clone()
            .ok_or(Error::NoRefreshToken)?;
        let mut token = self.target.exchange(&refresh_token).await?;
        if token.refresh_token.is_none() {
            token.refresh_token = Some(refresh_token);
        }
        *self.current_token.write().await = token.clone();
        Ok(token)
    }
}

#[async_trait]
impl TokenSource for ReuseTokenSource {
    async fn token(&self) -> Result<Token, Error> {
        if let Some(token) = self.cached().await {
            return Ok(token);
        }
        self.refresh().await
    }
}

pub struct AuthHeader {
    source: Arc<dyn TokenSource>,
}

impl AuthHeader {
    pub fn new(source: Arc<dyn TokenSource>) -> Self {
        Self { source }
    }

    pub async fn header(&self) -> Result<(&'static str, String), Error> {
        let token = self.source.token().await?;
        Ok(("authorization", token.value()))
    }
}
