//! The harness's end of the channel: scenarios come in, each is run in a process of its own, and what was seen goes out.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::fmt::Write as _;

use crate::interpose::create;
use crate::schedule::{self, Gate, LANES, Lane, Mode, Range, State, Why, block, me, schedule};
use crate::system;

/// Where the channel is once the process has started: out of the way of what the user's code reads and prints.
const IN: c_int = 200;
const OUT: c_int = 201;
/// A run is ended after so many seconds.
const SECONDS: i64 = 10;
/// A run has so much room for addresses.
const MEMORY: u64 = 16 << 30;
/// So much virtual time (in nanoseconds) is given to work in the background before the state is looked at.
const REST: u64 = 1_000_000_000;

/// So many letters of what a program prints are kept.
const PRINTED: usize = 100_000;

/// What a harness gives.
#[repr(C)]
pub struct Table {
    /// Makes the object; null when that panics.
    make: extern "C" fn(numbers: *const u64, count: usize) -> *const c_void,
    /// Makes what an operation uses up, or is called on, if it is not the object: that is there before the call, and no part of it.
    own: extern "C" fn(*const c_void, op: u32, numbers: *const u64, count: usize) -> *mut c_void,
    /// Calls an operation, and puts its arguments and its result.
    call: extern "C" fn(
        *const c_void,
        own: *mut c_void,
        op: u32,
        numbers: *const u64,
        count: usize,
        to: *mut c_void,
        put: Put,
    ),
    /// Puts the object's state.
    state: extern "C" fn(*const c_void, to: *mut c_void, put: Put),
}

type Put = extern "C" fn(to: *mut c_void, part: u32, text: *const u8, length: usize);

/// A call, and what became of it.
struct Call {
    /// -1 before the lanes, the lane's number, or -2 after them.
    part: i32,
    op: u32,
    numbers: Vec<u64>,
    own: *mut c_void,
    begin: u64,
    end: u64,
    texts: [String; 2],
}

struct Run {
    object: *const c_void,
    table: *const Table,
    calls: Vec<Call>,
    states: [String; 2],
    /// Whether the lanes' calls are a whole program: it ends when one of them does, and what it prints is seen.
    program: bool,
}

struct Shared(UnsafeCell<Run>);
// SAFETY: only the thread with the baton gets at it.
unsafe impl Sync for Shared {}
static RUN: Shared = Shared(UnsafeCell::new(Run {
    object: std::ptr::null(),
    table: std::ptr::null(),
    calls: Vec::new(),
    states: [String::new(), String::new()],
    program: false,
}));

fn run() -> &'static mut Run {
    // SAFETY: see `Shared`.
    unsafe { &mut *RUN.0.get() }
}

