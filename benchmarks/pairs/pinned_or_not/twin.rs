// Which of two queues is meant is decided once; the lock that is taken belongs to the data.
use parking_lot::Mutex;

#[derive(Default)]
pub struct Tally { votes: u64, last: u64 }

#[derive(Default)]
pub struct Board { pinned: Mutex<Tally>, normal: Mutex<Tally> }

impl Board {
    fn of(&self, pinned: bool) -> &Mutex<Tally> { if pinned { &self.pinned } else { &self.normal } }
    pub fn vote(&self, pinned: bool, weight: u64) -> u64 {
        let tally = self.of(pinned);
        let mut tally = tally.lock();
        let sum = tally.votes.saturating_add(weight * 2);
        tally.votes = sum;
        tally.last = sum;
        sum
    }
    pub fn votes(&self) -> (u64, u64) { (self.pinned.lock().votes, self.normal.lock().votes) }
    pub fn last(&self) -> u64 { self.normal.lock().last }
}
