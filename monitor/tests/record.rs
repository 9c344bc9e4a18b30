//! The record of what happens to tasks, in all orders that two and three threads can have.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

/// What the record is made of here.
mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
    pub(crate) use loom::sync::{Mutex, MutexGuard};
}

#[path = "../src/record.rs"]
mod record;

use record::{Numbers, Record};

struct Watched {
    numbers: Numbers,
    tasks: [Record<Vec<u64>>; 2],
}

impl Watched {
    fn new() -> Arc<Self> {
        let tasks = [Vec::new(), Vec::new()].map(Record::new);
        let watched = Watched { numbers: Numbers::new(), tasks };
        watched.happens(0);
        Arc::new(watched)
    }

    fn happens(&self, task: usize) -> u64 {
        let mut open = self.tasks[task].open(&self.numbers);
        let (steps, number) = open.next();
        steps.push(number);
        number
    }

    fn check(&self) {
        let mut all = Vec::new();
        for task in &self.tasks {
            let mut open = task.open(&self.numbers);
            assert!(open.state().is_sorted());
            all.append(open.state());
        }
        all.sort_unstable();
        let count = all.len() as u64;
        assert!(all.into_iter().eq(0..count));
    }
}

/// Who hears of an event, by whatever way, goes on with a greater number.
#[test]
fn numbers_extend_what_happened_before() {
    loom::model(|| {
        let watched = Watched::new();
        let told = Arc::new(AtomicU64::new(0));
        let teller = {
            let (watched, told) = (Arc::clone(&watched), Arc::clone(&told));
            thread::spawn(move || told.store(watched.happens(0), Ordering::Release))
        };
        let heard = told.load(Ordering::Acquire);
        let number = watched.happens(1);
        assert!(heard < number, "{heard}, then {number}");
        teller.join().unwrap();
        watched.check();
    });
}

#[test]
fn numbers_of_a_task_rise() {
    loom::model(|| {
        let watched = Watched::new();
        let others: Vec<_> = (0..2)
            .map(|task| {
                let watched = Arc::clone(&watched);
                thread::spawn(move || {
                    let first = watched.happens(task);
                    assert!(first < watched.happens(0));
                })
            })
            .collect();
        watched.happens(0);
        others.into_iter().for_each(|other| other.join().unwrap());
        watched.check();
    });
}
