//! What watching takes: nothing of tasks that are gone, little of those that live.

use std::future::Future;
use std::panic::Location;
use std::path::Path;
use std::pin::Pin;
use std::process::Command;
use std::task::{Context, Poll, Waker};

use robust_analyzer::cor::{self, print};
use robust_monitor::{FOLDER_ENV, Handle, run_future};

/// A task that suspends once.
struct Once(bool);

impl Future for Once {
    type Output = Result<(), String>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        cx.waker().wake_by_ref();
        if std::mem::replace(&mut self.0, true) { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

type Boxed = Pin<Box<dyn Future<Output = Result<(), String>>>>;

fn start(watched: bool) -> (Boxed, Option<Handle>) {
    if watched {
        let (future, handle) = run_future(Location::caller(), Once(false));
        (Box::pin(future), Some(handle))
    } else {
        (Box::pin(Once(false)), None)
    }
}

/// Bytes of memory that this process has.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split(' ').nth(1)?.parse::<usize>().ok()? * 4096)
}

/// Runs a test of this file in a process of its own, which is watched.
fn watched(test: &str, whole: impl FnOnce(Option<usize>)) {
    const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");
    if std::env::var_os(FOLDER_ENV).is_some() {
        return whole(resident());
    }
    let checked = cor::read(cor::BUILT_IN, "lifecycle.cor").expect("it makes sense");
    let folder = Path::new(FOLDER).join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("tables"), print::watched(&checked).tables()).expect("a file");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--nocapture"]).env(FOLDER_ENV, &folder);
    let output = command.output().expect("this program");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn of_tasks_that_are_gone_nothing_is_left() {
    watched("of_tasks_that_are_gone_nothing_is_left", |_| {
        let run = |count: usize| {
            for number in 0..count {
                let (mut future, handle) = start(true);
                assert!(!poll(future.as_mut()));
                // Some are waited for, some are cancelled, some are nobody's.
                match (number % 3, handle) {
                    (0, Some(mut handle)) => {
                        assert!(poll(future.as_mut()));
                        handle.joined();
                    }
                    (1, Some(handle)) => handle.abort(),
                    (_, handle) => {
                        drop(handle);
                        assert!(poll(future.as_mut()));
                    }
                }
            }
        };
        run(10_000);
        let before = resident();
        run(1_000_000);
        if let (Some(before), Some(after)) = (before, resident()) {
            let grown = after.saturating_sub(before);
            println!("1,000,000 tasks one after the other: {grown} bytes more");
            assert!(grown < 1 << 20, "{grown}");
        }
    });
}

#[test]
fn tasks_that_live_take_little() {
    const COUNT: usize = 100_000;
    watched("tasks_that_live_take_little", |_| {
        let run = |watched: bool| {
            let before = resident();
            let mut all = Vec::with_capacity(COUNT);
            for _ in 0..COUNT {
                let (mut future, handle) = start(watched);
                assert!(!poll(future.as_mut()));
                all.push((future, handle));
            }
            let after = resident();
            (before.zip(after).map(|(before, after)| after.saturating_sub(before)), all)
        };
        let (plain, kept) = run(false);
        let (watched, more) = run(true);
        if let Some((plain, watched)) = plain.zip(watched) {
            let each = watched.saturating_sub(plain) / COUNT;
            println!("{COUNT} tasks at once: {each} bytes more for each");
            assert!(each > 0 && each <= 250, "{each}");
        }
        drop((kept, more));
    });
}
