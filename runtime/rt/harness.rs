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
/// An operation.
pub trait Op<const N: usize> {
    /// What it uses up: that is there before the call, and no part of it.
    fn own(_: &Arc<Object>) -> Option<Box<Object>> {
        None
    }
    fn run(object: &Arc<Object>, own: Option<Box<Object>>, numbers: &mut Numbers) -> String;
}
pub type Object = <Here as Subject>::Object;

/// What values are made of.
pub struct Numbers {
    all: Vec<u64>,
    at: usize,
    depth: usize,
    shown: Vec<String>,
}
impl Numbers {
    fn of(all: &[u64]) -> Numbers {
        Numbers { all: all.to_vec(), at: 0, depth: 0, shown: Vec::new() }
    }
    pub fn next(&mut self) -> u64 {
        let number = self.all.get(self.at % self.all.len().max(1)).copied().unwrap_or(0);
        self.at += 1;
        number
    }
    /// How an argument is shown.
    pub fn show(&mut self, text: &str) {
        self.shown.push(text.to_string());
    }
    /// A value inside another one.
    pub fn inner<T: Make>(&mut self) -> T {
        self.depth += 1;
        if self.depth > 24 {
            panic!("a value that contains itself");
        }
        let value = T::make(self);
        self.depth -= 1;
        value
    }
}
/// An argument.
pub fn arg<T: Make>(numbers: &mut Numbers) -> T {
    let value: T = numbers.inner();
    let text = value.text();
    numbers.shown.push(text);
    value
}
/// A value of a type that is named: made, or else the one that it has by default; and how it is shown.
pub struct Given<T>(pub std::marker::PhantomData<T>);
pub trait ByMake<T> {
    fn given(&self, numbers: &mut Numbers) -> (T, String);
}
pub trait ByDefault<T> {
    fn given(&self, numbers: &mut Numbers) -> (T, String);
}
impl<T: Make> ByMake<T> for &&Given<T> {
    fn given(&self, numbers: &mut Numbers) -> (T, String) {
        let value: T = numbers.inner();
        let text = value.text();
        (value, text)
    }
}
impl<T: Default> ByDefault<T> for &Given<T> {
    fn given(&self, _: &mut Numbers) -> (T, String) {
        (T::default(), "..".to_string())
    }
}
pub trait ByLeaking<T> {
    fn given(&self, numbers: &mut Numbers) -> (T, String);
}
impl<T: Default + 'static> ByLeaking<&'static T> for Given<&'static T> {
    fn given(&self, _: &mut Numbers) -> (&'static T, String) {
        (Box::leak(Box::new(T::default())), "&..".to_string())
    }
}
impl<T: Default + 'static> ByLeaking<&'static mut T> for Given<&'static mut T> {
    fn given(&self, _: &mut Numbers) -> (&'static mut T, String) {
        (Box::leak(Box::new(T::default())), "&mut ..".to_string())
    }
}
/// An argument that was made with its text.
pub fn told<T>(given: (T, String), numbers: &mut Numbers) -> T {
    numbers.shown.push(given.1);
    given.0
}
/// The number of a closure.
pub fn closure(numbers: &mut Numbers) -> u64 {
    let number = numbers.next();
    numbers.shown.push(format!("|..| {number}"));
    number
}
/// The value that a closure of that number returns.
pub fn fixed<T: Make>(number: u64) -> T {
    Numbers::of(&[number]).inner()
}
static CALLED: std::sync::Mutex<Vec<u64>> = std::sync::Mutex::new(Vec::new());
/// A closure of that number was called.
pub fn called(number: u64) {
    let mut called = match CALLED.lock() {
        Ok(called) => called,
        Err(poisoned) => poisoned.into_inner(),
    };
    called.push(number);
}

