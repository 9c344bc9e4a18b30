//! The scenarios as Rust programs under loom and shuttle. Both explore schedules and look for panics; how
//! long they take to see all schedules is what an assertion on the result would cost.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// For one scenario and tool. A tool that needs more is not asked about larger ones.
pub const MOST: Duration = Duration::from_secs(60);

/// The scenario on a library's `thread` and `Mutex`.
macro_rules! scenario {
    ($library:ident, $events:expr, $tasks:expr, $guarded:expr) => {{
        use $library::sync::{Arc, Mutex};
        let outer = Arc::new(Mutex::new(()));
        let values: Arc<Vec<Mutex<u32>>> = Arc::new((0..$tasks).map(|_| Mutex::new(0)).collect());
        let event = move |outer: Arc<Mutex<()>>, values: Arc<Vec<Mutex<u32>>>| {
            let _held = $guarded.then(|| outer.lock().unwrap());
            let start = |t: usize| {
                let values = Arc::clone(&values);
                $library::thread::spawn(move || {
                    *values[t].lock().unwrap() += 1;
                    *values[t].lock().unwrap() = 0;
                })
            };
            let tasks: Vec<_> = (0..$tasks).map(start).collect();
            tasks.into_iter().for_each(|t| t.join().unwrap());
        };
        let start = |_| {
            let (outer, values) = (Arc::clone(&outer), Arc::clone(&values));
            $library::thread::spawn(move || event(outer, values))
        };
        let events: Vec<_> = (0..$events).map(start).collect();
        events.into_iter().for_each(|e| e.join().unwrap());
    }};
}

/// Whether a tool is still asked.
#[derive(Default)]
pub struct Tool {
    given_up: bool,
}

/// Milliseconds that loom takes for all schedules.
pub fn loom(tool: &mut Tool, events: usize, tasks: usize, guarded: bool) -> String {
    tool.measure(|| {
        let mut builder = loom::model::Builder::new();
        builder.max_duration = Some(MOST);
        builder.check(move || scenario!(loom, events, tasks, guarded));
    })
}

/// Milliseconds that shuttle's exhaustive scheduler takes for all schedules.
pub fn shuttle(tool: &mut Tool, events: usize, tasks: usize, guarded: bool) -> String {
    tool.measure(|| {
        let mut config = shuttle::Config::new();
        config.max_time = Some(MOST);
        let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
        shuttle::Runner::new(scheduler, config).run(move || scenario!(shuttle, events, tasks, guarded));
    })
}

impl Tool {
    fn measure(&mut self, run: impl FnOnce()) -> String {
        if self.given_up {
            return "-".into();
        }
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let started = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(run));
        let time = started.elapsed();
        std::panic::set_hook(hook);
        let ms = time.as_secs_f64() * 1000.0;
        self.given_up = result.is_err() || time >= MOST;
        match result {
            // Loom has room for a few threads only.
            Err(_) => "gives up".into(),
            Ok(()) if time >= MOST => format!(">{ms:.0}"),
            Ok(()) => format!("{ms:.1}"),
        }
    }
}
