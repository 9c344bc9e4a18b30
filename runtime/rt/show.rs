//! How values are shown; a part of the harness's module.

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
