// `blocking-in-async`: task → `next_frame` calls a closure in place → `render` → `collect` → `thread::JoinHandle::join`.
//! Renders the frames of a clip in strips, one thread per strip, and hands them to the encoder.
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use anyhow::{Result, anyhow};
use tokio::sync::{mpsc, oneshot};

#[derive(Clone, Copy)]
pub struct Size {
    pub width: usize,
    pub height: usize,
}

pub trait Scene: Send + Sync {
    fn colour(&self, time: f32, x: f32, y: f32) -> u32;
}

pub struct Frame {
    pub number: u32,
    pub pixels: Vec<u32>,
}

struct Strip {
    rows: std::ops::Range<usize>,
    size: Size,
    time: f32,
}

impl Strip {
    fn render(&self, scene: &dyn Scene) -> Vec<u32> {
        let (width, height) = (self.size.width as f32, self.size.height as f32);
        let mut pixels = Vec::with_capacity(self.rows.len() * self.size.width);
        for y in self.rows.clone() {
            pixels.extend((0..self.size.width).map(|x| scene.colour(self.time, x as f32 / width, y as f32 / height)));
        }
        pixels
    }
}

fn strips(size: Size, time: f32, count: usize) -> Vec<Strip> {
    let high = size.height.div_ceil(count);
    let tops = (0..size.height).step_by(high);
    tops.map(|top| Strip { rows: top..size.height.min(top + high), size, time }).collect()
}

fn collect(running: Vec<JoinHandle<Vec<u32>>>) -> Result<Vec<u32>> {
    let mut pixels = Vec::new();
    for strip in running {
        let strip = strip.join().map_err(|_| anyhow!("a strip panicked"))?; //~
        pixels.extend(strip);
    }
    Ok(pixels)
}

fn render(scene: &Arc<dyn Scene>, size: Size, number: u32) -> Result<Frame> {
    let strips = strips(size, number as f32 / 25.0, 4).into_iter();
    let start = |strip: Strip| {
        let scene = scene.clone();
        thread::spawn(move || strip.render(&*scene))
    };
    let pixels = collect(strips.map(start).collect())?;
    Ok(Frame { number, pixels })
}

async fn next_frame(scene: &Arc<dyn Scene>, size: Size, number: u32) -> Result<Frame> {
    let (finished, frame) = oneshot::channel();
    let scene = scene.clone();
    let work = move || drop(finished.send(render(&scene, size, number)));
    work();
    frame.await?
}

/// Renders the clip; stops early when the encoder is gone.
pub fn start(scene: Arc<dyn Scene>, size: Size, frames: u32, encoder: mpsc::Sender<Frame>) {
    tokio::spawn(async move {
        for number in 0..frames {
            match next_frame(&scene, size, number).await {
                Ok(frame) => match encoder.send(frame).await {
                    Ok(()) => {}
                    Err(_) => return,
                },
                Err(error) => tracing::error!("frame {number}: {error:#}"),
            }
        }
    });
}
