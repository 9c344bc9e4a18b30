use std::fmt::Debug;
use std::sync::{Arc, Mutex, atomic::*};
static COUNTER: AtomicUsize = AtomicUsize::new(0);
static mut RAW: u32 = 1;
const K: usize = 3;
const NAMES: [&str; 2] = ["a\"b\n", "é\u{1}"];
thread_local!(static TL: std::cell::Cell<u32> = const { std::cell::Cell::new(1) });
pub enum E {
    A,
    B(u8),
    C { x: u32, y: String },
}
pub struct S<T> {
    pub m: Mutex<T>,
    n: [u8; 4],
}
pub struct Unit;
trait Handler {
    fn handle(&self, x: u32) -> u32 {
        x + 1
    }
    const Z: u8 = 1;
    type Out;
}
impl Handler for u8 {
    fn handle(&self, x: u32) -> u32 {
        x + *self as u32
    }
    type Out = u32;
}
impl<T: Handler> Handler for Vec<T> {
    type Out = T::Out;
}
impl<T: Clone + Send + 'static> S<T> {
    pub fn get(&self) -> T {
        self.m.lock().unwrap().clone()
    }
    pub fn th(self: Arc<Self>) -> std::thread::JoinHandle<T> {
        std::thread::spawn(move || {
            let q = self;
            q.get()
        })
    }
}
pub fn ev(e: &E) -> u32 {
    match e {
        E::A => 1,
        E::B(x) if *x > 3 => *x as u32,
        E::B(_) => 9,
        E::C { x, .. } => *x,
    }
}
pub fn sl(a: &[u8]) -> u8 {
    match a {
        [x, .., y] => x + y,
        [z] => *z,
        [] => 0,
    }
}
pub fn sl2(a: [u8; 3]) -> u8 {
    let [x, _r @ ..] = a;
    x
}
pub fn st() -> usize {
    COUNTER.fetch_add(1, Ordering::SeqCst)
        + unsafe { RAW } as usize
        + TL.with(|c| c.get()) as usize
        + K
}
pub fn dy(d: &dyn Debug, f: fn(u32) -> u32, g: &(dyn Fn(u32) -> u32 + Send + 'static)) -> u32 {
    println!("{:?} {}", d, NAMES[0]);
    f(1) + g(2)
}
pub fn cl() -> u32 {
    let mut n = 0;
    let mut c = |x: u32| {
        n += x;
        n
    };
    c(1);
    let f: fn(u32) -> u32 = |x| x;
    let b: Box<dyn Fn(u32) -> u32> = Box::new(move |x| x);
    f(2) + b(1)
}
pub async fn leaf(m: Arc<Mutex<u32>>, k: &str) -> u32 {
    let s = k.len() as u32;
    inner(s).await + *m.lock().unwrap()
}
async fn inner(x: u32) -> u32 {
    let b = async move { x + 1 };
    b.await
}
pub fn gen_call<H: Handler>(h: &H) -> u32
where
    H::Out: Debug,
{
    h.handle(1) + <u8 as Handler>::handle(&1, 2) + H::Z as u32
}
pub fn op(x: i32, y: u32) -> i32 {
    let z = -x;
    let w = !y;
    let t = (z, w, 'c', 1.5f64, true);
    let arr = [t.0; 5];
    arr[(w as usize) & 3] << 2
}
pub fn rp(x: *const u32) -> u32 {
    unsafe { *x }
}
pub fn mk() -> E {
    let e = E::C {
        x: 1,
        y: String::new(),
    };
    let _u = Unit;
    let _v = (Some(1), None::<u32>);
    e
}
pub fn opaque() -> impl Iterator<Item = u32> {
    (0..3).map(|x| x + 1)
}
pub union U {
    a: u32,
    b: f32,
}
pub fn un(u: U) -> f32 {
    unsafe { u.b }
}
pub fn ac() -> impl Future<Output = u32> {
    let c = async |x: u32| x + 1;
    async move { c(1).await }
}
unsafe extern "C" {
    static environ: *const u8;
    fn abs(x: i32) -> i32;
}
pub fn ffi() -> i32 {
    unsafe { abs(3) + environ as usize as i32 }
}
pub fn div(a: i32, b: i32) -> i32 {
    a / b % 3
}
pub fn pat(o: Option<Box<u32>>) -> u32 {
    if let Some(b) = o
        && *b > 3
    {
        *b
    } else {
        panic!("no {}", 3)
    }
}
pub fn ptrs() -> fn() -> u32 {
    fn z() -> u32 {
        1
    }
    z
}
pub fn sw(c: char, i: i8) -> u8 {
    match (c, i) {
        ('a', -3) => 1,
        ('é', _) => 2,
        _ => 3,
    }
}
