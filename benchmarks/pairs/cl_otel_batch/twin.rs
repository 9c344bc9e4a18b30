// opentelemetry_sdk 0.33.0 (#3453): the counter is incremented before enqueueing, so that a flush cannot under-count what is in the queue.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc};
use std::thread::JoinHandle;

pub struct Span(pub String);
enum Message { Flush(mpsc::SyncSender<usize>), Shutdown }

pub struct Processor {
    spans: mpsc::SyncSender<Span>,
    messages: mpsc::SyncSender<Message>,
    waiting: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

fn export(spans: &mpsc::Receiver<Span>, waiting: &AtomicUsize) -> usize {
    let target = waiting.load(Ordering::Acquire);
    let mut done = 0;
    while done < target {
        let Ok(span) = spans.try_recv() else { break };
        println!("{}", span.0);
        done += 1;
        waiting.fetch_sub(1, Ordering::AcqRel);
    }
    done
}

impl Processor {
    pub fn start() -> Processor {
        let (spans, queue) = mpsc::sync_channel(2048);
        let (messages, orders) = mpsc::sync_channel(8);
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = waiting.clone();
        let thread = std::thread::spawn(move || {
            while let Ok(message) = orders.recv() {
                match message {
                    Message::Flush(reply) => { let _ = reply.send(export(&queue, &counted)); }
                    Message::Shutdown => { export(&queue, &counted); return; }
                }
            }
        });
        Processor { spans, messages, waiting, thread: Some(thread) }
    }
    pub fn on_end(&self, span: Span) -> bool {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if self.spans.try_send(span).is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return false;
        }
        true
    }
    pub fn force_flush(&self) -> usize {
        let (reply, answer) = mpsc::sync_channel(1);
        let _ = self.messages.send(Message::Flush(reply));
        answer.recv().unwrap_or(0)
    }
    pub fn shutdown(mut self) { let _ = self.messages.send(Message::Shutdown); if let Some(t) = self.thread.take() { let _ = t.join(); } }
}