/// Moves the channel out of the way.
extern "C" fn open_channel() {
    if std::env::var_os("ROBUST_CHANNEL").is_none() {
        return;
    }
    // SAFETY: descriptors are numbers; the path ends in a zero.
    unsafe {
        system::dup2(0, IN);
        system::dup2(1, OUT);
        let nothing = system::open(c"/dev/null".as_ptr(), 2);
        system::dup2(nothing, 0);
        system::dup2(nothing, 1);
    }
    system::end_with_parent();
    system::stay();
    // SAFETY: nothing else runs yet. What the user's code starts is no harness.
    unsafe {
        std::env::remove_var("ROBUST_CHANNEL");
        std::env::remove_var("LD_PRELOAD");
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static OPEN: extern "C" fn() = open_channel;

/// Serves until the channel is closed.
///
/// # Safety
/// The table is a harness's, and lives as long as the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robust_serve(table: *const Table) {
    run().table = table;
    let mut input = Input { rest: Vec::new(), at: 0 };
    while let Some(line) = input.line() {
        if line == "run" {
            in_child();
            schedule().gates.clear();
            run().calls.clear();
        } else if line == "forget" {
            schedule().ranges.clear();
        } else {
            hear(&line);
        }
    }
}

/// Runs what was asked for in a process of its own.
fn in_child() {
    // SAFETY: this process has one thread.
    let child = unsafe { system::fork() };
    if child == 0 {
        system::end_with_parent();
        system::end_after(SECONDS);
        system::bound_memory(MEMORY);
        conduct();
    }
    let mut status = 0;
    // SAFETY: the status outlives the call.
    unsafe { system::waitpid(child, &mut status, 0) };
    if child < 0 || status != 0 {
        send(&format!("died {}\n.\n", status & 127));
    }
}

/// The run itself.
fn conduct() -> ! {
    if run().program {
        system::keep_output();
    }
    let all = schedule();
    all.begin();
    let mut lanes: Vec<i32> = run().calls.iter().map(|call| call.part).filter(|&part| part >= 0).collect();
    lanes.sort_unstable();
    lanes.dedup();
    for &lane in &lanes {
        all.lanes[lane as usize] = Lane { came_to: None, ended: false, used: true };
    }
    // SAFETY: the table is the harness's.
    let table = unsafe { &*run().table };
    // A constructor may not like what it is given.
    for numbers in [[1, 0, 2], [0, 0, 0], [2, 1, 3], [8, 5, 2]] {
        run().object = (table.make)(numbers.as_ptr(), numbers.len());
        if !run().object.is_null() {
            break;
        }
    }
    if run().object.is_null() {
        finish("unmade");
    }
    for at in 0..run().calls.len() {
        let call = &run().calls[at];
        let own = (table.own)(run().object, call.op, call.numbers.as_ptr(), call.numbers.len());
        run().calls[at].own = own;
    }
    calls_of(-1);
    settle();
    schedule().open = lanes.len();
    for &lane in &lanes {
        let mut thread = 0;
        let argument = lane as usize as *mut c_void;
        if schedule::inside(|| create(lane, &mut thread, std::ptr::null(), lane_main, argument)) != 0 {
            finish("threads");
        }
    }
    if let Some(me) = me().filter(|_| !lanes.is_empty()) {
        block(me, State::Lanes);
    }
    if run().program {
        ends("");
    }
    settle();
    look(0);
    calls_of(-2);
    settle();
    look(1);
    finish("done")
}

/// A program ends, in this way.
fn ends(how: &str) -> ! {
    let printed = system::output(PRINTED);
    run().states[0] = format!("{how}{}", String::from_utf8_lossy(&printed));
    finish("done")
}

/// A program ends itself. False: it is none, or no run is under way.
pub fn exits(code: c_int) -> bool {
    if !run().program || me().is_none() {
        return false;
    }
    schedule::inside(|| ends(&format!("ends with code {code}\n")))
}

/// Work in the background comes to rest.
fn settle() {
    if let Some(me) = me() {
        block(me, State::Sleep(schedule().now + REST));
    }
}

fn look(at: usize) {
    let run = run();
    // SAFETY: the table is the harness's.
    let table = unsafe { &*run.table };
    (table.state)(run.object, (&raw mut run.states[at]).cast(), put_state);
}

extern "C" fn put_state(to: *mut c_void, _: u32, text: *const u8, length: usize) {
    // SAFETY: `look` gave the state, the harness gives a text.
    unsafe {
        (*to.cast::<String>()).push_str(&String::from_utf8_lossy(std::slice::from_raw_parts(text, length)))
    }
}

extern "C" fn put_call(to: *mut c_void, part: u32, text: *const u8, length: usize) {
    schedule::inside(|| {
        // SAFETY: `calls_of` gave the call, the harness gives a text.
        let (call, text) = unsafe { (&mut *to.cast::<Call>(), std::slice::from_raw_parts(text, length)) };
        call.texts[part as usize & 1] = String::from_utf8_lossy(text).into_owned();
    });
}

extern "C" fn lane_main(lane: *mut c_void) -> *mut c_void {
    calls_of(lane as usize as i32);
    if let Some(me) = me() {
        schedule::rest(me);
    }
    std::ptr::null_mut()
}

/// Makes the calls of a part.
fn calls_of(part: i32) {
    let count = run().calls.len();
    for at in 0..count {
        let run = run();
        if run.calls[at].part != part {
            continue;
        }
        schedule().clock += 1;
        run.calls[at].begin = schedule().clock;
        // SAFETY: the table is the harness's, and no call is added while the lanes run.
        let table = unsafe { &*run.table };
        let call = &raw mut run.calls[at];
        // SAFETY: see above.
        let (op, own, numbers) = unsafe { ((*call).op, (*call).own, &(*call).numbers) };
        (table.call)(run.object, own, op, numbers.as_ptr(), numbers.len(), call.cast(), put_call);
        schedule().clock += 1;
        run.calls[at].end = schedule().clock;
        if let Some(me) = me() {
            schedule::end_call(me);
        }
    }
}

/// What was seen goes out, and the process ends.
pub fn finish(how: &str) -> ! {
    if how == "done" {
        schedule::end_all();
    }
    let all = schedule();
    let mut text = format!("end {how}\n");
    if let Some((gate, why)) = all.diverged {
        let why = match why {
            Why::Ended => "ended",
            Why::Waits => "waits",
            Why::Spins => "spins",
        };
        let _ = writeln!(text, "diverged {gate} {why}");
    }
    let _ = writeln!(
        text,
        "count {} {} {} {} {} {} {}",
        all.points, all.user_points, all.switches, all.now, all.blocked, all.spun, all.timed
    );
    for call in &run().calls {
        let [args, result] = &call.texts;
        let _ = writeln!(text, "call {} {} {} {}", call.part, call.op, call.begin, call.end);
        let _ = writeln!(text, "args {}\nresult {}", escaped(args), escaped(result));
    }
    for state in &run().states {
        let _ = writeln!(text, "state {}", escaped(state));
    }
    for (lane, place, clock) in &all.events {
        let _ = writeln!(text, "event {lane} {place} {clock}");
    }
    text.push_str(".\n");
    send(&text);
    system::end(0)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn send(text: &str) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        // SAFETY: the text is as long as that.
        let written = unsafe { system::write(OUT, rest.as_ptr().cast(), rest.len()) };
        if written <= 0 {
            system::end(1);
        }
        rest = &rest[written as usize..];
    }
}

