//! Errors of tasks that nobody sees, and those that somebody does.
use std::io;
use std::path::PathBuf;
use std::thread;

use tokio::task::{JoinHandle, JoinSet};

async fn prune(folder: PathBuf) -> io::Result<u64> {
    let mut freed = 0;
    let mut entries = Vec::new();
    tokio::task::yield_now().await;
    entries.push(folder);
    for entry in entries {
        freed += entry.metadata()?.len();
    }
    Ok(freed)
}

fn begin(folder: PathBuf) {
    tokio::spawn(prune(folder)); //~ no-handler
}

fn begin_and_tell(folder: PathBuf) {
    tokio::spawn(async move {
        if let Err(why) = prune(folder).await {
            eprintln!("not pruned: {why}");
        }
    });
}

fn begin_and_return_what_was_told(folder: PathBuf) {
    tokio::spawn(async move {
        let freed = prune(folder).await;
        if let Err(why) = &freed {
            eprintln!("not pruned: {why}");
        }
        freed
    });
}

/// The handle is kept, and nobody ever looks at it.
struct Janitor {
    work: JoinHandle<io::Result<u64>>,
    name: String,
}

impl Janitor {
    fn new(folder: PathBuf) -> Self {
        let work = tokio::spawn(async move { prune(folder).await }); //~ no-handler
        Janitor { work, name: "janitor".into() }
    }
}

struct Cleaner {
    work: Option<JoinHandle<io::Result<u64>>>,
}

impl Cleaner {
    fn new(folder: PathBuf) -> Self {
        Cleaner { work: Some(tokio::spawn(prune(folder))) }
    }

    async fn finish(&mut self) -> io::Result<u64> {
        match self.work.take() {
            Some(work) => work.await.map_err(io::Error::other)?,
            None => Ok(0),
        }
    }
}

/// The inner result goes with the statement.
async fn wait(folder: PathBuf) -> Result<(), tokio::task::JoinError> {
    let work = tokio::spawn(prune(folder));
    let _ = work.await?; //~ lost-error warn
    Ok(())
}

/// Only the outer result is looked at.
async fn wait_and_look(folder: PathBuf) {
    let work = tokio::spawn(prune(folder));
    if let Err(why) = work.await { //~ lost-error warn
        eprintln!("it panicked: {why}");
    }
}

async fn wait_and_pass_on(folder: PathBuf) -> io::Result<u64> {
    let work = tokio::spawn(prune(folder));
    work.await?
}

async fn wait_and_tell(folder: PathBuf) {
    let work = tokio::spawn(prune(folder));
    match work.await {
        Ok(Ok(freed)) => println!("{freed}"),
        Ok(Err(why)) => eprintln!("{why}"),
        Err(why) => eprintln!("{why}"),
    }
}

async fn end_it(folder: PathBuf) {
    let work = tokio::spawn(prune(folder));
    work.abort();
    let _ = work.await;
}

async fn all_at_once(folders: Vec<PathBuf>) {
    let works: Vec<JoinHandle<io::Result<u64>>> =
        folders.into_iter().map(|folder| tokio::spawn(prune(folder))).collect();
    for work in works {
        work.await.expect("no panic").ok(); //~ lost-error warn
    }
}

async fn all_and_sum(folders: Vec<PathBuf>) -> io::Result<u64> {
    let mut works = Vec::new();
    for folder in folders {
        works.push(tokio::spawn(prune(folder)));
    }
    let mut sum = 0;
    for work in works {
        sum += work.await.map_err(io::Error::other)??;
    }
    Ok(sum)
}

/// What is left in the set when the first fails is gone with it.
async fn first_error(folders: Vec<PathBuf>) -> io::Result<u64> {
    let mut set: JoinSet<io::Result<u64>> = JoinSet::new();
    for folder in folders {
        set.spawn(prune(folder));
    }
    let mut sum = 0;
    while let Some(one) = set.join_next().await {
        sum += one??; //~ lost-error note
    }
    Ok(sum)
}

async fn all_errors(folders: Vec<PathBuf>) -> Vec<io::Error> {
    let mut set: JoinSet<io::Result<u64>> = JoinSet::new();
    for folder in folders {
        set.spawn(prune(folder));
    }
    let mut errors = Vec::new();
    while let Some(one) = set.join_next().await {
        match one {
            Ok(Ok(_)) => {}
            Ok(Err(why)) => errors.push(why),
            Err(why) => errors.push(io::Error::other(why)),
        }
    }
    errors
}

/// A set that is filled, and never emptied.
struct Batch {
    set: JoinSet<io::Result<u64>>,
}

impl Batch {
    fn add(&mut self, folder: PathBuf) {
        self.set.spawn(prune(folder)); //~ lost-error warn
    }
}

struct Queue {
    set: JoinSet<io::Result<u64>>,
}

impl Queue {
    fn add(&mut self, folder: PathBuf) {
        self.set.spawn(prune(folder));
    }

    async fn drain(&mut self) -> usize {
        let mut failed = 0;
        while let Some(one) = self.set.join_next().await {
            if matches!(one, Ok(Err(_))) {
                failed += 1;
            }
        }
        failed
    }
}

