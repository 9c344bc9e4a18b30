// As in PR #47 refreshes are serialized (and look again once it is their turn), and the stored session is replaced or cleared only if it still holds the refresh token that was sent, checked and changed in one `send_if_modified`.
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::sync::Mutex;

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
    refreshing: Arc<Mutex<()>>,
}

impl<A: AuthApi> AuthManager<A> {
    pub fn new(api: A, stored: Option<Session>) -> Self {
        let session = Arc::new(watch::Sender::new(stored));
        Self { api: Arc::new(api), session, refreshing: Arc::default() }
    }

    /// The window shows whether somebody is signed in.
    pub fn watch_session(&self) -> watch::Receiver<Option<Session>> {
        self.session.subscribe()
    }

    pub fn sign_in(&self, session: Session) {
        self.session.send_replace(Some(session));
    }

    pub async fn sign_out(&self) -> Result<(), AuthError> {
        match self.session.send_replace(None) {
            Some(session) => self.api.revoke(&session.refresh_token).await,
            None => Ok(()),
        }
    }

    /// Replaces the session unless it was changed since `observed` was read.
    fn replace_if_observed(&self, observed: &Session, new: Option<Session>) -> bool {
        self.session.send_if_modified(|current| {
            let same = current.as_ref().is_some_and(|c| c.refresh_token == observed.refresh_token);
            if same {
                *current = new;
            }
            same
        })
    }

    /// An access token that is good for at least a minute.
    pub async fn access_token(&self) -> Result<String, AuthError> {
        let _refreshing = self.refreshing.lock().await;
        let observed = self.session.borrow().clone().ok_or(AuthError::SignedOut)?;
        if observed.expires_at > Instant::now() + Duration::from_secs(60) {
            return Ok(observed.access_token);
        }
        match self.api.refresh(&observed.refresh_token).await {
            Ok(session) => {
                let access_token = session.access_token.clone();
                match self.replace_if_observed(&observed, Some(session)) {
                    true => Ok(access_token),
                    false => Err(AuthError::SignedOut),
                }
            }
            Err(AuthError::InvalidGrant) => {
                self.replace_if_observed(&observed, None);
                Err(AuthError::SignedOut)
            }
            Err(err) => Err(err),
        }
    }
}
