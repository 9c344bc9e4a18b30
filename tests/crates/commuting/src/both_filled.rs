//! Two things, each filled by whoever finds it empty: that the one is empty leads to a look at the other, and says nothing of it.

use std::sync::Mutex;

fn brewed() -> Option<String> {
    std::env::args().next()
}

/// Who sets the table boils water if there is none, as others do who only want water. That two may do so is another matter.
#[derive(Default)]
pub struct Kitchen {
    tea: Mutex<Option<String>>,
    water: Mutex<Option<String>>,
}

impl Kitchen {
    pub fn boil(&self) {
        let there = self.water.lock().unwrap().is_some(); //~
        if !there {
            let water = brewed();
            *self.water.lock().unwrap() = water; //~
        }
    }

    pub fn set_the_table(&self) {
        let there = self.tea.lock().unwrap().is_some(); //~
        if !there {
            self.boil();
            let tea = brewed();
            *self.tea.lock().unwrap() = tea; //~
        }
    }
}

/// Who has closed the kitchen pours the water away: it is boiled again by who has not seen that.
#[derive(Default)]
pub struct Stand {
    closed: Mutex<Option<String>>,
    water: Mutex<Option<String>>,
}

impl Stand {
    fn boil(&self) {
        let mut water = self.water.lock().unwrap();
        if water.is_none() { //~
            *water = brewed();
        }
    }

    pub fn serve(&self) {
        let open = self.closed.lock().unwrap().is_none(); //~
        if open {
            self.boil();
        }
    }

    pub fn close(&self, why: String) {
        *self.closed.lock().unwrap() = Some(why); //~
        *self.water.lock().unwrap() = None; //~
    }
}

/// Both are made anew because the one is missing, whatever the other one is.
#[derive(Default)]
pub struct Pair {
    left: Mutex<Option<String>>,
    right: Mutex<Option<String>>,
}

impl Pair {
    pub fn make(&self) -> bool {
        let there = self.left.lock().unwrap().is_some(); //~
        if there {
            return false;
        }
        *self.right.lock().unwrap() = brewed(); //~
        *self.left.lock().unwrap() = brewed(); //~
        true
    }
}
