//! News for whoever subscribed.

use tokio::sync::broadcast::{self, Receiver, Sender};

pub struct News {
    channel: Sender<String>,
}

impl Default for News {
    fn default() -> Self {
        News { channel: broadcast::channel(64).0 }
    }
}

impl News {
    pub fn publish(&self, headline: &str) -> usize {
        self.channel.send(headline.to_owned()).unwrap_or(0)
    }

    pub fn subscribe(&self) -> Subscriber {
        Subscriber { receiver: self.channel.subscribe(), headlines: Vec::new() }
    }
}

pub struct Subscriber {
    receiver: Receiver<String>,
    headlines: Vec<String>,
}

impl Subscriber {
    /// Waits for the next headline and returns all there were.
    pub async fn next(&mut self) -> &[String] {
        if let Ok(headline) = self.receiver.recv().await {
            self.headlines.push(headline);
        }
        &self.headlines
    }
}
