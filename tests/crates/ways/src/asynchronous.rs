//! Locks of asynchronous code, and locks in it.

use std::future::Future;

use super::Inner;

pub struct Boxed {
    v: Box<std::sync::Mutex<u64>>,
}

impl Boxed {
    pub fn new() -> Self {
        Self { v: Box::new(std::sync::Mutex::new(0)) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.lock().unwrap(); //~
        *self.v.lock().unwrap() = n + 1; //~
        n
    }
}

pub struct Tk {
    v: tokio::sync::Mutex<u64>,
}

impl Tk {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = *self.v.lock().await; //~
        *self.v.lock().await = n + 1; //~
        n
    }
}

pub struct TkAtOnce {
    v: tokio::sync::Mutex<u64>,
}

impl TkAtOnce {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let mut g = self.v.lock().await; let n = *g; *g = n + 1;
        n
    }
}

pub struct TkRw {
    v: tokio::sync::RwLock<u64>,
}

impl TkRw {
    pub fn new() -> Self {
        Self { v: tokio::sync::RwLock::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = *self.v.read().await; //~
        *self.v.write().await = n + 1; //~
        n
    }
}

pub struct TkRwAtOnce {
    v: tokio::sync::RwLock<u64>,
}

impl TkRwAtOnce {
    pub fn new() -> Self {
        Self { v: tokio::sync::RwLock::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let mut g = self.v.write().await; let n = *g; *g = n + 1;
        n
    }
}

pub struct TkOwned {
    v: std::sync::Arc<tokio::sync::Mutex<u64>>,
}

impl TkOwned {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(tokio::sync::Mutex::new(0)) }
    }

    pub async fn bump(&self) -> u64 {
        let n = *self.v.clone().lock_owned().await; //~
        *self.v.clone().lock_owned().await = n + 1; //~
        n
    }
}

pub struct TkOwnedAtOnce {
    v: std::sync::Arc<tokio::sync::Mutex<u64>>,
}

impl TkOwnedAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(tokio::sync::Mutex::new(0)) }
    }

    pub async fn bump(&self) -> u64 {
        let mut g = self.v.clone().lock_owned().await; let n = *g; *g = n + 1;
        n
    }
}

pub struct TkTimeout {
    v: tokio::sync::Mutex<u64>,
}

impl TkTimeout {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = tokio::time::timeout(std::time::Duration::from_secs(1), self.v.lock()).await.map(|g| *g).unwrap_or(0); //~
        if let Ok(mut g) = tokio::time::timeout(std::time::Duration::from_secs(1), self.v.lock()).await { *g = n + 1; } //~
        n
    }
}

pub struct TkTimeoutAtOnce {
    v: tokio::sync::Mutex<u64>,
}

impl TkTimeoutAtOnce {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let Ok(mut g) = tokio::time::timeout(std::time::Duration::from_secs(1), self.v.lock()).await else { return 0 }; let n = *g; *g = n + 1;
        n
    }
}

pub struct TkMap {
    v: tokio::sync::Mutex<Inner>,
}

impl TkMap {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(Inner::default()) }
    }

    pub async fn bump(&self) -> u64 {
        let n = *tokio::sync::MutexGuard::map(self.v.lock().await, |i| &mut i.n); //~
        *tokio::sync::MutexGuard::map(self.v.lock().await, |i| &mut i.n) = n + 1; //~
        n
    }
}

pub struct TkMapAtOnce {
    v: tokio::sync::Mutex<Inner>,
}

impl TkMapAtOnce {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(Inner::default()) }
    }

    pub async fn bump(&self) -> u64 {
        let mut g = tokio::sync::MutexGuard::map(self.v.lock().await, |i| &mut i.n); let n = *g; *g = n + 1;
        n
    }
}

pub struct TkSelect {
    v: tokio::sync::Mutex<u64>,
}

impl TkSelect {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = tokio::select! { g = self.v.lock() => *g, _ = tokio::task::yield_now() => 0 }; //~
        tokio::select! { mut g = self.v.lock() => *g = n + 1, _ = tokio::task::yield_now() => {} } //~
        n
    }
}

pub struct TkSelectAtOnce {
    v: tokio::sync::Mutex<u64>,
}

impl TkSelectAtOnce {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = tokio::select! { mut g = self.v.lock() => { *g += 1; *g } _ = tokio::task::yield_now() => 0 };
        n
    }
}

pub struct TkJoin {
    v: tokio::sync::Mutex<u64>,
}

impl TkJoin {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let (n, _) = tokio::join!(async { *self.v.lock().await }, tokio::task::yield_now()); //~
        tokio::join!(async { *self.v.lock().await = n + 1 }, tokio::task::yield_now()); //~
        n
    }
}

pub struct TkJoinAtOnce {
    v: tokio::sync::Mutex<u64>,
}

