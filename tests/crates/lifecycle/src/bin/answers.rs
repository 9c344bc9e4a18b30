//! Panics and cancellations that pass for answers.
use std::panic::{panic_any, resume_unwind};
use std::thread;
use std::time::Duration;

use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

struct Missing(u32);

async fn find(key: u32) -> Option<String> {
    sleep(Duration::from_millis(1)).await;
    (key % 2 == 0).then(|| key.to_string())
}

/// A panic says that there is nothing.
async fn find_by_panic(key: u32) -> Option<String> {
    let search = tokio::spawn(async move { find(key).await.unwrap_or_else(|| panic_any(Missing(key))) }); //~ panic-as-result warn
    match search.await {
        Ok(found) => Some(found),
        Err(why) if why.is_panic() => None,
        Err(why) => panic!("{why}"),
    }
}

fn on_a_thread(key: u32) -> Option<u32> {
    let search = thread::spawn(move || {
        if key == 0 {
            panic_any(Missing(key)); //~ panic-as-result warn
        }
        key
    });
    match search.join() {
        Ok(found) => Some(found),
        Err(why) => {
            println!("{:?}", why.downcast_ref::<Missing>().map(|missing| missing.0));
            None
        }
    }
}

/// Whoever goes on panicking takes it for what it is.
async fn find_or_panic(key: u32) -> String {
    let search = tokio::spawn(async move { find(key).await.unwrap_or_else(|| panic_any(Missing(key))) });
    match search.await {
        Ok(found) => found,
        Err(why) if why.is_panic() => resume_unwind(why.into_panic()),
        Err(_) => String::new(),
    }
}

async fn find_by_option(key: u32) -> Option<String> {
    tokio::spawn(async move { find(key).await }).await.ok().flatten()
}

/// Whoever was cancelled has no result.
async fn stop_all(keys: Vec<u32>) -> usize {
    let mut set = JoinSet::new();
    for key in keys {
        set.spawn(find(key));
    }
    set.abort_all();
    set.join_all().await.len() //~ panic-as-result
}

async fn shut_all(keys: Vec<u32>) {
    let mut set = JoinSet::new();
    for key in keys {
        set.spawn(find(key));
    }
    set.shutdown().await;
}

struct Search {
    work: Option<JoinHandle<Option<String>>>,
}

impl Search {
    fn start(key: u32) -> Self {
        Search { work: Some(tokio::spawn(find(key))) }
    }

    fn stop(&mut self) {
        if let Some(work) = &self.work {
            work.abort();
        }
    }

    async fn finish(&mut self) -> Option<String> {
        let work = self.work.take()?;
        work.await.expect("it ended") //~ panic-as-result warn
    }
}

struct Lookup {
    work: Option<JoinHandle<Option<String>>>,
}

impl Lookup {
    fn start(key: u32) -> Self {
        Lookup { work: Some(tokio::spawn(find(key))) }
    }

    fn stop(&mut self) {
        if let Some(work) = &self.work {
            work.abort();
        }
    }

    async fn finish(&mut self) -> Option<String> {
        match self.work.take()?.await {
            Ok(found) => found,
            Err(why) if why.is_cancelled() => None,
            Err(why) => resume_unwind(why.into_panic()),
        }
    }
}

/// It is cancelled whenever it is waited for.
async fn give_up(key: u32) -> Option<String> {
    let work = tokio::spawn(find(key));
    work.abort();
    work.await.expect("it ended") //~ panic-as-result
}

/// Another one is started in between.
async fn find_again(search: &mut Search, key: u32) -> Option<String> {
    search.stop();
    *search = Search::start(key);
    search.work.take()?.await.expect("it ended") //~ panic-as-result warn
}

/// Either it is waited for, or it is cancelled.
async fn one_or_the_other(key: u32, wait: bool) -> Option<String> {
    let work = tokio::spawn(find(key));
    if wait {
        work.await.expect("it ended")
    } else {
        work.abort();
        None
    }
}

#[tokio::main]
async fn main() {
    println!("{:?}", find_by_panic(1).await);
    println!("{:?}", on_a_thread(0));
    println!("{:?}", find_or_panic(2).await);
    println!("{:?}", find_by_option(2).await);
    println!("{:?}", stop_all(vec![1, 2]).await);
    shut_all(vec![1, 2]).await;
    let mut search = Search::start(1);
    search.stop();
    println!("{:?}", search.finish().await);
    let mut lookup = Lookup::start(1);
    lookup.stop();
    println!("{:?}", lookup.finish().await);
    println!("{:?}", one_or_the_other(1, true).await);
    println!("{:?}", give_up(1).await);
    println!("{:?}", find_again(&mut search, 1).await);
}
