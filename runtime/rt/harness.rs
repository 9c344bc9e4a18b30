//! The fixed part of a harness: how values are made and shown, how a future is waited for, and what is called by the scheduler.
//! It is compiled as a module of the crate that is run, in any edition.

use std::boxed::Box;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::fmt::{Debug, Write as _};
use std::format;
use std::thread_local;
use std::option::Option::{self, None, Some};
use std::result::Result::{self, Err, Ok};
use std::string::{String, ToString as _};
use std::sync::Arc;
use std::vec::Vec;

/// Stands for this crate, for what is said about it from other modules.
pub struct Here;
/// The type of the object that is shared.
pub trait Subject {
    type Object: 'static;
}
/// How it is made.
pub trait Maker {
    fn make_object(numbers: &mut Numbers) -> Arc<Object>;
}
/// A call whose value is there: that was made before, and is no part of it.
pub type Prepared = Box<dyn FnOnce(&'static Arc<Object>, &mut Numbers) -> String>;
/// An operation.
pub trait Op<const N: usize> {
    /// Makes what the call uses up, or what else it is called on.
    fn own(_: &'static Arc<Object>, _: &mut Numbers) -> Option<Prepared> {
        None
    }
    fn run(object: &'static Arc<Object>, own: Option<Prepared>, numbers: &mut Numbers) -> String {
        match own {
            Some(own) => own(object, numbers),
            None => panic!("what it is called on could not be made"),
        }
    }
}
pub type Object = <Here as Subject>::Object;

/// Waits for a future on this thread.
pub fn wait<F: std::future::Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

/// The text of a result, which stays: dropping it is no part of the call that returned it, and its address is to be nobody else's.
pub fn kept<T>(text: String, value: T) -> String {
    std::mem::forget(value);
    text
}

/// Whether a type can be shared by threads.
pub struct Shared<T: ?Sized>(pub std::marker::PhantomData<T>);
pub trait CanShare {
    fn can_share(&self) -> bool;
}
pub trait CannotShare {
    fn can_share(&self) -> bool;
}
impl<T: Send + Sync + ?Sized> CanShare for &Shared<T> {
    fn can_share(&self) -> bool {
        true
    }
}
impl<T: ?Sized> CannotShare for Shared<T> {
    fn can_share(&self) -> bool {
        false
    }
}

type Put = extern "C" fn(*mut std::ffi::c_void, u32, *const u8, usize);
#[repr(C)]
struct Table {
    make: extern "C" fn(*const u64, usize) -> *const std::ffi::c_void,
    own: extern "C" fn(*const std::ffi::c_void, u32, *const u64, usize) -> *mut std::ffi::c_void,
    call: extern "C" fn(*const std::ffi::c_void, *mut std::ffi::c_void, u32, *const u64, usize, *mut std::ffi::c_void, Put),
    state: extern "C" fn(*const std::ffi::c_void, *mut std::ffi::c_void, Put),
}
unsafe extern "C" {
    fn robust_serve(table: *const Table);
    fn robust_quiet(on: i32);
}
fn numbers_of(numbers: *const u64, count: usize) -> Numbers {
    // The scheduler gives as many numbers as it says.
    Numbers::of(unsafe { std::slice::from_raw_parts(numbers, count) })
}
fn guarded(work: impl FnOnce() -> String) -> String {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(text) => text,
        Err(error) => {
            let text = error.downcast_ref::<String>().cloned();
            let text = text.or_else(|| error.downcast_ref::<&str>().map(|text| text.to_string()));
            format!("panic: {}", text.unwrap_or_default())
        }
    }
}
extern "C" fn make(numbers: *const u64, count: usize) -> *const std::ffi::c_void {
    let mut numbers = numbers_of(numbers, count);
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        surround();
        let _around = around();
        <Here as Maker>::make_object(&mut numbers)
    }));
    match made {
        Ok(object) => Box::into_raw(Box::new(object)) as *const std::ffi::c_void,
        Err(_) => std::ptr::null(),
    }
}
extern "C" fn own(object: *const std::ffi::c_void, op: u32, numbers: *const u64, count: usize) -> *mut std::ffi::c_void {
    // It is what `make` made, which is never taken apart.
    let object = unsafe { &*(object as *const Arc<Object>) };
    let mut numbers = numbers_of(numbers, count);
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _around = around();
        OPS[op as usize].1(object, &mut numbers)
    }));
    match made {
        Ok(Some(own)) => Box::into_raw(Box::new(own)) as *mut std::ffi::c_void,
        _ => std::ptr::null_mut(),
    }
}
extern "C" fn call(
    object: *const std::ffi::c_void,
    own: *mut std::ffi::c_void,
    op: u32,
    numbers: *const u64,
    count: usize,
    to: *mut std::ffi::c_void,
    put: Put,
) {
    // It is what `make` made, which is never taken apart.
    let object = unsafe { &*(object as *const Arc<Object>) };
    let mut numbers = numbers_of(numbers, count);
    // It is what `own` made for this call.
    let own = if own.is_null() { None } else { Some(*unsafe { Box::from_raw(own as *mut Prepared) }) };
    let result = guarded(|| {
        let _around = around();
        OPS[op as usize].2(object, own, &mut numbers)
    });
    let args = numbers.shown.join(", ");
    put(to, 0, args.as_ptr(), args.len());
    put(to, 1, result.as_ptr(), result.len());
}
extern "C" fn state(object: *const std::ffi::c_void, to: *mut std::ffi::c_void, put: Put) {
    let object = unsafe { &*(object as *const Arc<Object>) };
    let mut text = guarded(|| {
        let _around = around();
        seen!(&**object, 0)
    });
    let mut called = match CALLED.lock() {
        Ok(called) => called.clone(),
        Err(poisoned) => poisoned.into_inner().clone(),
    };
    // Who of those side by side came first is nobody's business.
    called.sort();
    if !called.is_empty() {
        let _ = write!(text, " closures called: {called:?}");
    }
    put(to, 0, text.as_ptr(), text.len());
}

pub fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    if std::env::args().nth(1).as_deref() == Some("describe") {
        let shared = (&&Shared::<Object>(std::marker::PhantomData)).can_share();
        std::println!("shared {shared}");
        return;
    }
    let table = Table { make, own, call, state };
    unsafe { robust_serve(&table) }
}
