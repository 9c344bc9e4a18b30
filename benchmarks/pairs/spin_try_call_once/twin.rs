// Source: mvdnes/spin-rs PR #149, commit 2a018b6, repaired as there: whoever has waited in vain tries to claim the initialization again, in
// a loop.
use std::cell::UnsafeCell;
use std::convert::Infallible;
use std::mem::{self, MaybeUninit};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicU8, Ordering};

mod status {
    #[repr(u8)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Status {
        Incomplete = 0x00,
        Running = 0x01,
        Complete = 0x02,
        Panicked = 0x03,
    }

    impl From<u8> for Status {
        fn from(value: u8) -> Self {
            match value {
                0x00 => Status::Incomplete,
                0x01 => Status::Running,
                0x02 => Status::Complete,
                _ => Status::Panicked,
            }
        }
    }
}
use self::status::Status;

/// A primitive that provides lazy one-time initialization.
pub struct Once<T = ()> {
    status: AtomicU8,
    data: UnsafeCell<MaybeUninit<T>>,
}

unsafe impl<T: Send + Sync> Sync for Once<T> {}
unsafe impl<T: Send> Send for Once<T> {}
impl<T: UnwindSafe + RefUnwindSafe> RefUnwindSafe for Once<T> {}

impl<T> Once<T> {
    pub const fn new() -> Self {
        Once { status: AtomicU8::new(Status::Incomplete as u8), data: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    fn load(&self) -> Status {
        self.status.load(Ordering::Acquire).into()
    }

    fn claim(&self) -> Result<(), Status> {
        self.status
            .compare_exchange(Status::Incomplete as u8, Status::Running as u8, Ordering::Acquire, Ordering::Acquire)
            .map(drop)
            .map_err(Status::from)
    }

    pub fn call_once<F: FnOnce() -> T>(&self, f: F) -> &T {
        match self.try_call_once(|| Ok::<T, Infallible>(f())) {
            Ok(x) => x,
            Err(void) => match void {},
        }
    }

    /// Initializes the value, unless that has been done; if the closure fails, a later call may try again.
    pub fn try_call_once<F: FnOnce() -> Result<T, E>, E>(&self, f: F) -> Result<&T, E> {
        if let Some(value) = self.get() {
            return Ok(value);
        }
        loop {
            match self.claim() {
                Ok(()) => return self.initialize(f),
                Err(Status::Panicked) => panic!("Once panicked"),
                Err(Status::Running) => match self.poll() {
                    Some(value) => return Ok(value),
                    None => continue,
                },
                Err(Status::Complete) => return Ok(unsafe { self.force_get() }),
                Err(Status::Incomplete) => continue,
            }
        }
    }

    fn initialize<F: FnOnce() -> Result<T, E>, E>(&self, f: F) -> Result<&T, E> {
        // Poisons the cell if the closure panics.
        let finish = Finish { status: &self.status };
        let val = match f() {
            Ok(val) => val,
            Err(err) => {
                mem::forget(finish);
                self.status.store(Status::Incomplete as u8, Ordering::Release);
                return Err(err);
            }
        };
        // SAFETY: the claim excludes all other access.
        unsafe { (*self.data.get()).write(val) };
        mem::forget(finish);
        self.status.store(Status::Complete as u8, Ordering::Release);
        Ok(unsafe { self.force_get() })
    }

    /// Waits while somebody initializes; `None` if nobody does.
    pub fn poll(&self) -> Option<&T> {
        loop {
            match self.load() {
                Status::Incomplete => return None,
                Status::Running => std::hint::spin_loop(),
                Status::Complete => return Some(unsafe { self.force_get() }),
                Status::Panicked => panic!("Once previously poisoned by a panicked"),
            }
        }
    }

    pub fn get(&self) -> Option<&T> {
        match self.load() {
            Status::Complete => Some(unsafe { self.force_get() }),
            _ => None,
        }
    }

    /// SAFETY: the status has to be COMPLETE, which is never left.
    unsafe fn force_get(&self) -> &T {
        (*self.data.get()).assume_init_ref()
    }
}

impl<T> Drop for Once<T> {
    fn drop(&mut self) {
        if self.load() == Status::Complete {
            unsafe { self.data.get_mut().assume_init_drop() }
        }
    }
}

struct Finish<'a> {
    status: &'a AtomicU8,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        // While using Relaxed here would most likely not be an issue, we use SeqCst anyway.
        self.status.store(Status::Panicked as u8, Ordering::SeqCst);
    }
}
