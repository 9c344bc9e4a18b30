// Source: BurntSushi/ripgrep PR #1337 (ignore: rework inter-thread messaging)
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io, thread};

use crossbeam_channel::{unbounded, Receiver, Sender};

enum Message {
    Work(Work),
    Quit,
}

struct Work {
    path: PathBuf,
    depth: usize,
}

impl Work {
    fn read_children(&self) -> io::Result<Vec<Work>> {
        if !fs::symlink_metadata(&self.path)?.is_dir() {
            return Ok(Vec::new());
        }
        let depth = self.depth + 1;
        fs::read_dir(&self.path)?.map(|ent| Ok(Work { path: ent?.path(), depth })).collect()
    }
}

#[derive(Clone, Debug)]
pub struct WalkParallel {
    roots: Vec<PathBuf>,
    threads: usize,
    max_depth: Option<usize>,
}

impl WalkParallel {
    pub fn new(roots: Vec<PathBuf>, threads: usize) -> Self {
        WalkParallel { roots, threads: threads.max(1), max_depth: None }
    }

    pub fn max_depth(mut self, depth: Option<usize>) -> Self {
        self.max_depth = depth;
        self
    }

    pub fn run<F>(&self, visit: F)
    where
        F: Fn(&Path) + Sync,
    {
        if self.roots.is_empty() {
            return;
        }
        let (tx, rx) = unbounded();
        let waiting = AtomicUsize::new(0);
        for path in &self.roots {
            let _ = tx.send(Message::Work(Work { path: path.clone(), depth: 0 }));
        }
        thread::scope(|scope| {
            for _ in 0..self.threads {
                let worker = Worker { walk: self, tx: tx.clone(), rx: rx.clone(), waiting: &waiting };
                let visit = &visit;
                scope.spawn(move || worker.run(visit));
            }
        });
    }
}

struct Worker<'a> {
    walk: &'a WalkParallel,
    tx: Sender<Message>,
    rx: Receiver<Message>,
    waiting: &'a AtomicUsize,
}

impl Worker<'_> {
    fn run(&self, visit: &dyn Fn(&Path)) {
        while let Some(work) = self.get_work() {
            self.run_one(&work, visit);
        }
    }

    fn run_one(&self, work: &Work, visit: &dyn Fn(&Path)) {
        visit(&work.path);
        if self.walk.max_depth.is_some_and(|max| work.depth >= max) {
            return;
        }
        for child in work.read_children().unwrap_or_default() {
            let _ = self.tx.send(Message::Work(child));
        }
    }

    fn get_work(&self) -> Option<Work> {
        let mut value = self.rx.try_recv().ok();
        loop {
            match value {
                Some(Message::Work(work)) => return Some(work),
                Some(Message::Quit) => break,
                None => {}
            }
            if self.waiting.fetch_add(1, Ordering::SeqCst) + 1 == self.walk.threads {
                break;
            }
            value = self.rx.recv().ok();
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
        let _ = self.tx.send(Message::Quit);
        None
    }
}

fn main() {
    let root = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let found = AtomicUsize::new(0);
    WalkParallel::new(vec![root.into()], 4).run(|path| {
        println!("{}", path.display());
        found.fetch_add(1, Ordering::Relaxed);
    });
    eprintln!("{} entries", found.into_inner());
}
