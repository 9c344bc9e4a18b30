// Repaired: `let _entered = runtime.enter()` before it.
//! Watches for USB sticks and copies new photos from each to the library.
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use tokio::runtime::Handle;

enum StickEvent {
    Plugged(PathBuf),
    Pulled(PathBuf),
}

type Listener = Box<dyn Fn(StickEvent) + Send>;

/// Lists the mounts once a second on a thread of its own.
struct StickWatcher {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl StickWatcher {
    fn start(media: PathBuf, listener: Listener) -> StickWatcher {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            let mut known = HashSet::new();
            while !stopped.load(Ordering::Relaxed) {
                let now = mounts(&media);
                now.difference(&known).for_each(|stick| listener(StickEvent::Plugged(stick.clone())));
                known.difference(&now).for_each(|stick| listener(StickEvent::Pulled(stick.clone())));
                known = now;
                thread::sleep(Duration::from_secs(1));
            }
        });
        StickWatcher { stop, thread: Some(thread) }
    }

    fn stop(mut self) -> Option<thread::JoinHandle<()>> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take()
    }
}

fn mounts(media: &Path) -> HashSet<PathBuf> {
    let entries = std::fs::read_dir(media).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

async fn copy_photos(stick: PathBuf, library: PathBuf) {
    let Ok(mut photos) = tokio::fs::read_dir(stick.join("DCIM")).await else { return };
    while let Ok(Some(photo)) = photos.next_entry().await {
        let target = library.join(photo.file_name());
        if let Err(error) = tokio::fs::copy(photo.path(), target).await {
            tracing::warn!("{}: {error}", photo.path().display());
        }
    }
}

fn on_stick(runtime: &Handle, event: StickEvent, library: &Path) {
    match event {
        StickEvent::Plugged(stick) => {
            let _entered = runtime.enter();
            tokio::spawn(copy_photos(stick, library.to_path_buf()));
        }
        StickEvent::Pulled(stick) => println!("{} is gone", stick.display()),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let library = PathBuf::from("/home/photos/inbox");
    tokio::fs::create_dir_all(&library).await?;
    let runtime = Handle::current();
    let listener: Listener = Box::new(move |event| on_stick(&runtime, event, &library));
    let watcher = StickWatcher::start("/run/media".into(), listener);
    tokio::signal::ctrl_c().await?;
    drop(watcher.stop());
    Ok(())
}
