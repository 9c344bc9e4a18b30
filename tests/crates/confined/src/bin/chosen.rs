//! Which runtime there is was chosen in one place; whoever needs one asks for it.

use std::sync::Arc;

enum Engine {
    Threads,
    Tokio,
}

/// Works on a thread of its own, or on a runtime.
struct Worker {
    engine: Engine,
    steps: u32,
}

impl Worker {
    fn start(self: Arc<Self>) {
        let worker = self.clone();
        match self.engine {
            Engine::Threads => _ = std::thread::spawn(move || worker.work()),
            Engine::Tokio => _ = tokio::spawn(async move { worker.work() }),
        }
    }

    fn work(&self) {
        for step in 0..self.steps {
            match self.engine {
                Engine::Threads => println!("{step}"),
                Engine::Tokio => _ = tokio::spawn(async move { println!("{step}") }), //~ no-runtime-here note
            }
        }
    }
}

/// The same, but nobody asks.
struct Careless {
    engine: Engine,
    steps: u32,
}

impl Careless {
    fn start(self: Arc<Self>) {
        let worker = self.clone();
        match self.engine {
            Engine::Threads => _ = std::thread::spawn(move || worker.work()),
            Engine::Tokio => _ = tokio::spawn(async move { worker.work() }),
        }
    }

    fn work(&self) {
        for step in 0..self.steps {
            tokio::spawn(async move { println!("{step}") }); //~ no-runtime-here
        }
    }
}

#[tokio::main]
async fn main() {
    let engine = || if std::env::args().count() > 1 { Engine::Threads } else { Engine::Tokio };
    Arc::new(Worker { engine: engine(), steps: 2 }).start();
    Arc::new(Careless { engine: engine(), steps: 2 }).start();
}
