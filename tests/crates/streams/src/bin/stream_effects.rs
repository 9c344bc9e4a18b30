//! After `StreamEffects` of `uber-research/RxThreadEffectChecker`, without its annotations: the same errors, no more.
use gtk4::gdk;
use rx::Stream;

fn safe_action() {}

fn safe_stream_effects() {
    let s = Stream::new();
    s.subscribe(safe_action);

    let s1 = Stream::new();
    let s2 = s1.observe_ui();
    s2.subscribe(|| drop(gdk::Display::default()));

    let s3 = Stream::new();
    let s4 = s3.observe_ui();
    let s5 = s4.do_work(None);
    s5.subscribe(|| drop(gdk::Display::default()));
}

fn unsafe_stream_manip() {
    let s1 = Stream::new();
    let s2 = s1.observe_comp();
    s2.subscribe(|| drop(gdk::Display::default())); //~ observer-off-thread

    let s3 = Stream::new();
    s3.subscribe(|| drop(gdk::Display::default())); //~ observer-off-thread
}

fn main() {
    safe_stream_effects();
    unsafe_stream_manip();
}
