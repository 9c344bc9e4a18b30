//! Numbers of events extend what happened before what.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};

use super::{built_in, here};
use crate::atoms::Event;
use crate::record::{Numbers, Record};
use crate::task::Task;

const THREADS: usize = 8;
const EACH: u64 = 10_000;

/// What threads tell each other: the number of the last event, each its own. Whoever reads it goes on behind that event.
struct Told(Vec<AtomicU64>);

impl Told {
    fn new() -> Self {
        Told((0..THREADS).map(|_| AtomicU64::new(0)).collect())
    }

    /// Each thread in turn hears of another one, has something happen, and tells of it.
    fn run(&self, happens: impl Fn(usize, u64) -> u64 + Sync) {
        let start = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for own in 0..THREADS {
                let (start, happens) = (&start, &happens);
                scope.spawn(move || {
                    start.wait();
                    for round in 0..EACH {
                        let other = (own + 1 + round as usize % (THREADS - 1)) % THREADS;
                        let before = [own, other].map(|thread| self.0[thread].load(Ordering::Acquire));
                        // Number 0 is taken before there are threads.
                        let number = happens(own, round);
                        assert!(before.iter().all(|before| *before < number), "{before:?}, then {number}");
                        self.0[own].store(number, Ordering::Release);
                    }
                });
            }
        });
    }
}

#[test]
fn what_happened_before_has_the_smaller_number() {
    let watch = built_in();
    let tasks: Vec<Arc<Task>> = (0..5).map(|_| Task::of(watch, here(), 0)).collect();
    let events = [Event::Lost, Event::Unneeded, Event::OwnerGone, Event::Stalled];
    Told::new().run(|own, round| {
        let task = &tasks[(own + round as usize) % tasks.len()];
        task.happens(events[round as usize % events.len()]).expect("some property heeds it")
    });
    // Nothing is left out.
    let next = tasks[0].happens(Event::Lost);
    assert_eq!(next, Some(THREADS as u64 * EACH + tasks.len() as u64));
}

/// A task's steps are made in the order of their numbers.
#[test]
fn numbers_of_a_task_rise() {
    let numbers = Numbers::new();
    let records: Vec<Record<Vec<u64>>> = (0..5).map(|_| Record::new(Vec::new())).collect();
    records[0].open(&numbers).next();
    Told::new().run(|own, round| {
        let mut open = records[(own + round as usize) % records.len()].open(&numbers);
        let (steps, number) = open.next();
        steps.push(number);
        number
    });
    let mut all = Vec::new();
    for record in &records {
        let mut open = record.open(&numbers);
        let steps = open.state();
        assert!(steps.is_sorted(), "out of order");
        all.append(steps);
    }
    all.sort_unstable();
    assert!(all.into_iter().eq(1..=THREADS as u64 * EACH), "a number is there twice, or not at all");
}