/// What can be made of numbers.
pub trait Make: Sized {
    fn make(numbers: &mut Numbers) -> Self;
    fn text(&self) -> String {
        "_".to_string()
    }
}
macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Make for $t {
            fn make(numbers: &mut Numbers) -> Self { numbers.next() as $t }
            fn text(&self) -> String { format!("{:?}", self) }
        }
    )*};
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);
macro_rules! debug {
    ($($t:ty, $numbers:ident => $e:expr;)*) => {$(
        impl Make for $t {
            fn make($numbers: &mut Numbers) -> Self { $e }
            fn text(&self) -> String { format!("{:?}", self) }
        }
    )*};
}
fn letter(number: u64) -> char {
    (b'a' + (number % 26) as u8) as char
}
debug! {
    bool, n => n.next() % 2 == 1;
    char, n => letter(n.next());
    String, n => letter(n.next()).to_string();
    std::time::Duration, n => std::time::Duration::from_millis(n.next());
    std::time::Instant, _n => std::time::Instant::now();
    std::time::SystemTime, _n => std::time::SystemTime::now();
    std::path::PathBuf, n => std::path::PathBuf::from(letter(n.next()).to_string());
    std::net::IpAddr, n => std::net::IpAddr::from([127, 0, 0, n.next() as u8]);
    std::net::Ipv4Addr, n => std::net::Ipv4Addr::from([127, 0, 0, n.next() as u8]);
    std::net::SocketAddr, n => std::net::SocketAddr::from(([127, 0, 0, n.next() as u8], 0));
    std::num::NonZeroUsize, n => match std::num::NonZeroUsize::new(n.next() as usize + 1) { Some(n) => n, None => std::num::NonZeroUsize::MIN };
    std::num::NonZeroU32, n => match std::num::NonZeroU32::new(n.next() as u32 + 1) { Some(n) => n, None => std::num::NonZeroU32::MIN };
    std::num::NonZeroU64, n => match std::num::NonZeroU64::new(n.next() + 1) { Some(n) => n, None => std::num::NonZeroU64::MIN };
    std::ops::Range<usize>, n => { let low = n.next() as usize; low..low + n.next() as usize };
    std::ops::Range<u64>, n => { let low = n.next(); low..low + n.next() };
    Arc<str>, n => Arc::from(&*letter(n.next()).to_string());
    Box<str>, n => Box::from(&*letter(n.next()).to_string());
    std::borrow::Cow<'static, str>, n => std::borrow::Cow::Owned(letter(n.next()).to_string());
    std::ffi::OsString, n => std::ffi::OsString::from(letter(n.next()).to_string());
}
impl Make for &'static str {
    fn make(numbers: &mut Numbers) -> Self {
        Box::leak(letter(numbers.next()).to_string().into_boxed_str())
    }
    fn text(&self) -> String {
        format!("{:?}", self)
    }
}
impl Make for &'static std::path::Path {
    fn make(numbers: &mut Numbers) -> Self {
        Box::leak(numbers.inner::<std::path::PathBuf>().into_boxed_path())
    }
    fn text(&self) -> String {
        format!("{:?}", self)
    }
}
impl Make for () {
    fn make(_: &mut Numbers) {}
    fn text(&self) -> String {
        "()".to_string()
    }
}
impl<T> Make for std::marker::PhantomData<T> {
    fn make(_: &mut Numbers) -> Self {
        std::marker::PhantomData
    }
}
impl<T: Make + 'static> Make for &'static T {
    fn make(numbers: &mut Numbers) -> Self {
        Box::leak(Box::new(numbers.inner()))
    }
    fn text(&self) -> String {
        format!("&{}", (**self).text())
    }
}
impl<T: Make + 'static> Make for &'static mut T {
    fn make(numbers: &mut Numbers) -> Self {
        Box::leak(Box::new(numbers.inner()))
    }
    fn text(&self) -> String {
        format!("&mut {}", (**self).text())
    }
}
fn some<T: Make, C: std::iter::FromIterator<T>>(numbers: &mut Numbers) -> C {
    let count = numbers.next() % 3;
    (0..count).map(|_| numbers.inner()).collect()
}
fn texts<'a, T: Make + 'a>(all: impl Iterator<Item = &'a T>) -> String {
    format!("[{}]", all.map(Make::text).collect::<Vec<_>>().join(", "))
}
impl<T: Make + 'static> Make for &'static [T] {
    fn make(numbers: &mut Numbers) -> Self {
        Box::leak(numbers.inner::<Vec<T>>().into_boxed_slice())
    }
    fn text(&self) -> String {
        texts(self.iter())
    }
}
impl<T: Make> Make for Box<[T]> {
    fn make(numbers: &mut Numbers) -> Self {
        numbers.inner::<Vec<T>>().into_boxed_slice()
    }
    fn text(&self) -> String {
        texts(self.iter())
    }
}
impl<T: Make> Make for Vec<T> {
    fn make(numbers: &mut Numbers) -> Self {
        some(numbers)
    }
    fn text(&self) -> String {
        texts(self.iter())
    }
}
impl<T: Make> Make for VecDeque<T> {
    fn make(numbers: &mut Numbers) -> Self {
        some(numbers)
    }
    fn text(&self) -> String {
        texts(self.iter())
    }
}
impl<T: Make + Ord> Make for BTreeSet<T> {
    fn make(numbers: &mut Numbers) -> Self {
        some(numbers)
    }
    fn text(&self) -> String {
        texts(self.iter())
    }
}
impl<T: Make + Eq + std::hash::Hash, S: std::hash::BuildHasher + Default> Make for HashSet<T, S> {
    fn make(numbers: &mut Numbers) -> Self {
        some(numbers)
    }
    fn text(&self) -> String {
        texts(self.iter())
    }
}
impl<K: Make + Ord, V: Make> Make for BTreeMap<K, V> {
    fn make(numbers: &mut Numbers) -> Self {
        some(numbers)
    }
}
impl<K: Make + Eq + std::hash::Hash, V: Make, S: std::hash::BuildHasher + Default> Make for HashMap<K, V, S> {
    fn make(numbers: &mut Numbers) -> Self {
        some(numbers)
    }
}
impl<T: Make, const N: usize> Make for [T; N] {
    fn make(numbers: &mut Numbers) -> Self {
        std::array::from_fn(|_| numbers.inner())
    }
    fn text(&self) -> String {
        texts(self.iter())
    }
}
impl<T: Make> Make for Option<T> {
    fn make(numbers: &mut Numbers) -> Self {
        if numbers.next() == 0 { None } else { Some(numbers.inner()) }
    }
    fn text(&self) -> String {
        match self {
            Some(value) => format!("Some({})", value.text()),
            None => "None".to_string(),
        }
    }
}
impl<T: Make, E: Make> Make for Result<T, E> {
    fn make(numbers: &mut Numbers) -> Self {
        if numbers.next() == 2 { Err(numbers.inner()) } else { Ok(numbers.inner()) }
    }
    fn text(&self) -> String {
        match self {
            Ok(value) => format!("Ok({})", value.text()),
            Err(error) => format!("Err({})", error.text()),
        }
    }
}
macro_rules! around {
    ($($t:ident $new:expr;)*) => {$(
        impl<T: Make> Make for $t<T> {
            fn make(numbers: &mut Numbers) -> Self { $new(numbers.inner()) }
            fn text(&self) -> String { (**self).text() }
        }
    )*};
}
use std::rc::Rc;
around! { Box Box::new; Arc Arc::new; Rc Rc::new; }
macro_rules! cells {
    ($($t:ident)*) => {$(
        impl<T: Make> Make for std::sync::$t<T> {
            fn make(numbers: &mut Numbers) -> Self { std::sync::$t::new(numbers.inner()) }
        }
    )*};
}
cells!(Mutex RwLock);
macro_rules! tuples {
    ($($($t:ident)*;)*) => {$(
        #[allow(non_snake_case)]
        impl<$($t: Make),*> Make for ($($t,)*) {
            fn make(numbers: &mut Numbers) -> Self { ($(numbers.inner::<$t>(),)*) }
            fn text(&self) -> String { let ($($t,)*) = self; format!("({})", [$($t.text()),*].join(", ")) }
        }
        #[allow(non_snake_case)]
        impl<$($t: Show),*> Show for ($($t,)*) {
            fn show(&self, depth: usize) -> String { let ($($t,)*) = self; format!("({})", [$($t.show(depth)),*].join(", ")) }
        }
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; }

thread_local! {
    /// 0: a state is looked at; 1: a result; 2: what a result only refers to.
    static LOOK: std::cell::Cell<u8> = const { std::cell::Cell::new(0) };
}
/// Shows a result: nobody comes in between, and what can still change is no part of it.
pub fn result(show: impl FnOnce() -> String) -> String {
    struct Quiet(u8);
    impl Drop for Quiet {
        fn drop(&mut self) {
            LOOK.with(|look| look.set(self.0));
            unsafe { robust_quiet(0) };
        }
    }
    let _quiet = Quiet(LOOK.with(|look| look.replace(1)));
    unsafe { robust_quiet(1) };
    show()
}
/// Whether a result is shown, of which what can still change is no part.
pub fn in_result() -> bool {
    LOOK.with(|look| look.get()) > 0
}
fn looks_through() -> bool {
    LOOK.with(|look| look.get()) == 2
}
/// Shows what is only referred to.
pub fn referred(show: impl FnOnce() -> String) -> String {
    let was = LOOK.with(|look| look.get());
    LOOK.with(|look| look.set(if was == 0 { 0 } else { 2 }));
    let text = show();
    LOOK.with(|look| look.set(was));
    text
}

/// What can be seen of a value, private parts as well.
pub trait Show {
    fn show(&self, depth: usize) -> String;
}
/// The value itself, what `Debug` says, or nothing: the first of these that there is.
pub struct Seen<'a, T: ?Sized>(pub &'a T);
pub trait ByShow {
    fn seen(&self, depth: usize) -> String;
}
pub trait ByDebug {
    fn seen(&self, depth: usize) -> String;
}
pub trait ByNothing {
    fn seen(&self, depth: usize) -> String;
}
impl<T: Show + ?Sized> ByShow for &&Seen<'_, T> {
    fn seen(&self, depth: usize) -> String {
        if depth > 12 { "..".to_string() } else { self.0.show(depth + 1) }
    }
}
impl<T: Debug + ?Sized> ByDebug for &Seen<'_, T> {
    fn seen(&self, _: usize) -> String {
        if looks_through() {
            return "_".to_string();
        }
        struct Bounded(String);
        impl std::fmt::Write for Bounded {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                self.0.push_str(text);
                if self.0.len() > 20_000 { Err(std::fmt::Error) } else { Ok(()) }
            }
        }
        let mut out = Bounded(String::new());
        let _ = write!(out, "{:?}", self.0);
        out.0
    }
}
impl<T: ?Sized> ByNothing for Seen<'_, T> {
    fn seen(&self, _: usize) -> String {
        "_".to_string()
    }
}
macro_rules! seen {
    ($value:expr, $depth:expr) => {{
        #[allow(unused_imports)]
        use crate::__robust::{ByDebug as _, ByNothing as _, ByShow as _};
        (&&&crate::__robust::Seen($value)).seen($depth)
    }};
}

