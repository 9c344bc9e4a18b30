//! Who runs: threads, the baton, gates, virtual time.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

use crate::serve;
use crate::system;

/// So many threads can be known at a time.
pub const THREADS: usize = 96;
/// So many lanes can be told apart.
pub const LANES: usize = 16;
/// No end of waiting.
pub const NEVER: u64 = u64::MAX;
/// The place of a gate that stands for a lane as a whole.
pub const WHOLE: u32 = u32::MAX;
/// No place.
const NOWHERE: u32 = u32::MAX - 1;
/// So many points of one thread without another one's are taken for waiting by hand.
const SPIN: u64 = 20_000;
/// So often somebody goes round in circles before nobody is taken to get any further.
const ROUNDS: u64 = 20;
/// A yield, or a sleep, counts for so many points of that.
pub const YIELD: u64 = 200;
/// So many frames are looked at.
const FRAMES: usize = 64;
/// So many times the time passes without a step of a lane before nobody is waited for any more.
const IDLE: u32 = 2_000;
/// So many points a run has.
const POINTS: u64 = 5_000_000;
/// So many places that lanes came to are kept.
const EVENTS: usize = 4_000;

#[derive(Clone, Copy, PartialEq)]
pub enum State {
    Ready,
    Futex {
        word: usize,
        until: u64,
    },
    Sleep(u64),
    Join(usize),
    /// The first thread waits for all lanes.
    Lanes,
    /// Its calls are over. The thread stays: what happens at its end is no part of them.
    Over,
    World {
        fd: i32,
        until: u64,
    },
    Ended,
}

pub struct Thread {
    pub state: State,
    pub timed_out: bool,
    pub baton: AtomicU32,
    pub lane: i32,
    /// Whether it is a lane because it came to its first gate, and not because that lane's calls are made by it.
    adopted: bool,
    pub handle: usize,
    stack: (usize, usize),
    /// The last place that it came to.
    at: u32,
    /// What its random numbers are made of.
    pub random: u64,
}

/// A step that a lane has to come to.
#[derive(Clone, Copy)]
pub struct Gate {
    pub lane: i32,
    pub place: u32,
}

/// Code of a place.
#[derive(Clone, Copy)]
pub struct Range {
    pub low: usize,
    pub high: usize,
    pub place: u32,
}

#[derive(Clone, PartialEq)]
pub enum Mode {
    /// Lanes come to the gates in their order.
    Gates,
    /// Calls as a whole, one after the other, each by the lane named.
    Order(Vec<i32>),
    /// At these points, counted over all lanes, the lane named goes on.
    Switches(Vec<(u64, i32)>),
    /// At each point another lane goes on, so many times in a thousand.
    Random(u64),
}

