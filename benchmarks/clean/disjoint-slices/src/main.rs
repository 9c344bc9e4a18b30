//! Fills a picture, a band of rows per thread.

use std::thread;

const WIDTH: usize = 64;

fn main() {
    let mut picture = vec![0u8; WIDTH * WIDTH];
    thread::scope(|scope| {
        for (band, rows) in picture.chunks_mut(WIDTH * 16).enumerate() {
            scope.spawn(move || {
                for (index, pixel) in rows.iter_mut().enumerate() {
                    *pixel = (band * 16 + index / WIDTH) as u8;
                }
            });
        }
    });
    println!("{}", picture.iter().map(|pixel| u64::from(*pixel)).sum::<u64>());
}