macro_rules! show_debug {
    ($($t:ty)*) => {$( impl Show for $t { fn show(&self, _: usize) -> String { format!("{:?}", self) } } )*};
}
show_debug!(() u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char str String std::time::Duration);
macro_rules! show_atomic {
    ($($t:ident)*) => {$( impl Show for std::sync::atomic::$t {
        fn show(&self, _: usize) -> String {
            if in_result() { return "..".to_string(); }
            format!("{:?}", self.load(std::sync::atomic::Ordering::SeqCst))
        }
    } )*};
}
show_atomic!(AtomicBool AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize);
fn list<'a, T: Show + 'a>(all: impl Iterator<Item = &'a T>, depth: usize) -> String {
    format!("[{}]", all.map(|one| one.show(depth)).collect::<Vec<_>>().join(", "))
}
fn sorted(mut all: Vec<String>) -> String {
    all.sort();
    format!("{{{}}}", all.join(", "))
}
impl<T: Show> Show for [T] {
    fn show(&self, depth: usize) -> String {
        list(self.iter(), depth)
    }
}
impl<T: Show, const N: usize> Show for [T; N] {
    fn show(&self, depth: usize) -> String {
        list(self.iter(), depth)
    }
}
impl<T: Show> Show for Vec<T> {
    fn show(&self, depth: usize) -> String {
        list(self.iter(), depth)
    }
}
impl<T: Show> Show for VecDeque<T> {
    fn show(&self, depth: usize) -> String {
        list(self.iter(), depth)
    }
}
impl<T: Show> Show for LinkedList<T> {
    fn show(&self, depth: usize) -> String {
        list(self.iter(), depth)
    }
}
impl<T: Show> Show for BTreeSet<T> {
    fn show(&self, depth: usize) -> String {
        list(self.iter(), depth)
    }
}
impl<T: Show> Show for BinaryHeap<T> {
    fn show(&self, depth: usize) -> String {
        sorted(self.iter().map(|one| one.show(depth)).collect())
    }
}
impl<T: Show, S> Show for HashSet<T, S> {
    fn show(&self, depth: usize) -> String {
        sorted(self.iter().map(|one| one.show(depth)).collect())
    }
}
impl<K: Show, V: Show, S> Show for HashMap<K, V, S> {
    fn show(&self, depth: usize) -> String {
        sorted(
            self.iter().map(|(key, value)| format!("{}: {}", key.show(depth), value.show(depth))).collect(),
        )
    }
}
impl<K: Show, V: Show> Show for BTreeMap<K, V> {
    fn show(&self, depth: usize) -> String {
        sorted(
            self.iter().map(|(key, value)| format!("{}: {}", key.show(depth), value.show(depth))).collect(),
        )
    }
}
impl<T: Show> Show for Option<T> {
    fn show(&self, depth: usize) -> String {
        match self {
            Some(value) => format!("Some({})", value.show(depth)),
            None => "None".to_string(),
        }
    }
}
impl<T: Show, E: Show> Show for Result<T, E> {
    fn show(&self, depth: usize) -> String {
        match self {
            Ok(value) => format!("Ok({})", value.show(depth)),
            Err(error) => format!("Err({})", error.show(depth)),
        }
    }
}
impl<T: Show + ?Sized> Show for &T {
    fn show(&self, depth: usize) -> String {
        referred(|| (**self).show(depth))
    }
}
impl<T: Show + ?Sized> Show for &mut T {
    fn show(&self, depth: usize) -> String {
        (**self).show(depth)
    }
}
impl<T: Show + ?Sized> Show for Box<T> {
    fn show(&self, depth: usize) -> String {
        (**self).show(depth)
    }
}
impl<T: Show + ?Sized> Show for Rc<T> {
    fn show(&self, depth: usize) -> String {
        (**self).show(depth)
    }
}
impl<T: Show + ?Sized> Show for Arc<T> {
    fn show(&self, depth: usize) -> String {
        if depth > 12 {
            return "..".to_string();
        }
        identified(self, || (**self).show(depth + 1))
    }
}
impl<T: Show + Copy> Show for std::cell::Cell<T> {
    fn show(&self, depth: usize) -> String {
        if in_result() {
            return "..".to_string();
        }
        self.get().show(depth)
    }
}
impl<T: Show + ?Sized> Show for std::cell::RefCell<T> {
    fn show(&self, depth: usize) -> String {
        if in_result() {
            return "..".to_string();
        }
        match self.try_borrow() {
            Ok(value) => value.show(depth),
            Err(_) => "borrowed".to_string(),
        }
    }
}
impl<T: Show> Show for std::sync::OnceLock<T> {
    fn show(&self, depth: usize) -> String {
        if in_result() {
            return "..".to_string();
        }
        match self.get() {
            Some(value) => value.show(depth),
            None => "unset".to_string(),
        }
    }
}
impl<T: Show + ?Sized> Show for std::sync::Mutex<T> {
    fn show(&self, depth: usize) -> String {
        if in_result() {
            return "..".to_string();
        }
        match self.try_lock() {
            Ok(value) => value.show(depth),
            Err(std::sync::TryLockError::Poisoned(error)) => {
                format!("poisoned {}", error.into_inner().show(depth))
            }
            Err(_) => "locked".to_string(),
        }
    }
}
impl<T: Show + ?Sized> Show for std::sync::RwLock<T> {
    fn show(&self, depth: usize) -> String {
        if in_result() {
            return "..".to_string();
        }
        match self.try_read() {
            Ok(value) => value.show(depth),
            Err(std::sync::TryLockError::Poisoned(error)) => {
                format!("poisoned {}", error.into_inner().show(depth))
            }
            Err(_) => "locked".to_string(),
        }
    }
}
impl<T: Show + ?Sized> Show for std::sync::MutexGuard<'_, T> {
    fn show(&self, depth: usize) -> String {
        (**self).show(depth)
    }
}
impl<T: Show + ?Sized> Show for std::sync::RwLockReadGuard<'_, T> {
    fn show(&self, depth: usize) -> String {
        (**self).show(depth)
    }
}
impl<T: Show + ?Sized> Show for std::sync::RwLockWriteGuard<'_, T> {
    fn show(&self, depth: usize) -> String {
        (**self).show(depth)
    }
}
impl Show for dyn std::any::Any {
    fn show(&self, _: usize) -> String {
        "_".to_string()
    }
}

