//! A page put together from two requests.

use std::sync::Mutex;
use std::time::Duration;

#[derive(Clone, Default)]
pub struct Page {
    pub user: String,
    pub news: String,
}

#[derive(Default)]
pub struct Site {
    page: Mutex<Page>,
}

impl Site {
    pub async fn refresh(&self, user: u64) {
        let (user, news) = tokio::join!(fetch_user(user), fetch_news());
        *self.page.lock().unwrap() = Page { user, news };
    }

    pub fn page(&self) -> Page {
        self.page.lock().unwrap().clone()
    }
}

async fn fetch_user(user: u64) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await;
    format!("user {user}")
}

async fn fetch_news() -> String {
    tokio::time::sleep(Duration::from_millis(30)).await;
    "nothing new".to_owned()
}
