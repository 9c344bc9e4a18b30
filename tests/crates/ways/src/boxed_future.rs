//! What a future gives is what its body returns, not what it has captured, be it behind a pointer that does not say which future it is.

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::sleep;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

trait Connection: Send + Sync {
    fn reconnect(&self) -> Boxed<'_, ()>;
}

pub trait Config: Send + Sync {
    #[allow(private_interfaces)]
    fn connect(&self) -> Boxed<'_, Box<dyn Connection>>;
}

pub struct Local {
    pub address: String,
}

struct Tcp {
    address: Mutex<Option<String>>,
}

impl Config for Local {
    #[allow(private_interfaces)]
    fn connect(&self) -> Boxed<'_, Box<dyn Connection>> {
        Box::pin(async move {
            let address = Mutex::new(Some(self.address.clone()));
            Box::new(Tcp { address }) as Box<dyn Connection>
        })
    }
}

impl Connection for Tcp {
    fn reconnect(&self) -> Boxed<'_, ()> {
        Box::pin(async move {
            let known = self.address.lock().unwrap().is_some();
            if !known {
                sleep(Duration::from_secs(1)).await;
                self.address.lock().unwrap().replace("localhost".to_owned());
            }
            self.address.lock().unwrap().take();
        })
    }
}

/// Whoever lets it run has it, and its connection, to themselves.
pub struct Clock {
    connection: Box<dyn Connection>,
}

impl Clock {
    pub async fn new(config: &dyn Config) -> Clock {
        Clock { connection: config.connect().await }
    }

    pub async fn run(&mut self) {
        self.connection.reconnect().await;
    }
}

trait Link: Send + Sync {
    fn renew(&self) -> Boxed<'_, ()>;
}

struct Wire {
    key: Mutex<Option<u64>>,
}

impl Link for Wire {
    fn renew(&self) -> Boxed<'_, ()> {
        Box::pin(async move {
            let known = self.key.lock().unwrap().is_some(); //~
            if !known {
                sleep(Duration::from_secs(1)).await;
                self.key.lock().unwrap().replace(1); //~
            }
            self.key.lock().unwrap().take();
        })
    }
}

fn link(key: u64) -> Boxed<'static, Box<dyn Link>> {
    Box::pin(async move { Box::new(Wire { key: Mutex::new(Some(key)) }) as Box<dyn Link> })
}

/// Many call it at once.
pub struct Gateway {
    link: Box<dyn Link>,
}

impl Gateway {
    pub async fn new(key: u64) -> Gateway {
        Gateway { link: link(key).await }
    }

    pub async fn renew(&self) {
        self.link.renew().await;
    }
}
