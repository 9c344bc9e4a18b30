//! A function that nothing is known of runs the future that it is given, when it returns what that ends with.
use std::sync::Mutex;

static TALLY: Mutex<u32> = Mutex::new(0);
static FINE: Mutex<u32> = Mutex::new(0);

async fn count() -> u32 {
    let seen = *TALLY.lock().unwrap(); //~
    *TALLY.lock().unwrap() = seen * 2; //~
    seen
}

async fn count_well() -> u32 {
    let mut fine = FINE.lock().unwrap();
    let seen = *fine;
    *fine = seen * 2;
    seen
}

pub fn tally() -> u32 {
    pollster::block_on(count())
}

pub fn tally_well() -> u32 {
    pollster::block_on(count_well())
}

pub fn tally_boxed() -> u32 {
    pollster::block_on(Box::pin(count_well()))
}
