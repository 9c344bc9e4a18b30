//! After `StreamSchedulers` of `uber-research/RxThreadEffectChecker`, without its annotations: the same errors, no more.
use gtk4::gdk;
use rx::{Scheduler, Stream};

fn safe_action() {}

fn safe_stream_effects() {
    let s = Stream::new();
    s.subscribe(safe_action);

    let s1 = Stream::new();
    let s2 = s1.observe_on(Scheduler::ui_thread());
    s2.subscribe(|| drop(gdk::Display::default()));

    let s3 = Stream::new();
    let s4 = s3.observe_on(Scheduler::ui_thread());
    let s5 = s4.do_work(None);
    s5.subscribe(|| drop(gdk::Display::default()));
}

fn unsafe_stream_manip() {
    let s1 = Stream::new();
    let s2 = s1.observe_on(Scheduler::computation_thread());
    s2.subscribe(|| drop(gdk::Display::default())); //~ observer-off-thread

    let s3 = Stream::new();
    s3.subscribe(|| drop(gdk::Display::default())); //~ observer-off-thread

    let sched = random_sched();
    let s4 = Stream::new();
    let s5 = s4.observe_on(sched);
    s5.subscribe(|| drop(gdk::Display::default())); //~ observer-off-thread
}

fn random_sched() -> Scheduler {
    if std::env::args().count() > 1 { Scheduler::ui_thread() } else { Scheduler::computation_thread() }
}

fn main() {
    safe_stream_effects();
    unsafe_stream_manip();
}
