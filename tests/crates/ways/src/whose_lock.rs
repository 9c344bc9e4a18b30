//! The lock of an object keeps everybody away from that object, and nobody away from what many such objects share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex, RwLock};

static LAST_TICKET: Mutex<u64> = Mutex::new(0);

/// Many tills, one number.
#[derive(Default)]
pub struct Till {
    drawer: Mutex<Vec<u64>>,
}

impl Till {
    pub fn draw(&self) {
        let mut drawer = self.drawer.lock().unwrap();
        let last = *LAST_TICKET.lock().unwrap(); //~
        *LAST_TICKET.lock().unwrap() = last + 1; //~
        drawer.push(last);
    }

    /// What is in the drawer is the till's own.
    pub fn double(&self) {
        let mut drawer = self.drawer.lock().unwrap();
        if let Some(last) = drawer.last().copied() {
            drawer.push(last * 2);
        }
    }
}

static LAST_SEAT: Mutex<u64> = Mutex::new(0);

/// There is one box office.
pub struct BoxOffice {
    counter: Mutex<u64>,
}

static OFFICE: LazyLock<BoxOffice> = LazyLock::new(BoxOffice::open);

impl BoxOffice {
    fn open() -> Self {
        BoxOffice { counter: Mutex::new(0) }
    }

    pub fn the_only() -> &'static BoxOffice {
        &OFFICE
    }

    pub fn sell(&self) {
        let mut sold = self.counter.lock().unwrap();
        *sold += 1;
        let last = *LAST_SEAT.lock().unwrap();
        *LAST_SEAT.lock().unwrap() = last + 1;
    }
}

#[derive(Default)]
pub struct Hall {
    guests: Mutex<HashMap<String, u64>>,
    gate: Mutex<()>,
    entered: Mutex<u64>,
}

/// A hall has many doors.
pub struct Door {
    hall: Arc<Hall>,
    open: Mutex<bool>,
    passed: Mutex<u64>,
}

impl Hall {
    pub fn door(self: &Arc<Self>) -> Door {
        Door { hall: self.clone(), open: Mutex::new(true), passed: Mutex::new(0) }
    }
}

impl Door {
    pub fn enter(&self, name: String) {
        let open = self.open.lock().unwrap();
        if *open {
            let before = self.hall.guests.lock().unwrap().get(&name).copied().unwrap_or(0); //~
            self.hall.guests.lock().unwrap().insert(name, before + 1); //~
        }
    }

    /// All doors go by one gate.
    pub fn pass(&self) {
        let _gate = self.hall.gate.lock().unwrap();
        let entered = *self.hall.entered.lock().unwrap();
        *self.hall.entered.lock().unwrap() = entered + 1;
    }

    /// What is the door's own, under its own lock.
    pub fn count(&self) {
        let _open = self.open.lock().unwrap();
        let passed = *self.passed.lock().unwrap();
        *self.passed.lock().unwrap() = passed + 1;
    }
}

/// A desk makes the ledger that it has.
pub struct Desk {
    turn: Mutex<()>,
    ledger: Arc<Ledger>,
}

#[derive(Default)]
pub struct Ledger {
    sum: Mutex<u64>,
}

impl Desk {
    pub fn new() -> Self {
        Desk { turn: Mutex::new(()), ledger: Arc::default() }
    }

    pub fn book(&self) {
        let _turn = self.turn.lock().unwrap();
        let sum = *self.ledger.sum.lock().unwrap();
        *self.ledger.sum.lock().unwrap() = sum + 1;
    }
}

/// Its callers say which store it is about: whether two have one is theirs to know.
pub struct Clerk {
    turn: Mutex<()>,
    store: Arc<Store>,
}

#[derive(Default)]
pub struct Store {
    stock: Mutex<u64>,
}

impl Clerk {
    pub fn new(store: Arc<Store>) -> Self {
        Clerk { turn: Mutex::new(()), store }
    }

    pub fn order(&self) {
        let _turn = self.turn.lock().unwrap();
        let stock = *self.store.stock.lock().unwrap();
        *self.store.stock.lock().unwrap() = stock + 1;
    }
}

/// A lock for each lane, of which each has its own best time, and one best time for all.
#[derive(Default)]
pub struct Pool {
    lanes: [RwLock<u64>; 8],
    best: Mutex<u64>,
    ranked: Mutex<u64>,
    splits: [AtomicU64; 8],
}

impl Pool {
    pub fn swim(&self, lane: usize, time: u64) {
        let mut own = self.lanes[lane].write().unwrap();
        *own = time;
        if time < *self.best.lock().unwrap() { //~
            *self.best.lock().unwrap() = time; //~
        }
    }

    /// Who has all lanes is alone.
    pub fn rank(&self) {
        let lanes: Vec<_> = self.lanes.iter().map(|lane| lane.write().unwrap()).collect();
        let ranked = *self.ranked.lock().unwrap();
        *self.ranked.lock().unwrap() = ranked * 2 + lanes.len() as u64;
    }

    pub fn split(&self, lane: usize) {
        let _own = self.lanes[lane].write().unwrap();
        let split = self.splits[lane].load(SeqCst);
        self.splits[lane].store(split * 2 + 1, SeqCst);
    }
}

/// A lock for each who calls.
#[derive(Default)]
pub struct Survey {
    answers: Mutex<u64>,
    asked: Mutex<u64>,
}

impl Survey {
    pub fn answer(&self) {
        let own = Arc::new(Mutex::new(1));
        let own = own.lock().unwrap();
        let answers = *self.answers.lock().unwrap(); //~
        *self.answers.lock().unwrap() = answers * 2 + *own; //~
    }

    /// The tasks of one call share its lock.
    pub fn ask(&self, more: u64) -> u64 {
        let (turn, sum) = (Mutex::new(()), Mutex::new(0));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let _turn = turn.lock().unwrap();
                    let before = *sum.lock().unwrap();
                    *sum.lock().unwrap() = before * 2 + more;
                });
            }
        });
        *self.asked.lock().unwrap() += 1;
        sum.into_inner().unwrap()
    }
}

thread_local! {
    static MINE: Mutex<u64> = const { Mutex::new(0) };
}

/// A lock for each thread.
#[derive(Default)]
pub struct Meter {
    total: Mutex<u64>,
}

impl Meter {
    pub fn add(&self, more: u64) {
        MINE.with(|mine| {
            let mut mine = mine.lock().unwrap();
            *mine += more;
            let total = *self.total.lock().unwrap(); //~
            *self.total.lock().unwrap() = total * 2 + more; //~
        })
    }

    /// What is the thread's own is so without the lock, too.
    pub fn own(&self) {
        MINE.with(|mine| {
            let before = *mine.lock().unwrap();
            *mine.lock().unwrap() = before + 1;
        })
    }
}
