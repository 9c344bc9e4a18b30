//! After `ObservableSchedulers` of `uber-research/RxThreadEffectChecker`, without its annotations: the same errors, no more. An
//! action is a function of a type here, so there is one type for each place that has something to say about it.
use gtk4::gdk;
use rx::{Observable, Observer, Schedulers};

#[derive(Clone, Copy)]
struct SafeAction;

impl Observer<u32> for SafeAction {
    fn on_next(&self, _: &u32) {}
}

/// Where there is nothing wrong with it.
struct UiAction;

impl Observer<u32> for UiAction {
    fn on_next(&self, _: &u32) {
        drop(gdk::Display::default());
    }
}

fn safe_observable_effects() {
    let o = Observable::empty();
    o.subscribe(SafeAction);
    Observable::empty().subscribe(SafeAction);

    let o1 = Observable::empty();
    let o2 = o1.observe_on(Schedulers::main_thread());
    o2.subscribe(UiAction);
    Observable::empty().observe_on(Schedulers::main_thread()).subscribe(UiAction);

    let o3 = Observable::empty();
    let o4 = o3.observe_on(Schedulers::main_thread());
    let o5 = o4.do_on_each(SafeAction);
    o5.subscribe(UiAction);
    Observable::empty().observe_on(Schedulers::main_thread()).do_on_each(SafeAction).subscribe(UiAction);
}

struct OnComputation;

impl Observer<u32> for OnComputation {
    fn on_next(&self, _: &u32) {
        drop(gdk::Display::default()); //~ observer-off-thread
    }
}

struct OnComputationAtOnce;

impl Observer<u32> for OnComputationAtOnce {
    fn on_next(&self, _: &u32) {
        drop(gdk::Display::default()); //~ observer-off-thread
    }
}

struct Unmoved;

impl Observer<u32> for Unmoved {
    fn on_next(&self, _: &u32) {
        drop(gdk::Display::default()); //~ observer-off-thread
    }
}

struct UnmovedAtOnce;

impl Observer<u32> for UnmovedAtOnce {
    fn on_next(&self, _: &u32) {
        drop(gdk::Display::default()); //~ observer-off-thread
    }
}

fn unsafe_observable_effects() {
    let o1 = Observable::empty();
    let o2 = o1.observe_on(Schedulers::computation());
    o2.subscribe(OnComputation);
    Observable::empty().observe_on(Schedulers::computation()).subscribe(OnComputationAtOnce);

    let o3 = Observable::empty();
    o3.subscribe(Unmoved);
    Observable::empty().subscribe(UnmovedAtOnce);
}

fn safe_observable_merge_effects() {
    let o1 = Observable::empty();
    let o2 = o1.observe_on(Schedulers::main_thread());
    let o3 = o1.observe_on(Schedulers::main_thread());
    Observable::merge(o2, o3).subscribe(UiAction);
}

struct HalfMoved;

impl Observer<u32> for HalfMoved {
    fn on_next(&self, _: &u32) {
        drop(gdk::Display::default()); //~ observer-off-thread
    }
}

fn unsafe_observable_merge_effects() {
    let o1 = Observable::empty();
    let o2 = Observable::empty().observe_on(Schedulers::main_thread());
    Observable::merge(o1, o2).subscribe(HalfMoved);
}

fn main() {
    safe_observable_effects();
    unsafe_observable_effects();
    safe_observable_merge_effects();
    unsafe_observable_merge_effects();
}
