//! The length is the new listener's number, looked at apart from the push.
use std::sync::{Arc, Mutex};
type Listener = Arc<dyn Fn(&str) + Send + Sync>;
#[derive(Clone, Default)]
pub struct Emitter { listeners: Arc<Mutex<Vec<(usize, Listener)>>> }
impl Emitter {
    pub fn on<F>(&self, call: F) -> usize where F: Fn(&str) + Send + Sync + 'static {
        let id = self.listeners.lock().unwrap().last().map_or(0, |(id, _)| id + 1); //~
        self.listeners.lock().unwrap().push((id, Arc::new(call))); //~
        id
    }
    pub fn off(&self, id: usize) { self.listeners.lock().unwrap().retain(|(other, _)| *other != id); }
    pub fn emit(&self, what: &str) {
        let listeners: Vec<Listener> = self.listeners.lock().unwrap().iter().map(|(_, l)| l.clone()).collect();
        listeners.iter().for_each(|listener| listener(what));
    }
}
