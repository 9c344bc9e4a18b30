// redis-rs/redis-rs, PR #278: the attempt is put in by compare_and_swap with the connection that was seen to fail, and only who has swapped starts it; a failure of an older connection changes nothing any more.
use arc_swap::ArcSwap;
use futures::future::{BoxFuture, FutureExt, Shared};
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, warn};

#[derive(Debug, Clone)]
pub enum RedisError {
    Io(Arc<std::io::Error>),
    ConnectionDropped,
    Server(String),
}

impl RedisError {
    fn is_connection_dropped(&self) -> bool {
        matches!(self, RedisError::Io(_) | RedisError::ConnectionDropped)
    }
}

pub type RedisResult<T> = Result<T, RedisError>;

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Nil,
    Okay,
    Int(i64),
    Bulk(Vec<u8>),
}

/// A connection on which commands of several callers may be under way.
pub trait ConnectionLike: Clone + Send + Sync + 'static {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a [u8]) -> BoxFuture<'a, RedisResult<Value>>;
}

pub trait Client: Clone + Send + Sync + 'static {
    type Connection: ConnectionLike;

    fn connect(&self) -> BoxFuture<'_, RedisResult<Self::Connection>>;
}

#[derive(Debug, Clone)]
pub struct RetryStrategy {
    pub base: Duration,
    pub number_of_retries: u32,
}

type SharedRedisFuture<T> = Shared<BoxFuture<'static, RedisResult<T>>>;

/// Wraps a multiplexed connection and reconnects when it is dropped.
#[derive(Clone)]
pub struct ConnectionManager<C: Client> {
    client: C,
    /// The connection, or the attempt to get one, on which all who send in the meantime wait.
    connection: Arc<ArcSwap<SharedRedisFuture<C::Connection>>>,
    retry: RetryStrategy,
}

impl<C: Client> ConnectionManager<C> {
    pub async fn new(client: C, retry: RetryStrategy) -> RedisResult<Self> {
        let connection = Self::new_connection(client.clone(), retry.clone()).await?;
        let ready = async move { Ok(connection) }.boxed().shared();
        Ok(Self { client, connection: Arc::new(ArcSwap::from_pointee(ready)), retry })
    }

    async fn new_connection(client: C, retry: RetryStrategy) -> RedisResult<C::Connection> {
        let mut attempt = 0;
        loop {
            match client.connect().await {
                Err(err) if attempt < retry.number_of_retries => {
                    warn!(attempt, "connecting failed: {err:?}");
                    tokio::time::sleep(retry.base * 2u32.pow(attempt)).await;
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    /// Replaces `current`, which has turned out to be dropped, by an attempt to connect again.
    fn reconnect(&self, current: &Arc<SharedRedisFuture<C::Connection>>) {
        debug!(was_connected = current.peek().is_some(), "connection dropped, connecting again");
        let new_connection = Self::new_connection(self.client.clone(), self.retry.clone()).boxed().shared();
        let prev = self.connection.compare_and_swap(current, Arc::new(new_connection.clone()));
        if Arc::ptr_eq(&prev, current) {
            // Start the attempt immediately, but do not wait for it.
            tokio::spawn(new_connection.map(|_| ()));
        }
    }

    /// Sends a command; if it fails because the connection was dropped, the next one gets a new connection.
    pub async fn send_packed_command(&self, cmd: &[u8]) -> RedisResult<Value> {
        let current = self.connection.load_full();
        let connection: RedisResult<C::Connection> = (*current).clone().await;
        let mut connection = match connection {
            Ok(connection) => connection,
            Err(err) => {
                if err.is_connection_dropped() {
                    self.reconnect(&current);
                }
                return Err(err);
            }
        };
        let result = connection.req_packed_command(cmd).await;
        if let Err(err) = &result {
            if err.is_connection_dropped() {
                self.reconnect(&current);
            }
        }
        result
    }

    pub async fn get(&self, key: &str) -> RedisResult<Option<Vec<u8>>> {
        match self.send_packed_command(format!("GET {key}\r\n").as_bytes()).await? {
            Value::Bulk(bytes) => Ok(Some(bytes)),
            Value::Nil => Ok(None),
            other => Err(RedisError::Server(format!("unexpected reply {other:?}"))),
        }
    }
}