fn on_a_thread(folder: PathBuf) {
    let worker = thread::spawn(move || folder.metadata().map(|data| data.len()));
    let _ = worker.join(); //~ lost-error warn
}

fn on_a_thread_alone(folder: PathBuf) {
    thread::spawn(move || std::fs::remove_dir(folder)); //~ no-handler
}

fn on_a_thread_and_back(folder: PathBuf) -> io::Result<u64> {
    let worker = thread::spawn(move || folder.metadata().map(|data| data.len()));
    worker.join().unwrap_or_else(|_| Ok(0))
}

/// There is nothing to tell.
fn quietly(folder: PathBuf) {
    tokio::spawn(async move { drop(prune(folder).await) });
}

/// That the work panicked was reported then.
fn beside(folder: PathBuf) {
    tokio::spawn(async move {
        let work = move || drop(std::fs::remove_dir(folder));
        tokio::task::spawn_blocking(work).await
    });
}

/// Its type allows an error; it makes none.
fn without_fail(folder: PathBuf) {
    let shown = folder.clone();
    thread::spawn(move || -> io::Result<()> {
        while std::fs::remove_dir(&folder).is_ok() {}
        Ok(())
    });
    tokio::spawn(async move {
        println!("{}", shown.display());
        Ok::<(), io::Error>(())
    });
}

/// Makes one now and then.
fn now_and_then(folder: PathBuf) {
    thread::spawn(move || -> io::Result<()> { //~ no-handler
        if folder.is_file() {
            return Err(io::Error::other("a file"));
        }
        Ok(())
    });
    tokio::spawn(async move { //~ no-handler
        prune(PathBuf::from(".")).await?;
        Ok::<(), io::Error>(())
    });
}

/// What went wrong was seen to in the task: that there was something is all that is left.
fn warned(folder: PathBuf) {
    let shown = folder.display().to_string();
    let warn = move |_: io::Error| println!("{shown}");
    thread::spawn(move || std::fs::remove_dir(folder).map_err(warn));
}

/// A number tells something.
fn numbered(folder: PathBuf) {
    thread::spawn(move || std::fs::remove_dir(folder).map_err(|why| why.raw_os_error().unwrap_or(0))); //~ no-handler
}

/// What it starts is its caller's: so is the error.
fn in_background<F>(work: F)
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(work); //~ no-handler
}

/// The same for what cannot fail.
fn aside<F>(work: F)
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(work);
}

async fn count(folder: PathBuf) {
    println!("{:?}", prune(folder).await);
}

/// Its task is ended only where nobody waits for it any more.
async fn relay(folder: PathBuf) {
    let mut pruning = tokio::spawn(prune(folder));
    tokio::select! {
        _ = &mut pruning => {} //~ lost-error warn
        _ = tokio::time::sleep(std::time::Duration::from_millis(1)) => pruning.abort(),
    }
}

async fn relay_and_look(folder: PathBuf) {
    let mut pruning = tokio::spawn(prune(folder));
    tokio::select! {
        freed = &mut pruning => println!("{freed:?}"),
        _ = tokio::time::sleep(std::time::Duration::from_millis(1)) => pruning.abort(),
    }
}

/// Where it is dropped there is nobody to tell.
struct Scratch {
    folder: PathBuf,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let folder = std::mem::take(&mut self.folder);
        thread::spawn(move || std::fs::remove_dir(folder)); //~ no-handler warn
    }
}

#[tokio::main]
async fn main() {
    in_background(prune(PathBuf::from(".")));
    aside(count(PathBuf::from(".")));
    relay(PathBuf::from(".")).await;
    relay_and_look(PathBuf::from(".")).await;
    let folder = PathBuf::from(".");
    begin(folder.clone());
    begin_and_tell(folder.clone());
    begin_and_return_what_was_told(folder.clone());
    let janitor = Janitor::new(folder.clone());
    println!("{} {}", janitor.name, janitor.work.is_finished());
    let mut cleaner = Cleaner::new(folder.clone());
    println!("{:?}", cleaner.finish().await);
    println!("{:?}", wait(folder.clone()).await);
    wait_and_look(folder.clone()).await;
    println!("{:?}", wait_and_pass_on(folder.clone()).await);
    wait_and_tell(folder.clone()).await;
    end_it(folder.clone()).await;
    all_at_once(vec![folder.clone()]).await;
    println!("{:?}", all_and_sum(vec![folder.clone()]).await);
    println!("{:?}", first_error(vec![folder.clone()]).await);
    println!("{:?}", all_errors(vec![folder.clone()]).await);
    let mut batch = Batch { set: JoinSet::new() };
    batch.add(folder.clone());
    let mut queue = Queue { set: JoinSet::new() };
    queue.add(folder.clone());
    println!("{}", queue.drain().await);
    on_a_thread(folder.clone());
    on_a_thread_alone(folder.clone());
    println!("{:?}", on_a_thread_and_back(folder.clone()));
    quietly(folder.clone());
    beside(folder.clone());
    without_fail(folder.clone());
    now_and_then(folder.clone());
    warned(folder.clone());
    numbered(folder.clone());
    drop(Scratch { folder });
}
