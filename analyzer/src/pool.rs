//! The threads of the process: one pool, whoever has work to do at the same time.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Deep programs and sources recurse deeply. What is not used of a stack takes no memory.
const STACK: usize = 256 << 20;

/// The pool, as large as anybody asked for so far.
static POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// As many as there are processors.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The pool, with so many threads at least; none where threads are not to be had.
pub fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if pool.as_ref().is_none_or(|pool| pool.current_num_threads() < threads) {
        let threads = threads.max(processors());
        let larger = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
        *pool = Some(Arc::new(larger.ok()?));
    }
    pool.clone()
}

/// Does the work with all items, `jobs` at a time (0: as many as there are processors). Each worker has something of its own. `take`
/// gets the results on this thread, in the order of the items, as soon as they are there; when it breaks off, so does the work.
pub fn in_parallel<T: Send, W: Send, R: Send>(
    jobs: usize,
    items: impl Iterator<Item = T> + Send,
    mut worker: impl FnMut() -> W,
    work: impl Fn(&mut W, T) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) {
    let jobs = if jobs == 0 { processors() } else { jobs };
    let jobs = items.size_hint().1.map_or(jobs, |most| jobs.min(most));
    let Some(pool) = pool(jobs) else {
        let mut own = worker();
        let _ = items.map(|item| work(&mut own, item)).try_for_each(take);
        return;
    };
    let items = Mutex::new(items.enumerate());
    let (sender, results) = mpsc::sync_channel(jobs);
    let run = |mut own: W, sender: mpsc::SyncSender<(usize, R)>| {
        loop {
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, item)) = next else { return };
            if sender.send((index, work(&mut own, item))).is_err() {
                return;
            }
        }
    };
    pool.in_place_scope(|scope| {
        let run = &run;
        for _ in 0..jobs {
            let (own, sender) = (worker(), sender.clone());
            scope.spawn(move |_| run(own, sender));
        }
        drop(sender);
        let (mut next, mut waiting) = (0, BTreeMap::new());
        for (index, result) in results {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                if take(result).is_break() {
                    return;
                }
            }
        }
    });
}

/// Does work that may recurse deeply. None where that is not possible, or where it goes wrong.
pub fn deeply<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    pool(1)?.install(|| catch_unwind(AssertUnwindSafe(work)).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        for jobs in [0, 1, 3, 64] {
            let mut all = Vec::new();
            let work = |own: &mut u32, item: u32| {
                *own += 1;
                std::thread::yield_now();
                item * 2
            };
            in_parallel(
                jobs,
                0..1000,
                || 0,
                work,
                |result| {
                    all.push(result);
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(all, (0..1000).map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn work_ends_when_it_is_broken_off() {
        const MANY: u64 = 10_000_000;
        let (mut taken, begun) = (0, Mutex::new(0_u64));
        let work = |(): &mut (), _| *begun.lock().unwrap() += 1;
        in_parallel(
            2,
            0..MANY,
            || (),
            work,
            |()| {
                taken += 1;
                if taken == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(taken, 10);
        // Whoever breaks off may not have a processor just then.
        assert!(*begun.lock().unwrap() < MANY / 2, "{begun:?}");
    }

    #[test]
    fn what_goes_wrong_in_depth_is_nothing() {
        fn depth(of: u32) -> u32 {
            let room = std::hint::black_box([of; 64]);
            if of == 0 { 0 } else { 1 + depth(of - 1) + room[0] - of }
        }
        assert_eq!(deeply(|| depth(200_000)), Some(200_000));
        assert_eq!(deeply(|| panic!("as expected")), None::<()>);
    }
}