/// Parts that were shown one by one.
pub fn listed(all: impl Iterator<Item = String>) -> String {
    format!("[{}]", all.collect::<Vec<_>>().join(", "))
}
pub fn unordered(all: impl Iterator<Item = String>) -> String {
    sorted(all.collect())
}
/// What is shared, by where it is.
pub fn identified<T: ?Sized>(value: &Arc<T>, show: impl FnOnce() -> String) -> String {
    format!("Arc@{:x} {}", Arc::as_ptr(value) as *const u8 as usize, referred(show))
}

/// What an attempt to lock gave.
pub trait Taken {
    type Guard;
    fn taken(self) -> Option<Self::Guard>;
}
impl<T> Taken for Option<T> {
    type Guard = T;
    fn taken(self) -> Option<T> {
        self
    }
}
impl<T, E> Taken for Result<T, E> {
    type Guard = T;
    fn taken(self) -> Option<T> {
        self.ok()
    }
}

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
    own: extern "C" fn(*const std::ffi::c_void, u32) -> *mut std::ffi::c_void,
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
extern "C" fn own(object: *const std::ffi::c_void, op: u32) -> *mut std::ffi::c_void {
    // It is what `make` made, which is never taken apart.
    let object = unsafe { &*(object as *const Arc<Object>) };
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _around = around();
        OPS[op as usize].1(object)
    }));
    match made {
        Ok(Some(own)) => Box::into_raw(own) as *mut std::ffi::c_void,
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
    let own = if own.is_null() { None } else { Some(unsafe { Box::from_raw(own as *mut Object) }) };
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