impl TkJoinAtOnce {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let (n, _) = tokio::join!(async { let mut g = self.v.lock().await; *g += 1; *g }, tokio::task::yield_now());
        n
    }
}

pub struct TkOnce {
    v: tokio::sync::OnceCell<tokio::sync::Mutex<u64>>,
}

impl TkOnce {
    pub fn new() -> Self {
        Self { v: tokio::sync::OnceCell::new() }
    }

    pub async fn bump(&self) -> u64 {
        let n = *self.v.get_or_init(|| async { tokio::sync::Mutex::new(0) }).await.lock().await; //~
        *self.v.get_or_init(|| async { tokio::sync::Mutex::new(0) }).await.lock().await = n + 1; //~
        n
    }
}

pub struct StdAwait {
    v: std::sync::Mutex<u64>,
}

impl StdAwait {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = { let g = self.v.lock().unwrap(); *g }; //~
        tokio::task::yield_now().await; { let mut g = self.v.lock().unwrap(); *g = n + 1; } //~
        n
    }
}

pub struct BoxedFut {
    v: std::sync::Mutex<u64>,
}

impl BoxedFut {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = { let f: std::pin::Pin<Box<dyn Future<Output = u64> + Send + '_>> = Box::pin(async { *self.v.lock().unwrap() }); f.await }; //~
        *self.v.lock().unwrap() = n + 1; //~
        n
    }
}

pub struct BoxedFutAtOnce {
    v: std::sync::Mutex<u64>,
}

impl BoxedFutAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = { let f: std::pin::Pin<Box<dyn Future<Output = u64> + Send + '_>> = Box::pin(async { let mut g = self.v.lock().unwrap(); *g += 1; *g }); f.await };
        n
    }
}

pub struct Watch {
    v: tokio::sync::watch::Sender<u64>,
}

impl Watch {
    pub fn new() -> Self {
        Self { v: tokio::sync::watch::channel(0).0 }
    }

    pub async fn bump(&self) -> u64 {
        let n = *self.v.borrow(); //~
        self.v.send_replace(n + 1); //~
        n
    }
}

pub struct WatchModify {
    v: tokio::sync::watch::Sender<u64>,
}

impl WatchModify {
    pub fn new() -> Self {
        Self { v: tokio::sync::watch::channel(0).0 }
    }

    pub async fn bump(&self) -> u64 {
        let n = *self.v.borrow(); //~
        self.v.send_modify(|x| *x = n + 1); //~
        n
    }
}

pub struct WatchModifyAtOnce {
    v: tokio::sync::watch::Sender<u64>,
}

impl WatchModifyAtOnce {
    pub fn new() -> Self {
        Self { v: tokio::sync::watch::channel(0).0 }
    }

    pub async fn bump(&self) -> u64 {
        let mut n = 0; self.v.send_modify(|x| { n = *x; *x = n + 1; });
        n
    }
}

pub struct SpawnBlocking {
    v: std::sync::Arc<std::sync::Mutex<u64>>,
}

impl SpawnBlocking {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(std::sync::Mutex::new(0)) }
    }

    pub async fn bump(&self) -> u64 {
        let v = self.v.clone(); let n = tokio::task::spawn_blocking(move || *v.lock().unwrap()).await.unwrap(); //~
        *self.v.lock().unwrap() = n + 1; //~
        n
    }
}

pub struct SpawnBlockingAtOnce {
    v: std::sync::Arc<std::sync::Mutex<u64>>,
}

impl SpawnBlockingAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(std::sync::Mutex::new(0)) }
    }

    pub async fn bump(&self) -> u64 {
        let v = self.v.clone(); let n = tokio::task::spawn_blocking(move || { let mut g = v.lock().unwrap(); *g += 1; *g }).await.unwrap();
        n
    }
}

pub struct Spawned {
    v: std::sync::Arc<std::sync::Mutex<u64>>,
}

impl Spawned {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(std::sync::Mutex::new(0)) }
    }

    pub async fn bump(&self) -> u64 {
        let v = self.v.clone(); let n = *v.lock().unwrap(); //~
        tokio::spawn(async move { *v.lock().unwrap() = n + 1; }).await.unwrap(); //~
        n
    }
}

pub struct Joinall {
    v: tokio::sync::Mutex<u64>,
}

impl Joinall {
    pub fn new() -> Self {
        Self { v: tokio::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = futures::future::join_all((0..2).map(|_| async { *self.v.lock().await })).await[0]; //~
        *self.v.lock().await = n + 1; //~
        n
    }
}

pub struct TraitAsync {
    v: std::sync::Mutex<u64>,
}

impl TraitAsync {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = *self.v.lock().unwrap(); //~
        self.later(n).await;
        n
    }

    async fn later(&self, n: u64) {
        tokio::task::yield_now().await;
        *self.v.lock().unwrap() = n + 1; //~
    }
}
