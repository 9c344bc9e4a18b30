// Source: MalpenZibo/guido PR #116, repaired as there: the ping has a flag of its own, which is cleared once for each wake-up, before the
// jobs are drained; what comes after that pings again.
use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use crossbeam_channel::{unbounded, Receiver, Sender};
use parking_lot::Mutex;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WidgetId(pub u64);

#[derive(Clone, Debug, PartialEq)]
pub enum JobRequest {
    Layout,
    Paint,
    Animation { target: f32 },
}

#[derive(Clone, Debug, PartialEq)]
struct Job {
    widget: WidgetId,
    request: JobRequest,
}

struct Ingress {
    jobs: Mutex<VecDeque<Job>>,
    frame_requested: AtomicBool,
    ping_sent: AtomicBool,
}

/// What background threads (services, signal writes, timers) have of the event loop.
#[derive(Clone)]
pub struct LoopProxy {
    ingress: Arc<Ingress>,
    ping: Sender<()>,
}

impl LoopProxy {
    pub fn request_job(&self, widget: WidgetId, request: JobRequest) {
        self.ingress.jobs.lock().push_back(Job { widget, request });
        self.request_frame();
    }

    pub fn request_frame(&self) {
        self.ingress.frame_requested.store(true, Ordering::SeqCst);
        let already_pinged = self.ingress.ping_sent.swap(true, Ordering::SeqCst);
        if !already_pinged {
            let _ = self.ping.send(());
        }
    }

    /// How many jobs the loop has not got to yet.
    pub fn pending_jobs(&self) -> usize {
        self.ingress.jobs.lock().len()
    }
}

#[derive(Debug, Default)]
pub struct WidgetState {
    pub layouts: u64,
    pub paints: u64,
    pub target: f32,
}

pub struct EventLoop {
    ingress: Arc<Ingress>,
    pings: Receiver<()>,
    widgets: HashMap<WidgetId, WidgetState>,
    frames: u64,
}

impl EventLoop {
    pub fn new() -> (Self, LoopProxy) {
        let (ping, pings) = unbounded();
        let ingress = Arc::new(Ingress {
            jobs: Mutex::new(VecDeque::new()),
            frame_requested: AtomicBool::new(false),
            ping_sent: AtomicBool::new(false),
        });
        let proxy = LoopProxy { ingress: ingress.clone(), ping };
        (EventLoop { ingress, pings, widgets: HashMap::new(), frames: 0 }, proxy)
    }

    /// Runs until the last proxy is gone; gives the widgets back.
    pub fn run(mut self) -> HashMap<WidgetId, WidgetState> {
        while self.wait_for_ping() {
            self.flush_jobs();
            if self.take_frame_request() {
                self.render();
            }
        }
        self.flush_jobs();
        self.widgets
    }

    fn wait_for_ping(&self) -> bool {
        if self.pings.recv().is_err() {
            return false;
        }
        while self.pings.try_recv().is_ok() {}
        self.ingress.ping_sent.store(false, Ordering::SeqCst);
        true
    }

    fn take_frame_request(&self) -> bool {
        self.ingress.frame_requested.swap(false, Ordering::SeqCst)
    }

    fn flush_jobs(&mut self) {
        let jobs = mem::take(&mut *self.ingress.jobs.lock());
        for Job { widget, request } in jobs {
            let state = self.widgets.entry(widget).or_default();
            match request {
                JobRequest::Layout => state.layouts += 1,
                JobRequest::Paint => state.paints += 1,
                JobRequest::Animation { target } if target != state.target => state.target = target,
                JobRequest::Animation { .. } => {}
            }
        }
    }

    fn render(&mut self) {
        self.frames += 1;
    }
}
