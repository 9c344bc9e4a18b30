// Repaired as for ZerosAndOnesLLC/AiFw issue #75: the administrator is created only if there is still no user, in one
// section; the look before is for the answer only.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;
use tokio::sync::RwLock;
use uuid::Uuid;

#[derive(Debug, Error)]
pub enum ApiError {
    #[error("registration is closed")]
    Forbidden,
    #[error("{0}")]
    BadRequest(&'static str),
    #[error("internal: {0}")]
    Internal(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Admin,
    Viewer,
}

#[derive(Debug, Clone)]
pub struct User {
    pub id: Uuid,
    pub username: String,
    pub password_hash: String,
    pub role: Role,
}

impl User {
    fn new(username: &str, password_hash: String, role: Role) -> Self {
        Self { id: Uuid::new_v4(), username: username.to_string(), password_hash, role }
    }
}

#[derive(Default)]
pub struct UserStore {
    users: RwLock<HashMap<String, User>>,
}

impl UserStore {
    pub async fn count_users(&self) -> usize {
        self.users.read().await.len()
    }

    pub async fn get(&self, username: &str) -> Option<User> {
        self.users.read().await.get(username).cloned()
    }

    /// Creates the user if it is the first one.
    pub async fn create_first_admin(&self, user: User) -> Result<User, ApiError> {
        let mut users = self.users.write().await;
        if !users.is_empty() {
            return Err(ApiError::Forbidden);
        }
        users.insert(user.username.clone(), user.clone());
        Ok(user)
    }

    pub async fn create_user(&self, user: User) -> Result<User, ApiError> {
        let mut users = self.users.write().await;
        if users.contains_key(&user.username) {
            return Err(ApiError::BadRequest("username is taken"));
        }
        users.insert(user.username.clone(), user.clone());
        Ok(user)
    }
}

pub type PasswordHasher = fn(&str) -> String;

#[derive(Clone)]
pub struct AppState {
    pub store: Arc<UserStore>,
    pub hasher: PasswordHasher,
}

pub struct RegisterRequest {
    pub username: String,
    pub password: String,
}

async fn hash_password(hasher: PasswordHasher, password: String) -> Result<String, ApiError> {
    tokio::task::spawn_blocking(move || hasher(&password))
        .await
        .map_err(|e| ApiError::Internal(e.to_string()))
}

fn validate(req: &RegisterRequest) -> Result<(), ApiError> {
    if req.username.is_empty() {
        return Err(ApiError::BadRequest("username is empty"));
    }
    if req.password.len() < 8 {
        return Err(ApiError::BadRequest("password is too short"));
    }
    Ok(())
}

/// POST /auth/register, without authentication.
pub async fn register(state: AppState, req: RegisterRequest) -> Result<User, ApiError> {
    validate(&req)?;
    if state.store.count_users().await > 0 {
        return Err(ApiError::Forbidden);
    }
    let password_hash = hash_password(state.hasher, req.password).await?;
    let user = User::new(&req.username, password_hash, Role::Admin);
    let user = state.store.create_first_admin(user).await?;
    tracing::info!(username = %user.username, "the administrator has registered");
    Ok(user)
}

/// POST /users, by an administrator.
pub async fn add_user(state: AppState, caller: &User, req: RegisterRequest) -> Result<User, ApiError> {
    if caller.role != Role::Admin {
        return Err(ApiError::Forbidden);
    }
    validate(&req)?;
    let password_hash = hash_password(state.hasher, req.password).await?;
    state.store.create_user(User::new(&req.username, password_hash, Role::Viewer)).await
}
