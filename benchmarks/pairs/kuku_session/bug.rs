// kuku-mom/kuku, PR #47: `access_token` reads the session, awaits the refresh and then replaces or clears the session whatever it is by now: a `sign_out` is undone, and of two concurrent refreshes the late one throws away the good tokens.
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub access_token: String,
    pub refresh_token: String,
    pub expires_at: Instant,
}

#[derive(Debug, PartialEq, Eq)]
pub enum AuthError {
    SignedOut,
    InvalidGrant,
    Network(String),
}

#[async_trait::async_trait]
pub trait AuthApi: Send + Sync {
    /// Refresh tokens are consumed: the server accepts each one once.
    async fn refresh(&self, refresh_token: &str) -> Result<Session, AuthError>;
    async fn revoke(&self, refresh_token: &str) -> Result<(), AuthError>;
}

#[derive(Clone)]
pub struct AuthManager<A> {
    api: Arc<A>,
    session: Arc<watch::Sender<Option<Session>>>,
}

impl<A: AuthApi> AuthManager<A> {
    pub fn new(api: A, stored: Option<Session>) -> Self {
        Self { api: Arc::new(api), session: Arc::new(watch::Sender::new(stored)) }
    }

    /// The window shows whether somebody is signed in.
    pub fn watch_session(&self) -> watch::Receiver<Option<Session>> {
        self.session.subscribe()
    }

    pub fn sign_in(&self, session: Session) {
        self.session.send_replace(Some(session));
    }

    pub async fn sign_out(&self) -> Result<(), AuthError> {
        match self.session.send_replace(None) { //~
            Some(session) => self.api.revoke(&session.refresh_token).await,
            None => Ok(()),
        }
    }

    /// An access token that is good for at least a minute.
    pub async fn access_token(&self) -> Result<String, AuthError> {
        let observed = self.session.borrow().clone().ok_or(AuthError::SignedOut)?; //~
        if observed.expires_at > Instant::now() + Duration::from_secs(60) {
            return Ok(observed.access_token);
        }
        match self.api.refresh(&observed.refresh_token).await {
            Ok(session) => {
                let access_token = session.access_token.clone();
                self.session.send_replace(Some(session)); //~
                Ok(access_token)
            }
            Err(AuthError::InvalidGrant) => {
                self.session.send_replace(None);
                Err(AuthError::SignedOut)
            }
            Err(err) => Err(err),
        }
    }
}