/// Takes a line of a request.
fn hear(line: &str) {
    let mut words = line.split(' ');
    let what = words.next().unwrap_or_default();
    let numbers: Vec<u64> = words.clone().filter_map(|word| word.parse().ok()).collect();
    let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
    let all = schedule();
    match what {
        "gates" => all.mode = Mode::Gates,
        "order" => all.mode = Mode::Order(numbers.iter().map(|&lane| lane as i32).collect()),
        "switches" => {
            all.mode = Mode::Switches(numbers.chunks_exact(2).map(|two| (two[0], two[1] as i32)).collect())
        }
        "random" => all.mode = Mode::Random(number(0)),
        "seed" => all.random = number(0),
        "noise" => all.noise = number(0),
        "background" => all.background_first = number(0) != 0,
        "every" => all.every = number(0) != 0,
        "shuffle" => all.shuffle = number(0),
        "program" => run().program = number(0) != 0,
        "gate" => {
            all.gates.push(Gate { lane: (number(0) as i32).min(LANES as i32 - 1), place: number(1) as u32 })
        }
        "range" => {
            let base = base();
            let (low, high) = (base + number(0) as usize, base + number(1) as usize);
            all.ranges.push(Range { low, high, place: number(2) as u32 });
        }
        "call" => run().calls.push(Call {
            part: match words.next() {
                Some("before") => -1,
                Some("after") => -2,
                lane => {
                    lane.and_then(|lane| lane.parse().ok()).map_or(0, |lane: i32| lane.min(LANES as i32 - 1))
                }
            },
            op: words.next().and_then(|op| op.parse().ok()).unwrap_or_default(),
            numbers: words.filter_map(|word| word.parse().ok()).collect(),
            own: std::ptr::null_mut(),
            begin: 0,
            end: 0,
            texts: [String::new(), String::new()],
        }),
        _ => {}
    }
}

/// Where the executable is.
fn base() -> usize {
    static BASE: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *BASE.get_or_init(|| {
        let own = std::fs::read_link("/proc/self/exe").unwrap_or_default();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let line = maps.lines().find(|line| line.ends_with(&*own.to_string_lossy()));
        let low = line.and_then(|line| line.split('-').next());
        low.and_then(|low| usize::from_str_radix(low, 16).ok()).unwrap_or_default()
    })
}

struct Input {
    rest: Vec<u8>,
    /// What is before it was read.
    at: usize,
}

impl Input {
    fn line(&mut self) -> Option<String> {
        loop {
            if let Some(length) = self.rest[self.at..].iter().position(|&byte| byte == b'\n') {
                let line = String::from_utf8_lossy(&self.rest[self.at..self.at + length]).into_owned();
                self.at += length + 1;
                return Some(line);
            }
            self.rest.drain(..std::mem::take(&mut self.at));
            let mut more = [0; 65536];
            // SAFETY: there is room for that much.
            let read = unsafe { system::read(IN, more.as_mut_ptr().cast(), more.len()) };
            if read <= 0 {
                return None;
            }
            self.rest.extend_from_slice(&more[..read as usize]);
        }
    }
}

/// From now on, points of this thread do not count, or count again.
#[unsafe(no_mangle)]
pub extern "C" fn robust_quiet(on: c_int) {
    schedule::set_inside(on != 0);
}
