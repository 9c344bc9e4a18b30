//! Symbols of the C library that stand before the library's own.
//!
//! **Safety** of all of these: they are called as the functions that they stand for.

use std::ffi::{c_int, c_long, c_void};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

use crate::schedule::{self, NEVER, State, block, locked, me, pass, schedule, set_me};
use crate::serve;
use crate::system::{self, number, original};

const EAGAIN: c_int = 11;
const ETIMEDOUT: c_int = 110;
/// When monotonic clocks begin, in nanoseconds.
const MONOTONIC: u64 = 1_000_000 * 1_000_000_000;
/// What day it is, in nanoseconds.
const DAY: u64 = 1_750_000_000 * 1_000_000_000;
const REALTIME: c_int = 0;

/// The virtual time of a clock.
fn now(clock: c_int) -> u64 {
    let all = schedule();
    // Each noise has a time of its own, and a clock that each look moves, so that what depends on the time differs between two runs
    // of the same.
    if all.noise > 0 {
        all.now += schedule::mix(all.noise ^ all.now) % 3_000_000;
    }
    let noise = all.noise.wrapping_mul(977_000_001_009) % (1 << 48);
    let base = if clock == REALTIME || clock == 5 { DAY } else { MONOTONIC };
    base + noise + all.now
}

/// When a wait is over, in virtual time.
///
/// # Safety
/// The time is null or a `timespec`.
unsafe fn until(time: *const i64, absolute: Option<c_int>) -> u64 {
    if time.is_null() {
        return NEVER;
    }
    // SAFETY: a `timespec` is two of these.
    let (seconds, rest) = unsafe { (*time, *time.add(1)) };
    let span = (seconds.max(0) as u64).saturating_mul(1_000_000_000).saturating_add(rest.max(0) as u64);
    let virtual_now = schedule().now;
    match absolute {
        // A thousand years are as good as never.
        _ if seconds > 30_000_000_000 => NEVER,
        Some(clock) => virtual_now + span.saturating_sub(now(clock)),
        None => virtual_now + span,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(
    n: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> c_long {
    if n == number::GETRANDOM
        && let Some(me) = me()
    {
        // SAFETY: the caller gives room for so many bytes.
        return unsafe { fill(me, a as *mut u8, b) } as c_long;
    }
    if n != number::FUTEX || !schedule::is_on() {
        // SAFETY: as asked for.
        return unsafe { system::call(n, [a, b, c, d, e, f]) };
    }
    match (b & 127, me()) {
        (1 | 10, _) => wake(n, [a, b, c, d, e, f]),
        (op @ (0 | 9), Some(me)) => {
            // SAFETY: whoever waits on a word has one there.
            if unsafe { (*(a as *const AtomicU32)).load(SeqCst) } != c as u32 {
                system::set_errno(EAGAIN);
                return -1;
            }
            // The flag 256 says that the time is that of the day.
            let absolute = (op == 9).then_some(if b & 256 != 0 { REALTIME } else { 1 });
            // SAFETY: the fourth word of a wait is null or a time.
            let until = unsafe { until(d as *const i64, absolute) };
            match block(me, State::Futex { word: a, until }) {
                true => {
                    system::set_errno(ETIMEDOUT);
                    -1
                }
                false => 0,
            }
        }
        // SAFETY: as asked for.
        _ => unsafe { system::call(n, [a, b, c, d, e, f]) },
    }
}

/// Wakes those who wait on a word: first those that are ours, then those that the kernel knows.
fn wake(n: c_long, words: [usize; 6]) -> c_long {
    let mut left = words[2].min(i32::MAX as usize);
    let most = left;
    locked(|| {
        for thread in &mut schedule().threads {
            if left > 0 && matches!(thread.state, State::Futex { word, .. } if word == words[0]) {
                thread.state = State::Ready;
                left -= 1;
            }
        }
    });
    let ours = (most - left) as c_long;
    if left == 0 {
        return ours;
    }
    // SAFETY: as asked for, with fewer to wake.
    ours + unsafe { system::call(n, [words[0], words[1], left, words[3], words[4], words[5]]) }.max(0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, into: *mut i64) -> c_int {
    type Real = unsafe extern "C" fn(c_int, *mut i64) -> c_int;
    static REAL: AtomicUsize = AtomicUsize::new(0);
    // Processor times are real.
    if me().is_none() || matches!(clock, 2 | 3) {
        // SAFETY: that is its type; as asked for.
        return unsafe { original::<Real>(b"clock_gettime\0", &REAL)(clock, into) };
    }
    let now = now(clock);
    // SAFETY: the caller gives room for a `timespec`.
    unsafe {
        *into = (now / 1_000_000_000) as i64;
        *into.add(1) = (now % 1_000_000_000) as i64;
    }
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const i64,
    left: *mut i64,
) -> c_int {
    type Real = unsafe extern "C" fn(c_int, c_int, *const i64, *mut i64) -> c_int;
    static REAL: AtomicUsize = AtomicUsize::new(0);
    let Some(me) = me() else {
        // SAFETY: that is its type; as asked for.
        return unsafe { original::<Real>(b"clock_nanosleep\0", &REAL)(clock, flags, time, left) };
    };
    // SAFETY: the caller gives a time.
    block(me, State::Sleep(unsafe { until(time, (flags & 1 != 0).then_some(clock)) }));
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nanosleep(time: *const i64, left: *mut i64) -> c_int {
    type Real = unsafe extern "C" fn(*const i64, *mut i64) -> c_int;
    static REAL: AtomicUsize = AtomicUsize::new(0);
    let Some(me) = me() else {
        // SAFETY: that is its type; as asked for.
        return unsafe { original::<Real>(b"nanosleep\0", &REAL)(time, left) };
    };
    // SAFETY: the caller gives a time.
    block(me, State::Sleep(unsafe { until(time, None) }));
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(fd: c_int, events: *mut c_void, most: c_int, timeout: c_int) -> c_int {
    type Real = unsafe extern "C" fn(c_int, *mut c_void, c_int, c_int) -> c_int;
    static REAL: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: that is its type; as asked for, but for how long.
    let ask = |timeout| unsafe { original::<Real>(b"epoll_wait\0", &REAL)(fd, events, most, timeout) };
    let Some(me) = me() else { return ask(timeout) };
    let now = ask(0);
    if now != 0 || timeout == 0 {
        return now;
    }
    let until = if timeout < 0 { NEVER } else { schedule().now + timeout as u64 * 1_000_000 };
    block(me, State::World { fd, until });
    ask(0)
}

/// Fills with the thread's own random numbers, the same in each run of one noise.
///
/// # Safety
/// There is room for so many bytes.
unsafe fn fill(me: usize, into: *mut u8, length: usize) -> isize {
    let random = &mut schedule().threads[me].random;
    for at in 0..length {
        *random = schedule::mix(*random);
        // SAFETY: see above.
        unsafe { *into.add(at) = *random as u8 };
    }
    length as isize
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(into: *mut u8, length: usize, flags: u32) -> isize {
    match me() {
        // SAFETY: as asked for.
        Some(me) => unsafe { fill(me, into, length) },
        // SAFETY: as asked for.
        None => unsafe {
            system::call(number::GETRANDOM, [into as usize, length, flags as usize, 0, 0, 0]) as isize
        },
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sched_yield() -> c_int {
    match me() {
        Some(me) => schedule::yields(me),
        None => std::hint::spin_loop(),
    }
    0
}

type Routine = extern "C" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(*mut usize, *const c_void, Routine, *mut c_void) -> c_int;

/// What a known thread runs.
struct Start {
    routine: Routine,
    argument: *mut c_void,
    id: usize,
}

extern "C" fn begin(start: *mut c_void) -> *mut c_void {
    // SAFETY: `create` made it, for this thread alone.
    let start = unsafe { Box::from_raw(start.cast::<Start>()) };
    let id = start.id;
    set_me(id);
    schedule::inside(|| {
        schedule::take(id);
        schedule().enter(id);
    });
    let result = (start.routine)(start.argument);
    schedule::inside(|| {
        schedule::end_lane(id);
        locked(|| {
            let threads = &mut schedule().threads;
            threads[id].state = State::Ended;
            for thread in threads.iter_mut().filter(|thread| thread.state == State::Join(id)) {
                thread.state = State::Ready;
            }
        });
        set_me(usize::MAX);
        pass(id, true);
    });
    result
}

/// Starts a known thread, for that lane if it is not -1.
pub fn create(
    lane: i32,
    thread: &mut usize,
    attributes: *const c_void,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    let id = locked(|| schedule().add_thread(lane));
    let start = Box::into_raw(Box::new(Start { routine, argument, id }));
    // SAFETY: that is its type; the start is the new thread's.
    let result =
        unsafe { original::<Create>(b"pthread_create\0", &REAL)(thread, attributes, begin, start.cast()) };
    let all = schedule();
    all.threads[id].handle = *thread;
    if result != 0 {
        all.threads[id].state = State::Ended;
    }
    result
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut usize,
    attributes: *const c_void,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    match me() {
        // SAFETY: the caller gives room for a thread.
        Some(_) => schedule::inside(|| create(-1, unsafe { &mut *thread }, attributes, routine, argument)),
        // SAFETY: that is its type; as asked for.
        None => unsafe {
            original::<Create>(b"pthread_create\0", &REAL)(thread, attributes, routine, argument)
        },
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_join(thread: usize, result: *mut *mut c_void) -> c_int {
    type Real = unsafe extern "C" fn(usize, *mut *mut c_void) -> c_int;
    static REAL: AtomicUsize = AtomicUsize::new(0);
    if let Some(me) = me() {
        let other =
            schedule().threads.iter().position(|one| one.handle == thread && one.state != State::Ended);
        if let Some(other) = other.filter(|&other| other != me) {
            block(me, State::Join(other));
        }
    }
    // SAFETY: that is its type; as asked for.
    unsafe { original::<Real>(b"pthread_join\0", &REAL)(thread, result) }
}

/// The end of the process; what a program has printed by then was seen.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exit(code: c_int) -> ! {
    static EXIT: AtomicUsize = AtomicUsize::new(0);
    serve::exits(code);
    // SAFETY: `exit` takes a number and does not return.
    unsafe { original::<unsafe extern "C" fn(c_int) -> !>(b"exit\0", &EXIT)(code) }
}
