//! The thread of the window, as a scheduler.
use std::future::{Ready, ready};
use std::time::Duration;

use gtk4::glib;
use rxrust::scheduler::{Schedulable, Scheduler, SleepProvider, TaskHandle};

#[derive(Clone, Copy, Default)]
pub struct Ui;

impl SleepProvider for Ui {
    type SleepFuture = Ready<()>;

    fn sleep(&self, _: Duration) -> Self::SleepFuture {
        ready(())
    }
}

impl<S> Scheduler<S> for Ui
where
    S: Schedulable<Ui> + 'static,
    S::Future: Send + 'static,
{
    fn schedule(&self, source: S, _: Option<Duration>) -> TaskHandle {
        glib::MainContext::default().spawn(source.into_future(self));
        TaskHandle::finished()
    }
}
