//! Ends of channels under locks: whether there is one is guarded by the lock around it.

use std::sync::Mutex;

use tokio::sync::oneshot;

/// Two that have seen it cannot both have it.
#[derive(Default)]
pub struct Asked {
    stop: Mutex<Option<oneshot::Sender<()>>>,
}

impl Asked {
    pub fn set(&self, stop: oneshot::Sender<()>) {
        *self.stop.lock().unwrap() = Some(stop); //~
    }

    pub fn stop(&self) -> bool {
        if self.stop.lock().unwrap().is_none() { //~
            return false;
        }
        let stop = self.stop.lock().unwrap().take().expect("not stopped yet"); //~
        stop.send(()).is_ok()
    }
}

#[derive(Default)]
struct State {
    stop: Option<oneshot::Sender<()>>,
    starts: u32,
}

/// The second one who starts drops the first one's.
#[derive(Default)]
pub struct Begun(Mutex<State>);

impl Begun {
    pub fn begin(&self, stop: oneshot::Sender<()>) -> bool {
        if self.0.lock().unwrap().stop.is_some() { //~
            return false;
        }
        let mut state = self.0.lock().unwrap();
        state.stop = Some(stop); //~
        state.starts += 1;
        true
    }
}

/// Looked at and taken in one section, or asked again as it is taken.
#[derive(Default)]
pub struct Taken {
    stop: Mutex<Option<oneshot::Sender<()>>>,
    state: Mutex<State>,
}

impl Taken {
    pub fn set(&self, stop: oneshot::Sender<()>) {
        *self.stop.lock().unwrap() = Some(stop);
    }

    pub fn stop(&self) -> bool {
        let mut stop = self.stop.lock().unwrap();
        if stop.is_none() {
            return false;
        }
        stop.take().expect("it is there").send(()).is_ok()
    }

    pub fn stop_again(&self) -> bool {
        if self.stop.lock().unwrap().is_none() {
            return false;
        }
        let Some(stop) = self.stop.lock().unwrap().take() else { return false };
        stop.send(()).is_ok()
    }

    pub fn begin(&self, stop: oneshot::Sender<()>) {
        let mut state = self.state.lock().unwrap();
        if state.stop.is_none() {
            state.stop = Some(stop);
            state.starts += 1;
        }
    }

    pub fn end(&self) {
        if let Some(stop) = self.state.lock().unwrap().stop.take() {
            let _ = stop.send(());
        }
    }
}
