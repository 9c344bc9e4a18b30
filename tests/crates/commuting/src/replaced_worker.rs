//! A worker that breaks down is replaced by another one, which enters and leaves as it has done: which of both is there first says nothing.
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;

#[derive(Clone)]
pub struct Badge {
    bearer: usize,
}

pub struct Seat {
    news: Sender<Vec<Badge>>,
    badge: Option<Badge>,
}

#[derive(Default)]
pub struct Table {
    marks: usize,
    seats: BTreeMap<usize, Seat>,
}

impl Table {
    fn mark(&mut self) -> usize {
        let mark = self.marks;
        self.marks += 1;
        mark
    }

    fn enter(&mut self, badge: Badge) {
        if let Some(seat) = self.seats.get_mut(&badge.bearer) {
            seat.badge = Some(badge);
        }
        self.announce();
    }

    fn leave(&mut self, mark: usize) {
        self.seats.remove(&mark);
        self.announce();
    }

    fn announce(&self) {
        let badges: Vec<Badge> = self.seats.values().filter_map(|seat| seat.badge.clone()).collect();
        for (mark, seat) in &self.seats {
            let others = badges.iter().filter(|badge| badge.bearer != *mark).cloned().collect();
            let _ = seat.news.send(others);
        }
    }
}

pub struct Hall {
    table: Mutex<Table>,
}

#[derive(Clone)]
pub struct Guild {
    hall: Arc<Hall>,
}

struct Keeper {
    hall: Weak<Hall>,
    mark: usize,
    awake: bool,
}

impl Keeper {
    fn dismiss(mut self) {
        self.awake = false;
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if self.awake {
            if let Some(hall) = self.hall.upgrade() {
                let mut table = hall.table.lock().unwrap();
                table.leave(self.mark);
                hall.engage(&mut table, hall.clone(), Some(self.mark));
            }
        }
    }
}

fn serve(hall: Weak<Hall>, mark: usize, news: Receiver<Vec<Badge>>) {
    {
        let hall = hall.upgrade().expect("a guild");
        hall.table.lock().unwrap().enter(Badge { bearer: mark });
    }
    let keeper = Keeper { hall: hall.clone(), mark, awake: true };
    while let Ok(badges) = news.recv() {
        if badges.is_empty() {
            break;
        }
    }
    keeper.dismiss();
    if let Some(hall) = hall.upgrade() {
        hall.table.lock().unwrap().leave(mark);
    }
}

impl Hall {
    fn engage(&self, table: &mut MutexGuard<'_, Table>, hall: Arc<Hall>, old: Option<usize>) {
        let mark = old.unwrap_or_else(|| table.mark());
        let (news, theirs) = channel();
        table.seats.insert(mark, Seat { news, badge: None });
        thread::spawn(move || {
            let weak = Arc::downgrade(&hall);
            drop(hall);
            serve(weak, mark, theirs)
        });
    }
}

impl Guild {
    pub fn new(size: usize) -> Guild {
        let hall = Arc::new(Hall { table: Mutex::new(Table::default()) });
        let mut table = hall.table.lock().unwrap();
        for _ in 0..size {
            hall.engage(&mut table, hall.clone(), None);
        }
        drop(table);
        Guild { hall }
    }

    pub fn size(&self) -> usize {
        self.hall.table.lock().unwrap().seats.len()
    }
}
