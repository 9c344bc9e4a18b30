//! pola-rs/polars#11582: while a job of the pool waits for the pool inside of a runtime, its thread runs another job that enters one, too. C6.
use tokio::runtime::Runtime;

fn read(runtime: &Runtime, files: u32) -> u32 {
    // Its thread drives the runtime, and runs other jobs while it waits for these two.
    let rows = async { rayon::join(|| files, || files + 1) };
    let (one, other) = runtime.block_on(rows); //~ OFFENCE C6 missed
    one + other
}

fn main() {
    let runtime = Runtime::new().unwrap();
    let (one, other) = rayon::join(|| read(&runtime, 1), || read(&runtime, 2));
    println!("{}", one + other);
}
