// Repaired: the read (with its pauses) runs in `spawn_blocking`.
//! Reads the registers of electricity meters over a shared Modbus line and publishes them.
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineError {
    Busy,
    Checksum,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::Busy => f.write_str("line is busy"),
            LineError::Checksum => f.write_str("bad checksum"),
        }
    }
}

/// The memory of the line's interface card; filled by the driver.
pub struct Line {
    registers: Vec<AtomicU32>,
}

impl Line {
    pub fn new(meters: usize) -> Line {
        Line { registers: (0..meters).map(|_| AtomicU32::new(0)).collect() }
    }

    fn register(&self, address: usize) -> Result<u32, LineError> {
        match self.registers[address].load(Ordering::Acquire) {
            0 => Err(LineError::Busy),
            raw if raw >> 24 != (raw & 0xff) => Err(LineError::Checksum),
            raw => Ok(raw >> 8 & 0xffff),
        }
    }
}

pub struct Reading {
    pub meter: usize,
    pub watts: u32,
}

fn pauses(first: Duration) -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(first), |pause| Some(*pause * 2)).take(5)
}

/// Calls `attempt` until it succeeds, with a pause after each failure.
fn persist<T, E>(mut attempt: impl FnMut() -> Result<T, E>, pause: impl Fn(Duration)) -> Result<T, E> {
    for length in pauses(Duration::from_millis(20)) {
        match attempt() {
            Ok(value) => return Ok(value),
            Err(_) => pause(length),
        }
    }
    attempt()
}

fn read_meter(line: &Line, meter: usize) -> Result<Reading, LineError> {
    persist(
        || line.register(meter).map(|watts| Reading { meter, watts }),
        |length| thread::sleep(length),
    )
}

/// Polls one meter once a second until nobody wants its readings any more.
pub fn poll(line: Arc<Line>, meter: usize, readings: UnboundedSender<Reading>) {
    tokio::spawn(async move {
        let mut second = tokio::time::interval(Duration::from_secs(1));
        while !readings.is_closed() {
            second.tick().await;
            let line = line.clone();
            let read = move || read_meter(&line, meter);
            match tokio::task::spawn_blocking(read).await {
                Ok(Ok(reading)) => drop(readings.send(reading)),
                Ok(Err(error)) => tracing::warn!(meter, "{error}"),
                Err(error) => tracing::error!(meter, "{error}"),
            }
        }
    });
}