#[derive(Clone, Copy)]
pub struct Lane {
    /// The gate that it came to last.
    pub came_to: Option<usize>,
    pub ended: bool,
    pub used: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Why {
    /// The lane ended before it.
    Ended,
    /// It waited for somebody who was stopped.
    Waits,
    /// It went round in circles while somebody was stopped.
    Spins,
}

pub struct Schedule {
    pub threads: Vec<Thread>,
    pub lanes: [Lane; LANES],
    pub mode: Mode,
    pub gates: Vec<Gate>,
    pub ranges: Vec<Range>,
    /// Whether threads that are no lanes go first.
    pub background_first: bool,
    /// Whether every atomic operation is a point of the strategy.
    pub every: bool,
    /// What the order of threads that are no lanes is made of; 0: they take turns.
    pub shuffle: u64,
    pub order_at: usize,
    /// Lanes whose calls are not over.
    pub open: usize,
    pub now: u64,
    pub noise: u64,
    pub random: u64,
    pub points: u64,
    pub user_points: u64,
    pub switches: u64,
    /// Points since the baton changed hands.
    pub run: u64,
    pub spun: u64,
    pub blocked: u64,
    /// Waits of lanes that have an end of their own.
    pub timed: u64,
    idle: u32,
    pub diverged: Option<(usize, Why)>,
    pub events: Vec<(i32, u32, u64)>,
    /// One clock for beginnings and ends of calls.
    pub clock: u64,
}

struct Shared(UnsafeCell<Option<Schedule>>);
// SAFETY: only the thread with the baton, or one under `LOCK`, gets at it.
unsafe impl Sync for Shared {}
static SCHEDULE: Shared = Shared(UnsafeCell::new(None));
static ON: AtomicBool = AtomicBool::new(false);
static LOCK: AtomicBool = AtomicBool::new(false);

thread_local! {
    static ME: Cell<usize> = const { Cell::new(usize::MAX) };
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The schedule of this run.
pub fn schedule() -> &'static mut Schedule {
    // SAFETY: see `Shared`; it is set before the first thread is known, and nobody keeps the reference while the baton changes hands.
    unsafe { (*SCHEDULE.0.get()).get_or_insert_with(Schedule::new) }
}

/// Does something while no thread that is not known looks at who waits.
pub fn locked<R>(work: impl FnOnce() -> R) -> R {
    while LOCK.swap(true, Acquire) {
        std::hint::spin_loop();
    }
    let result = work();
    LOCK.store(false, Release);
    result
}

pub fn is_on() -> bool {
    ON.load(Relaxed)
}

/// This thread's number, when it is a known one and a run is under way.
pub fn me() -> Option<usize> {
    let me = ME.try_with(Cell::get).unwrap_or(usize::MAX);
    (me != usize::MAX && is_on()).then_some(me)
}

pub fn set_me(me: usize) {
    let _ = ME.try_with(|mine| mine.set(me));
}

pub fn set_inside(is: bool) {
    let _ = INSIDE.try_with(|inside| inside.set(is));
}

/// Does something in which points do not count.
pub fn inside<R>(work: impl FnOnce() -> R) -> R {
    let was = INSIDE.with(|inside| inside.replace(true));
    let result = work();
    INSIDE.with(|inside| inside.set(was));
    result
}

pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Schedule {
    fn new() -> Schedule {
        Schedule {
            threads: Vec::with_capacity(THREADS),
            lanes: [Lane { came_to: None, ended: true, used: false }; LANES],
            mode: Mode::Gates,
            gates: Vec::new(),
            ranges: Vec::new(),
            background_first: true,
            every: false,
            shuffle: 0,
            order_at: 0,
            open: 0,
            now: 0,
            noise: 0,
            random: 1,
            points: 0,
            user_points: 0,
            switches: 0,
            run: 0,
            spun: 0,
            blocked: 0,
            timed: 0,
            idle: 0,
            diverged: None,
            events: Vec::with_capacity(EVENTS),
            clock: 0,
        }
    }

    /// The run begins: this thread is the first one.
    pub fn begin(&mut self) {
        self.ranges.sort_by_key(|range| range.low);
        self.add_thread(-1);
        self.threads[0].stack = system::stack();
        set_me(0);
        ON.store(true, SeqCst);
    }

    /// Makes room for a thread.
    pub fn add_thread(&mut self, lane: i32) -> usize {
        let random = mix(self.noise
            ^ (lane as u64).wrapping_mul(77)
            ^ self.threads.len() as u64 * u64::from(lane < 0));
        let thread = Thread {
            state: State::Ready,
            timed_out: false,
            baton: AtomicU32::new(0),
            lane,
            adopted: false,
            handle: 0,
            stack: (0, 0),
            at: NOWHERE,
            random,
        };
        if self.threads.len() == THREADS {
            serve::finish("threads");
        }
        self.threads.push(thread);
        self.threads.len() - 1
    }

    /// A thread of ours runs for the first time.
    pub fn enter(&mut self, me: usize) {
        self.threads[me].stack = system::stack();
    }

    pub fn random(&mut self, below: u64) -> u64 {
        self.random = mix(self.random);
        self.random % below.max(1)
    }

    /// The gate that the lane has to come to next.
    fn next_gate(&self, lane: i32) -> Option<usize> {
        let from = self.lanes[lane as usize].came_to.map_or(0, |at| at + 1);
        (from..self.gates.len()).find(|&at| self.gates[at].lane == lane)
    }

    /// Whether a lane only helps others to come about: it has no gates.
    fn helps(&self, thread: usize) -> bool {
        let lane = self.threads[thread].lane;
        self.lives(thread) && self.gates.iter().all(|gate| gate.lane != lane)
    }

    /// Which lane has its turn: the least.
    fn key(&self, lane: i32) -> usize {
        self.lanes[lane as usize].came_to.or_else(|| self.next_gate(lane)).unwrap_or(usize::MAX)
    }

    fn ready(&self, thread: usize) -> bool {
        self.threads[thread].state == State::Ready
    }

    fn lives(&self, thread: usize) -> bool {
        self.threads[thread].lane >= 0 && self.threads[thread].state != State::Ended
    }

    /// The lane that has the turn, if nobody has come to its first gate yet.
    fn missing(&self) -> Option<i32> {
        if self.mode != Mode::Gates {
            return None;
        }
        let nobodys = |gate: &Gate| !self.lanes[gate.lane as usize].used;
        let at = self.gates.iter().position(nobodys)?;
        let mut lanes = (0..self.threads.len()).filter(|&thread| self.lives(thread));
        lanes.all(|thread| at < self.key(self.threads[thread].lane)).then(|| self.gates[at].lane)
    }

    /// Whether a lane has come to all its gates, and waits for another thread to end: it holds nobody up any more.
    fn joins_at_last(&self, thread: usize) -> bool {
        let Thread { lane, state, .. } = self.threads[thread];
        matches!(state, State::Join(_)) && self.next_gate(lane).is_none()
    }

    /// Whose turn it is, whether it can run or not.
    fn turn(&self) -> Option<usize> {
        let mut lanes = (0..self.threads.len()).filter(|&thread| self.lives(thread));
        match &self.mode {
            Mode::Gates => {
                let open = lanes.filter(|&thread| !self.joins_at_last(thread));
                open.min_by_key(|&thread| self.key(self.threads[thread].lane))
            }
            Mode::Order(order) => {
                let lane = *order.get(self.order_at)?;
                lanes.find(|&thread| self.threads[thread].lane == lane)
            }
            Mode::Switches(_) | Mode::Random(_) => None,
        }
    }

    /// A lane that can run, when any may.
    fn any_lane(&mut self, me: usize) -> Option<usize> {
        let can = |all: &Schedule, thread: &usize| all.ready(*thread) && all.threads[*thread].lane >= 0;
        if self.mode != Mode::Gates && me < self.threads.len() && can(self, &me) {
            return Some(me);
        }
        let lanes: Vec<usize> = (0..self.threads.len()).filter(|thread| can(self, thread)).collect();
        if lanes.is_empty() {
            return None;
        }
        let which = match self.mode {
            Mode::Random(_) => self.random(lanes.len() as u64) as usize,
            _ => 0,
        };
        Some(lanes[which])
    }

    fn background(&self, me: usize) -> Option<usize> {
        let can = |thread: &usize| self.ready(*thread) && self.threads[*thread].lane < 0;
        let place = |thread: usize| match self.shuffle {
            0 => thread as u64,
            shuffle => mix(shuffle ^ mix(thread as u64)),
        };
        // Another one first: they take turns.
        (1..self.threads.len()).filter(can).min_by_key(|&thread| (thread == me, place(thread)))
    }

    /// Who runs next; none when nobody can.
    fn choose(&mut self, me: usize) -> Option<usize> {
        let mut given_up = false;
        loop {
            if self.ready(0) {
                return Some(0);
            }
            if self.background_first
                && let Some(thread) = self.background(me)
            {
                return Some(thread);
            }
            if let Some(lane) = self.missing() {
                let helps = (0..self.threads.len()).find(|&thread| self.helps(thread) && self.ready(thread));
                if let Some(thread) = helps.or_else(|| self.background(me)) {
                    return Some(thread);
                }
                if !given_up {
                    given_up = !self.time_passes();
                    continue;
                }
                self.diverge(lane, Why::Waits);
                if let Some(other) = self.any_lane(me) {
                    return Some(other);
                }
            }
            match self.turn() {
                Some(thread) if self.ready(thread) => return Some(thread),
                Some(thread) if given_up => {
                    if matches!(self.mode, Mode::Order(_)) {
                        return None;
                    }
                    self.diverge(self.threads[thread].lane, Why::Waits);
                    if let Some(other) = self.any_lane(me) {
                        return Some(other);
                    }
                }
                Some(_) => {}
                None => {
                    if let Some(thread) = self.any_lane(me) {
                        return Some(thread);
                    }
                }
            }
            if let Some(thread) = self.background(me) {
                return Some(thread);
            }
            if !self.time_passes() {
                if given_up {
                    return None;
                }
                given_up = true;
            }
        }
    }

    /// Lets the world outside, or time, make somebody ready. False: there is nothing to wait for.
    fn time_passes(&mut self) -> bool {
        self.idle += 1;
        if self.idle > IDLE {
            return self.rest_is_over();
        }
        let mut woken = false;
        for thread in &mut self.threads {
            let State::World { fd, until } = thread.state else { continue };
            // An epoll instance can itself be polled, which takes no event away. The world gets a moment.
            let mut asked = [fd as u32, 1];
            let moment = if until == NEVER { 200 } else { 0 };
            // SAFETY: one `pollfd`, which outlives the call.
            if unsafe { system::poll(&mut asked, 1, moment) } > 0 {
                thread.state = State::Ready;
                thread.timed_out = false;
                woken = true;
            }
        }
        if woken {
            return true;
        }
        let due = |thread: &Thread| match thread.state {
            State::Futex { until, .. } | State::Sleep(until) | State::World { until, .. } => until,
            _ => NEVER,
        };
        let Some(first) =
            self.threads.iter_mut().filter(|thread| due(thread) != NEVER).min_by_key(|t| due(t))
        else {
            return false;
        };
        self.now = self.now.max(due(first));
        first.state = State::Ready;
        first.timed_out = true;
        true
    }

    /// Ends the rest that the first thread takes, whatever goes on in the background.
    fn rest_is_over(&mut self) -> bool {
        let State::Sleep(until) = self.threads[0].state else { return false };
        self.now = self.now.max(until);
        self.threads[0].state = State::Ready;
        self.idle = 0;
        true
    }

    /// The lane cannot come to where it should.
    fn diverge(&mut self, lane: i32, why: Why) {
        if self.mode == Mode::Gates && self.diverged.is_none() {
            let at = match why {
                Why::Ended => self.next_gate(lane),
                _ => Some(self.key(lane)),
            };
            if let Some(at) = at.filter(|&at| at < self.gates.len()) {
                self.diverged = Some((at, why));
            }
        }
    }

    /// The place of interest that this thread is in: the innermost one of its calls.
    fn place(&self, me: usize, mut frame: usize) -> Option<u32> {
        let (low, high) = self.threads[me].stack;
        for _ in 0..FRAMES {
            if frame < low || frame + 16 > high || frame & 7 != 0 {
                return None;
            }
            // SAFETY: both words are on this thread's own stack.
            let (up, back) = unsafe { (*(frame as *const usize), *((frame + 8) as *const usize)) };
            if let Some(place) = self.find(back.wrapping_sub(1)) {
                return Some(place);
            }
            if up <= frame {
                return None;
            }
            frame = up;
        }
        None
    }

    fn find(&self, address: usize) -> Option<u32> {
        let behind = self.ranges.partition_point(|range| range.low <= address);
        let range = self.ranges.get(behind.checked_sub(1)?)?;
        (address < range.high).then_some(range.place)
    }

    /// Whether a thread can become a lane: it is none, or came to all gates of the one that it became. A thread may work on one task
    /// after the other.
    fn is_free(&self, me: usize) -> bool {
        let Thread { lane, adopted, .. } = self.threads[me];
        lane < 0 || adopted && self.next_gate(lane).is_none()
    }

    /// A thread that comes to the first gate of a lane that nobody has is that lane.
    fn adopt(&mut self, me: usize, place: u32) {
        for lane in 0..LANES as i32 {
            if self.lanes[lane as usize].used {
                continue;
            }
            if self.next_gate(lane).is_some_and(|gate| self.gates[gate].place == place) {
                self.lanes[lane as usize] = Lane { came_to: None, ended: false, used: true };
                self.threads[me].lane = lane;
                self.threads[me].adopted = true;
                return;
            }
        }
    }

    /// A point of a lane. Who goes on: none, the same.
    fn come_to(&mut self, me: usize, place: Option<u32>) -> Option<usize> {
        let lane = self.threads[me].lane;
        let new = place.is_some_and(|place| place != self.threads[me].at);
        if let Some(place) = place {
            self.threads[me].at = place;
            if new && self.events.len() < EVENTS {
                self.events.push((lane, place, self.clock));
            }
        }
        if new && self.mode == Mode::Gates {
            let next = self.next_gate(lane);
            if next.is_some_and(|next| Some(self.gates[next].place) == place) {
                self.lanes[lane as usize].came_to = next;
                return self.choose(me);
            }
            return None;
        }
        if !new && !self.every {
            return None;
        }
        self.strategy(me)
    }

    /// What the strategy says at a point of a lane.
    fn strategy(&mut self, me: usize) -> Option<usize> {
        let at = self.user_points;
        match &self.mode {
            Mode::Switches(switches) => {
                self.user_points += 1;
                let lane = switches.iter().find(|switch| switch.0 == at)?.1;
                (0..self.threads.len())
                    .find(|&thread| self.threads[thread].lane == lane && self.ready(thread))
            }
            &Mode::Random(often) => {
                self.user_points += 1;
                if self.random(1000) >= often {
                    return None;
                }
                self.other(me)
            }
            _ => None,
        }
    }

    /// Another lane that can run.
    fn other(&mut self, me: usize) -> Option<usize> {
        let can = |thread: &usize| *thread != me && self.ready(*thread) && self.threads[*thread].lane >= 0;
        let others: Vec<usize> = (0..self.threads.len()).filter(can).collect();
        match others.len() {
            0 => None,
            many => Some(others[self.random(many as u64) as usize]),
        }
    }

    /// It went round in circles: somebody else, if there is anybody.
    fn spins(&mut self, me: usize) -> Option<usize> {
        self.run = 0;
        self.spun += 1;
        if self.spun > ROUNDS {
            serve::finish("livelock");
        }
        let lane = self.threads[me].lane;
        if lane >= 0 && self.other(me).is_some() {
            self.diverge(lane, Why::Spins);
        }
        let other =
            |all: &mut Schedule| all.background(me).filter(|&thread| thread != me).or_else(|| all.other(me));
        other(self).or_else(|| {
            self.time_passes();
            if self.ready(0) { Some(0) } else { other(self) }
        })
    }
}

/// What lanes did not come to before the run ended.
pub fn end_all() {
    let all = schedule();
    for at in 0..all.gates.len() {
        let Gate { lane, place } = all.gates[at];
        if place != WHOLE && all.next_gate(lane) == Some(at) {
            all.diverge(lane, Why::Ended);
        }
    }
}

/// A point of this thread, whose innermost frame is given.
#[inline(never)]
pub fn point(frame: usize) {
    let Some(me) = me() else { return };
    if INSIDE.with(|inside| inside.replace(true)) {
        return;
    }
    let to = {
        let all = schedule();
        all.points += 1;
        all.run += 1;
        if all.points > POINTS {
            serve::finish("livelock");
        }
        let place = if all.ranges.is_empty() { None } else { all.place(me, frame) };
        if let (Some(place), true) = (place, me != 0 && all.is_free(me)) {
            all.adopt(me, place);
        }
        match all.threads[me].lane {
            lane if lane >= 0 => {
                all.idle = 0;
                match all.run > SPIN {
                    true => all.spins(me),
                    false => all.come_to(me, place),
                }
            }
            _ if all.run > SPIN => all.spins(me),
            _ => None,
        }
    };
    if let Some(to) = to {
        hand(me, to);
    }
    INSIDE.with(|inside| inside.set(false));
}

/// This thread lets others go first.
pub fn yields(me: usize) {
    inside(|| {
        let all = schedule();
        all.run += YIELD;
        let to = match (all.run > SPIN, all.mode == Mode::Gates || matches!(all.mode, Mode::Order(_))) {
            (true, _) => all.spins(me),
            (_, true) => all.background(me).filter(|&thread| thread != me),
            _ => all.background(me).filter(|&thread| thread != me).or_else(|| all.other(me)),
        };
        if let Some(to) = to {
            hand(me, to);
        }
    });
}

/// Gives the baton to a thread, and waits to have it back.
fn hand(me: usize, to: usize) {
    if me == to {
        return;
    }
    give(to);
    take(me);
}

fn give(to: usize) {
    let all = schedule();
    all.switches += 1;
    all.run = 0;
    let baton = &all.threads[to].baton;
    baton.store(1, Release);
    system::wake(baton);
}

/// Waits for the baton.
pub fn take(me: usize) {
    let baton: *const AtomicU32 = &schedule().threads[me].baton;
    // SAFETY: there is room for all threads from the start, so that none moves.
    let baton = unsafe { &*baton };
    while baton.swap(0, Acquire) == 0 {
        system::wait(baton, 0);
    }
}

/// Gives the baton to whoever is next; waits to have it back unless the thread is `gone`.
pub fn pass(me: usize, gone: bool) {
    match locked(|| schedule().choose(me)) {
        Some(to) if to == me => {}
        Some(to) if gone => give(to),
        Some(to) => hand(me, to),
        None => serve::finish("stuck"),
    }
}

/// This thread waits. True: until its time was over.
pub fn block(me: usize, state: State) -> bool {
    inside(|| {
        locked(|| {
            let all = schedule();
            if all.threads[me].lane >= 0 {
                all.blocked += u64::from(matches!(state, State::Futex { .. }));
                all.timed += u64::from(matches!(state, State::Futex { until, .. } if until != NEVER));
            }
            all.threads[me].state = state;
            all.threads[me].timed_out = false;
        });
        let run = schedule().run;
        pass(me, false);
        if matches!(state, State::Sleep(_)) && schedule().run == 0 {
            schedule().run = run + YIELD;
        }
        schedule().threads[me].timed_out
    })
}

/// The lane that this thread was is over.
pub fn end_lane(me: usize) {
    let all = schedule();
    let lane = all.threads[me].lane;
    if lane < 0 {
        return;
    }
    if all.next_gate(lane).is_some_and(|gate| all.gates[gate].place != WHOLE) {
        all.diverge(lane, Why::Ended);
    }
    all.lanes[lane as usize].ended = true;
    all.threads[me].lane = -1;
}

/// The calls of a lane are over: its thread waits until the run is.
pub fn rest(me: usize) {
    inside(|| {
        end_lane(me);
        let all = schedule();
        all.open -= 1;
        if all.open == 0 {
            all.threads[0].state = State::Ready;
        }
        all.threads[me].state = State::Over;
        pass(me, false);
    });
}

/// A call of a lane is over.
pub fn end_call(me: usize) {
    let all = schedule();
    all.threads[me].at = NOWHERE;
    if matches!(all.mode, Mode::Order(_)) && all.threads[me].lane >= 0 {
        all.order_at += 1;
        inside(|| pass(me, false));
    }
}
