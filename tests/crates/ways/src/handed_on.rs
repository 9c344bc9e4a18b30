//! Readers that are handed on, one to the next, and read by one at a time: each has its own, whatever it is.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, Sender};

enum State<R> {
    Current(R),
    Waiting(Receiver<R>),
}

/// Reads when the reader before it has ended.
pub struct Queued<R: Read + Send> {
    state: Option<State<R>>,
    next: Sender<R>,
}

impl<R: Read + Send> Queued<R> {
    pub fn pair(reader: R) -> (Queued<R>, Queued<R>) {
        let (first, waits) = mpsc::channel();
        let (last, _) = mpsc::channel();
        let head = Queued { state: Some(State::Current(reader)), next: first };
        (head, Queued { state: Some(State::Waiting(waits)), next: last })
    }
}

impl<R: Read + Send> Read for Queued<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.state.as_mut().unwrap() {
            State::Current(reader) => reader.read(buf),
            State::Waiting(waits) => {
                let mut reader = waits.recv().unwrap();
                let read = reader.read(buf);
                self.state = Some(State::Current(reader));
                read
            }
        }
    }
}

impl<R: Read + Send> Drop for Queued<R> {
    fn drop(&mut self) {
        let reader = match self.state.take() {
            Some(State::Current(reader)) => reader,
            Some(State::Waiting(waits)) => waits.recv().unwrap(),
            None => return,
        };
        let _ = self.next.send(reader);
    }
}

enum Inner {
    Parts(Box<dyn Iterator<Item = Vec<u8>>>, Option<io::Cursor<Vec<u8>>>),
    Reader(Box<dyn Read>),
}

/// What is read of parts, or of a reader.
pub struct Body(Inner);

impl Body {
    pub fn from_reader(reader: impl Read + 'static) -> Body {
        Body(Inner::Reader(Box::new(reader)))
    }

    pub fn from_parts(parts: impl IntoIterator<Item = Vec<u8>> + 'static) -> Body {
        let mut parts = parts.into_iter();
        let first = parts.next().map(io::Cursor::new);
        Body(Inner::Parts(Box::new(parts), first))
    }
}

impl Read for Body {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Reader(reader) => reader.read(buf),
            Inner::Parts(parts, left) => {
                while let Some(part) = left {
                    let read = part.read(buf)?;
                    if read > 0 {
                        return Ok(read);
                    }
                    *left = parts.next().map(io::Cursor::new);
                }
                Ok(0)
            }
        }
    }
}

struct Lines(Box<dyn Read + Send>);

impl Iterator for Lines {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut buf = vec![0; 8];
        let read = self.0.read(&mut buf).ok()?;
        buf.truncate(read);
        (read > 0).then_some(buf)
    }
}

pub fn body_of(reader: impl Read + Send + 'static) -> (Body, Body) {
    let (first, second) = Queued::pair(reader);
    (Body::from_parts(Lines(Box::new(first))), Body::from_reader(second))
}
