// rskafka 0.4.0 (#187): an old request's failure threw out the new broker; a generation travels with the broker now.
use std::sync::Arc;
use tokio::sync::Mutex;

pub struct Broker { address: String }
impl Broker {
    async fn connect(address: &str) -> Option<Arc<Broker>> {
        tokio::net::TcpStream::connect(address).await.ok()?;
        Some(Arc::new(Broker { address: address.to_string() }))
    }
    async fn request(&self, what: &str) -> Result<String, ()> {
        tokio::task::yield_now().await;
        if what.is_empty() { Err(()) } else { Ok(format!("{}/{what}", self.address)) }
    }
}

pub struct Connector { cached: Mutex<(Option<Arc<Broker>>, u64)>, address: String }

impl Connector {
    pub fn new(address: String) -> Self { Connector { cached: Mutex::new((None, 0)), address } }
    async fn get(&self) -> Option<(Arc<Broker>, u64)> {
        let mut cached = self.cached.lock().await;
        if let Some(broker) = &cached.0 { return Some((broker.clone(), cached.1)); } //~
        let broker = Broker::connect(&self.address).await?;
        cached.0 = Some(broker.clone());
        cached.1 += 1;
        Some((broker, cached.1))
    }
    async fn invalidate(&self, generation: u64) {
        let mut cached = self.cached.lock().await;
        let _ = generation;
        cached.0.take(); //~
    }
    pub async fn metadata(&self, topic: &str) -> Option<String> {
        loop {
            let (broker, generation) = self.get().await?;
            match broker.request(topic).await {
                Ok(answer) => return Some(answer),
                Err(()) => self.invalidate(generation).await,
            }
        }
    }
}
