//! Streams of a single type, as those of Java are: nothing but the calls says where they tell what they tell.
type Action = Box<dyn Fn() + Send>;

#[derive(Clone, Default)]
pub struct Stream;

impl Stream {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Stream
    }

    pub fn observe_ui(&self) -> Stream {
        Stream
    }

    pub fn observe_comp(&self) -> Stream {
        Stream
    }

    pub fn observe_on(&self, _scheduler: Scheduler) -> Stream {
        Stream
    }

    pub fn do_work(&self, _work: Option<Action>) -> Stream {
        Stream
    }

    pub fn subscribe(&self, _action: impl Fn() + Send + 'static) {}
}

pub struct Scheduler;

impl Scheduler {
    pub fn ui_thread() -> Scheduler {
        Scheduler
    }

    pub fn computation_thread() -> Scheduler {
        Scheduler
    }
}

/// The same thing under other names.
pub struct Schedulers;

impl Schedulers {
    pub fn main_thread() -> Scheduler {
        Scheduler
    }

    pub fn computation() -> Scheduler {
        Scheduler
    }
}

pub trait Observer<T> {
    fn on_next(&self, value: &T);
}

#[derive(Clone)]
pub struct Observable<T>(Option<T>);

impl<T> Observable<T> {
    pub fn empty() -> Self {
        Observable(None)
    }

    pub fn observe_on(&self, _scheduler: Scheduler) -> Self {
        Observable(None)
    }

    pub fn do_on_each(&self, _observer: impl Observer<T> + Send + 'static) -> Self {
        Observable(None)
    }

    pub fn merge(_one: Observable<T>, _other: Observable<T>) -> Self {
        Observable(None)
    }

    pub fn subscribe(&self, _observer: impl Observer<T> + Send + 'static) {}
}
