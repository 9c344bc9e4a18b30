//! What a critical section hands out in a tuple, and what is decided by its parts behind that.

use std::sync::Mutex;

#[derive(Default)]
struct Inside {
    free: Vec<u32>,
    open: u32,
    coming: u32,
}

impl Inside {
    fn approve(&mut self, most: u32) -> u32 {
        let room = 10_u32.saturating_sub(self.open + self.coming).min(most);
        self.coming += room;
        room
    }
}

/// Who has taken out a broken one counts it off; who has found none reserves one, and never does.
#[derive(Default)]
pub struct Pool(Mutex<Inside>);

impl Pool {
    pub fn get(&self, is_valid: fn(u32) -> bool) -> u32 {
        let (taken, coming) = {
            let mut inside = self.0.lock().unwrap();
            let taken = inside.free.pop();
            let coming = match taken {
                Some(_) => 0,
                None => inside.approve(1),
            };
            (taken, coming)
        };
        let Some(taken) = taken else { return coming };
        if !is_valid(taken) {
            self.0.lock().unwrap().open -= 1;
        }
        coming
    }

    pub fn put_back(&self, one: u32) {
        self.0.lock().unwrap().free.push(one);
    }
}

/// Who has found none goes by the room that was there.
#[derive(Default)]
pub struct Crowd(Mutex<Inside>);

impl Crowd {
    pub fn get(&self) -> Option<u32> {
        let (taken, room) = {
            let mut inside = self.0.lock().unwrap();
            (inside.free.pop(), inside.open < 10) //~
        };
        if taken.is_none() && room {
            self.0.lock().unwrap().open += 1; //~
        }
        taken
    }

    pub fn put_back(&self, one: u32) {
        self.0.lock().unwrap().free.push(one);
    }
}
