// Source: hyperium/h2 issue #326, pull request #338 (Fix race in stream ref count)
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

pub type StreamId = u32;

#[derive(Default)]
struct Stream {
    ref_count: usize,
    recv_buffer: VecDeque<Bytes>,
}

#[derive(Default)]
struct Inner {
    /// Task of the connection.
    task: Option<Waker>,

    /// Stores stream state
    store: HashMap<StreamId, Stream>,
}

/// The streams of a connection.
struct Streams {
    inner: Arc<Mutex<Inner>>,
}

impl Streams {
    fn new() -> Self {
        Streams { inner: Arc::new(Mutex::new(Inner::default())) }
    }

    fn next_incoming(&self, id: StreamId) -> StreamRef {
        let mut me = self.inner.lock().unwrap();
        me.store.entry(id).or_default().ref_count += 1;
        StreamRef { inner: self.inner.clone(), key: id }
    }

    fn recv_data(&self, id: StreamId, data: Bytes) -> bool {
        let mut me = self.inner.lock().unwrap();
        match me.store.get_mut(&id) {
            Some(stream) => {
                stream.recv_buffer.push_back(data);
                true
            }
            None => false,
        }
    }

    fn num_active_streams(&self) -> usize {
        self.inner.lock().unwrap().store.len()
    }

    fn has_streams_or_other_references(&self) -> bool {
        if Arc::strong_count(&self.inner) > 1 { //~
            return true;
        }

        let me = self.inner.lock().unwrap();
        !me.store.is_empty()
    }
}

/// A reference to a stream of a connection.
pub struct StreamRef {
    inner: Arc<Mutex<Inner>>,
    key: StreamId,
}

impl StreamRef {
    pub fn stream_id(&self) -> StreamId {
        self.key
    }

    /// The data that has arrived since the last call.
    pub fn take_data(&self) -> Vec<Bytes> {
        let mut me = self.inner.lock().unwrap();
        match me.store.get_mut(&self.key) {
            Some(stream) => stream.recv_buffer.drain(..).collect(),
            None => Vec::new(),
        }
    }
}

impl Clone for StreamRef {
    fn clone(&self) -> Self {
        // Increment the ref count
        let mut inner = self.inner.lock().unwrap();
        inner.store.entry(self.key).or_default().ref_count += 1;

        StreamRef { inner: self.inner.clone(), key: self.key }
    }
}

impl Drop for StreamRef {
    fn drop(&mut self) {
        drop_stream_ref(&self.inner, self.key);
    }
}

fn drop_stream_ref(inner: &Mutex<Inner>, key: StreamId) {
    let mut me = inner.lock().unwrap();
    let me = &mut *me;

    let Some(stream) = me.store.get_mut(&key) else {
        return;
    };

    // decrement the stream's ref count by 1.
    stream.ref_count -= 1;

    // If the stream is not referenced any more, we should notify the task
    // (connection) so that it can close properly
    if stream.ref_count == 0 {
        me.store.remove(&key);
        if let Some(task) = me.task.take() {
            task.wake(); //~
        }
    }
}

/// A connection: the future is ready when it has been closed.
pub struct Connection {
    streams: Streams,
    go_away: bool,
}

impl Connection {
    pub fn new() -> Self {
        Connection { streams: Streams::new(), go_away: false }
    }

    pub fn accept(&self, id: StreamId) -> StreamRef {
        self.streams.next_incoming(id)
    }

    pub fn recv_data(&self, id: StreamId, data: Bytes) -> bool {
        self.streams.recv_data(id, data)
    }

    fn maybe_close_connection_if_no_streams(&mut self) {
        // If we poll() and realize that there are no streams or references
        // then we can close the connection by transitioning to GOAWAY
        if self.streams.num_active_streams() == 0 && !self.streams.has_streams_or_other_references()
        {
            self.go_away = true;
        }
    }
}

impl Future for Connection {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.streams.inner.lock().unwrap().task = Some(cx.waker().clone());
        self.maybe_close_connection_if_no_streams();
        if self.go_away {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}
