//! The operating system below what is interposed.

use std::ffi::{c_char, c_int, c_long, c_void};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

#[cfg(target_arch = "x86_64")]
pub mod number {
    use std::ffi::c_long;
    pub const FUTEX: c_long = 202;
    pub const GETRANDOM: c_long = 318;
    pub const EXIT_GROUP: c_long = 231;
    pub const PRCTL: c_long = 157;
    pub const PRLIMIT: c_long = 302;
    pub const GETCPU: c_long = 309;
    pub const MEMFD_CREATE: c_long = 319;
    pub const SETAFFINITY: c_long = 203;
}
#[cfg(target_arch = "aarch64")]
pub mod number {
    use std::ffi::c_long;
    pub const FUTEX: c_long = 98;
    pub const GETRANDOM: c_long = 278;
    pub const EXIT_GROUP: c_long = 94;
    pub const PRCTL: c_long = 167;
    pub const PRLIMIT: c_long = 261;
    pub const GETCPU: c_long = 168;
    pub const MEMFD_CREATE: c_long = 279;
    pub const SETAFFINITY: c_long = 122;
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn __errno_location() -> *mut c_int;
    pub fn fork() -> c_int;
    pub fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    pub fn setitimer(which: c_int, new: *const [i64; 4], old: *mut [i64; 4]) -> c_int;
    pub fn read(fd: c_int, into: *mut c_void, most: usize) -> isize;
    pub fn write(fd: c_int, from: *const c_void, length: usize) -> isize;
    pub fn dup2(from: c_int, to: c_int) -> c_int;
    pub fn open(path: *const c_char, flags: c_int) -> c_int;
    fn pread(fd: c_int, into: *mut c_void, most: usize, from: i64) -> isize;
    pub fn poll(fds: *mut [u32; 2], count: usize, timeout: c_int) -> c_int;
    fn pthread_self() -> usize;
    fn pthread_getattr_np(thread: usize, attributes: *mut Attributes) -> c_int;
    fn pthread_attr_getstack(attributes: *const Attributes, low: *mut usize, size: *mut usize) -> c_int;
    fn pthread_attr_destroy(attributes: *mut Attributes) -> c_int;
}

/// Room for a `pthread_attr_t`, which is smaller on each platform.
#[repr(C, align(16))]
struct Attributes([u8; 128]);

/// The function that a symbol of ours stands for.
///
/// # Safety
/// `F` is the type of a pointer to the function of that name, which ends in a zero.
pub unsafe fn original<F: Copy>(name: &'static [u8], kept: &AtomicUsize) -> F {
    let mut found = kept.load(Relaxed);
    if found == 0 {
        // The handle -1 asks for the next one in the order of search.
        // SAFETY: the name ends in a zero.
        found = unsafe { dlsym(-1isize as *mut c_void, name.as_ptr().cast()) } as usize;
        if found == 0 {
            std::process::abort();
        }
        kept.store(found, Relaxed);
    }
    // SAFETY: the caller names the function's type; a pointer to a function is as large as an address.
    unsafe { std::mem::transmute_copy(&found) }
}

type Syscall = unsafe extern "C" fn(c_long, usize, usize, usize, usize, usize, usize) -> c_long;

/// A call of the system's.
///
/// # Safety
/// That of the call.
pub unsafe fn call(number: c_long, a: [usize; 6]) -> c_long {
    static SYSCALL: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: `syscall` takes a number and up to six words.
    unsafe { original::<Syscall>(b"syscall\0", &SYSCALL)(number, a[0], a[1], a[2], a[3], a[4], a[5]) }
}

pub fn set_errno(code: c_int) {
    // SAFETY: the C library returns the address of this thread's own variable.
    unsafe { *__errno_location() = code }
}

/// Waits while the word has that value; may return early.
pub fn wait(word: &AtomicU32, value: u32) {
    // SAFETY: the word outlives the call; 128 is a private wait.
    unsafe { call(number::FUTEX, [word as *const _ as usize, 128, value as usize, 0, 0, 0]) };
}

pub fn wake(word: &AtomicU32) {
    // SAFETY: waking reads nothing; 129 is a private wake.
    unsafe { call(number::FUTEX, [word as *const _ as usize, 129, 1, 0, 0, 0]) };
}

/// Ends the process at once.
pub fn end(code: usize) -> ! {
    // SAFETY: it takes a number and does not return.
    unsafe { call(number::EXIT_GROUP, [code, 0, 0, 0, 0, 0]) };
    std::process::abort()
}

/// Has the process killed when its parent ends.
pub fn end_with_parent() {
    // SAFETY: `PR_SET_PDEATHSIG` (1) takes the number of a signal, 9 is the one that kills.
    unsafe { call(number::PRCTL, [1, 9, 0, 0, 0, 0]) };
}

/// Bounds the memory that the process can ask for.
pub fn bound_memory(bytes: u64) {
    let limit = [bytes, bytes];
    // SAFETY: resource 9 is the address space; the limit outlives the call.
    unsafe { call(number::PRLIMIT, [0, 9, limit.as_ptr() as usize, 0, 0, 0]) };
}

/// Keeps the process on the processor that it is on: one thread runs at a time, and on another processor each would wait to be woken.
pub fn stay() {
    let mut processor = 0u32;
    let mut set = [0u64; 16];
    // SAFETY: the system writes one number, and reads as many bytes as it is told.
    unsafe {
        if call(number::GETCPU, [&raw mut processor as usize, 0, 0, 0, 0, 0]) == 0 && processor < 1024 {
            set[processor as usize / 64] = 1 << (processor % 64);
            call(number::SETAFFINITY, [0, size_of_val(&set), set.as_ptr() as usize, 0, 0, 0]);
        }
    }
}

/// Has the process killed after so many seconds.
pub fn end_after(seconds: i64) {
    let (timer, mut old) = ([0, 0, seconds, 0], [0; 4]);
    // SAFETY: both are `itimerval`s; timer 0 is that of the real time.
    unsafe { setitimer(0, &timer, &mut old) };
}

/// Keeps what the process prints from now on, in memory.
pub fn keep_output() {
    // SAFETY: the name ends in a zero; descriptors are numbers.
    unsafe {
        let kept = call(number::MEMFD_CREATE, [c"printed".as_ptr() as usize, 0, 0, 0, 0, 0]) as c_int;
        if kept >= 0 {
            dup2(kept, 1);
            dup2(kept, 2);
        }
    }
}

/// The first bytes of what was printed and kept.
pub fn output(most: usize) -> Vec<u8> {
    let mut text = vec![0; most];
    // SAFETY: there is room for that much.
    let length = unsafe { pread(1, text.as_mut_ptr().cast(), most, 0) };
    text.truncate(usize::try_from(length).unwrap_or(0));
    text
}

/// From where to where this thread's stack goes.
pub fn stack() -> (usize, usize) {
    let mut attributes = Attributes([0; 128]);
    let (mut low, mut size) = (0, 0);
    // SAFETY: the attributes have room for those of any platform, and are destroyed once.
    unsafe {
        if pthread_getattr_np(pthread_self(), &mut attributes) != 0 {
            return (0, 0);
        }
        pthread_attr_getstack(&attributes, &mut low, &mut size);
        pthread_attr_destroy(&mut attributes);
    }
    (low, low + size)
}
