//! How values are made of numbers; a part of the harness's module.

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
