//! What a boxed closure has captured goes with the box, through a channel, to the threads that receive and call it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

type Errand = Box<dyn FnOnce() + Send>;

pub struct Runners {
    errands: mpsc::Sender<Errand>,
}

impl Runners {
    pub fn new() -> Runners {
        let (errands, todo) = mpsc::channel::<Errand>();
        let todo = Arc::new(Mutex::new(todo));
        for _ in 0..4 {
            let todo = todo.clone();
            thread::spawn(move || {
                loop {
                    let errand = todo.lock().unwrap().recv();
                    match errand {
                        Ok(errand) => errand(),
                        Err(_) => return,
                    }
                }
            });
        }
        Runners { errands }
    }

    fn run(&self, errand: impl FnOnce() + Send + 'static) {
        let _ = self.errands.send(Box::new(errand));
    }
}

#[derive(Default)]
struct Shop {
    stock: Mutex<HashMap<String, u32>>,
}

pub struct Office {
    shop: Arc<Shop>,
    runners: Runners,
}

impl Office {
    pub fn new() -> Office {
        Office { shop: Arc::default(), runners: Runners::new() }
    }

    /// The look and the change are two critical sections.
    pub fn order(&self, name: String) {
        let shop = self.shop.clone();
        self.runners.run(move || {
            let known = shop.stock.lock().unwrap().contains_key(&name); //~
            if !known {
                shop.stock.lock().unwrap().insert(name, 1); //~
            }
        });
    }

    /// They are one.
    pub fn count(&self, name: String) {
        let shop = self.shop.clone();
        self.runners.run(move || {
            *shop.stock.lock().unwrap().entry(name).or_insert(0) += 1;
        });
    }
}
