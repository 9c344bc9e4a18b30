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

/// The same by a copy of what was chosen.
#[derive(Clone, Copy)]
enum Driver {
    Threads,
    Tokio,
}

struct Runner {
    driver: Driver,
    steps: u32,
}

impl Runner {
    fn start(self: Arc<Self>) {
        let runner = self.clone();
        match self.driver {
            Driver::Threads => _ = std::thread::spawn(move || runner.work()),
            Driver::Tokio => _ = tokio::spawn(async move { runner.work() }),
        }
    }

    fn work(&self) {
        let driver = self.driver;
        match driver {
            Driver::Threads => println!("{}", self.steps),
            Driver::Tokio => _ = tokio::spawn(async {}), //~ no-runtime-here note
        }
    }
}

#[tokio::main]
async fn main() {
    let engine = || if std::env::args().count() > 1 { Engine::Threads } else { Engine::Tokio };
    Arc::new(Worker { engine: engine(), steps: 2 }).start();
    let driver = if std::env::args().count() > 2 { Driver::Threads } else { Driver::Tokio };
    Arc::new(Runner { driver, steps: 3 }).start();
    Arc::new(Careless { engine: engine(), steps: 2 }).start();
}
