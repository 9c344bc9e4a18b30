//! Both keep the guard.
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
type Callback = Box<dyn Fn(u8) + Send + 'static>;
fn download(parts: u8, progress: Callback) -> JoinHandle<()> {
    thread::spawn(move || (1..=parts).for_each(|part| progress(part)))
}
#[derive(Default)]
struct Shown { percent: u8, changes: u32 }
pub struct Dialog { shown: Arc<Mutex<Shown>>, work: Option<JoinHandle<()>> }
impl Dialog {
    pub fn open(parts: u8) -> Dialog {
        let shown = Arc::new(Mutex::new(Shown::default()));
        let told = shown.clone();
        let progress = Box::new(move |part: u8| {
            let mut told = told.lock().unwrap();
            let changes = told.changes;
            *told = Shown { percent: part / parts * 100, changes: changes + 1 };
        });
        Dialog { shown, work: Some(download(parts, progress)) }
    }
    pub fn reset(&self) {
        let mut shown = self.shown.lock().unwrap();
        shown.percent = 0;
        shown.changes += 1;
    }
    pub fn wait(&mut self) -> u32 {
        if let Some(work) = self.work.take() { work.join().unwrap(); }
        self.shown.lock().unwrap().changes
    }
}
