//! The standard library's locks and atomics.

use super::{Inner, Store, guard, with};

pub struct StdMapOk {
    v: std::sync::Mutex<u64>,
}

impl StdMapOk {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().map(|g| *g).unwrap_or(0); //~
        if let Ok(mut g) = self.v.lock() { *g = n + 1; } //~
        n
    }
}

pub struct StdMapOkAtOnce {
    v: std::sync::Mutex<u64>,
}

impl StdMapOkAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().map(|mut g| { *g += 1; *g }).unwrap_or(0);
        n
    }
}

pub struct MatchLock {
    v: std::sync::Mutex<u64>,
}

impl MatchLock {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = match self.v.lock() { Ok(g) => *g, Err(e) => *e.into_inner() }; //~
        match self.v.lock() { Ok(mut g) => *g = n + 1, Err(e) => *e.into_inner() = n + 1 } //~
        n
    }
}

pub struct MatchLockAtOnce {
    v: std::sync::Mutex<u64>,
}

impl MatchLockAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = match self.v.lock() { Ok(mut g) => { *g += 1; *g } Err(e) => *e.into_inner() };
        n
    }
}

pub struct UnwrapOrElse {
    v: std::sync::Mutex<u64>,
}

impl UnwrapOrElse {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.lock().unwrap_or_else(|e| e.into_inner()); //~
        *self.v.lock().unwrap_or_else(|e| e.into_inner()) = n + 1; //~
        n
    }
}

pub struct UnwrapOrElseAtOnce {
    v: std::sync::Mutex<u64>,
}

impl UnwrapOrElseAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock().unwrap_or_else(|e| e.into_inner()); let n = *g; *g = n + 1;
        n
    }
}

pub struct UnwrapOrElse2 {
    v: std::sync::Mutex<u64>,
}

impl UnwrapOrElse2 {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.lock().unwrap_or_else(std::sync::PoisonError::into_inner); //~
        *self.v.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = n + 1; //~
        n
    }
}

pub struct Rw {
    v: std::sync::RwLock<u64>,
}

impl Rw {
    pub fn new() -> Self {
        Self { v: std::sync::RwLock::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.read().unwrap(); //~
        *self.v.write().unwrap() = n + 1; //~
        n
    }
}

pub struct RwAtOnce {
    v: std::sync::RwLock<u64>,
}

impl RwAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::RwLock::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.write().unwrap(); let n = *g; *g = n + 1;
        n
    }
}

pub struct Replace {
    v: std::sync::Mutex<u64>,
}

impl Replace {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.lock().unwrap(); //~
        let _old = std::mem::replace(&mut *self.v.lock().unwrap(), n + 1); //~
        n
    }
}

pub struct ReplaceAtOnce {
    v: std::sync::Mutex<u64>,
}

impl ReplaceAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock().unwrap(); let n = *g; let _ = std::mem::replace(&mut *g, n + 1);
        n
    }
}

pub struct Swapmem {
    v: std::sync::Mutex<u64>,
}

impl Swapmem {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.lock().unwrap(); //~
        let mut new = n + 1; std::mem::swap(&mut *self.v.lock().unwrap(), &mut new); //~
        n
    }
}

pub struct ByHelper {
    v: std::sync::Mutex<u64>,
}

impl ByHelper {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *guard(&self.v); //~
        *guard(&self.v) = n + 1; //~
        n
    }
}

pub struct ByHelperAtOnce {
    v: std::sync::Mutex<u64>,
}

impl ByHelperAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = guard(&self.v); let n = *g; *g = n + 1;
        n
    }
}

pub struct ByClosure {
    v: std::sync::Mutex<u64>,
}

impl ByClosure {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = with(&self.v, |v| *v); //~
        with(&self.v, |v| *v = n + 1); //~
        n
    }
}

pub struct ByClosureAtOnce {
    v: std::sync::Mutex<u64>,
}

impl ByClosureAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = with(&self.v, |v| { let n = *v; *v = n + 1; n });
        n
    }
}

pub struct Arc {
    v: std::sync::Arc<std::sync::Mutex<u64>>,
}

impl Arc {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(std::sync::Mutex::new(0)) }
    }

    pub fn bump(&self) -> u64 {
        let v = self.v.clone(); let n = *v.lock().unwrap(); //~
        *v.lock().unwrap() = n + 1; //~
        n
    }
}

pub struct ArcAtOnce {
    v: std::sync::Arc<std::sync::Mutex<u64>>,
}

impl ArcAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(std::sync::Mutex::new(0)) }
    }

    pub fn bump(&self) -> u64 {
        let v = self.v.clone(); let mut g = v.lock().unwrap(); let n = *g; *g = n + 1;
        n
    }
}

pub struct NestedStruct {
    v: std::sync::Mutex<Inner>,
}

impl NestedStruct {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Inner::default()) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().get();
        self.v.lock().unwrap().set(n + 1);
        n
    }
}

pub struct NestedStructAtOnce {
    v: std::sync::Mutex<Inner>,
}

impl NestedStructAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Inner::default()) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock().unwrap(); let n = g.get(); g.set(n + 1);
        n
    }
}

pub struct TupleIn {
    v: std::sync::Mutex<(u64, u64)>,
}

impl TupleIn {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new((0, 0)) }
    }

    pub fn bump(&self) -> u64 {
        let (n, _) = *self.v.lock().unwrap(); //~
        self.v.lock().unwrap().0 = n + 1; //~
        n
    }
}

pub struct ArrayIn {
    v: std::sync::Mutex<[u64; 4]>,
}

impl ArrayIn {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new([0; 4]) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap()[1]; //~
        self.v.lock().unwrap()[1] = n + 1; //~
        n
    }
}

pub struct OptIn {
    v: std::sync::Mutex<Option<u64>>,
}

impl OptIn {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(None) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().unwrap_or(0); //~
        *self.v.lock().unwrap() = Some(n + 1); //~
        n
    }
}

pub struct OptAsMut {
    v: std::sync::Mutex<Option<u64>>,
}

impl OptAsMut {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(None) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().as_ref().copied().unwrap_or(0); //~
        if let Some(x) = self.v.lock().unwrap().as_mut() { *x = n + 1; } //~
        n
    }
}

pub struct OptInsert {
    v: std::sync::Mutex<Option<u64>>,
}

impl OptInsert {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(None) }
    }

    pub fn bump(&self) -> u64 {
        let n = (*self.v.lock().unwrap()).unwrap_or(0); //~
        self.v.lock().unwrap().insert(n + 1); //~
        n
    }
}

pub struct OptInsertAtOnce {
    v: std::sync::Mutex<Option<u64>>,
}

impl OptInsertAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(None) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock().unwrap(); let n = g.unwrap_or(0); g.insert(n + 1);
        n
    }
}

pub struct BoxDyn {
    v: std::sync::Mutex<Box<dyn Store>>,
}

impl BoxDyn {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Box::new(Inner::default())) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().load();
        self.v.lock().unwrap().store(n + 1);
        n
    }
}

pub struct BoxDynAtOnce {
    v: std::sync::Mutex<Box<dyn Store>>,
}

impl BoxDynAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Box::new(Inner::default())) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock().unwrap(); let n = g.load(); g.store(n + 1);
        n
    }
}

pub struct VecLast {
    v: std::sync::Mutex<Vec<u64>>,
}

impl VecLast {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(vec![0]) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().last().copied().unwrap_or(0); //~
        if let Some(x) = self.v.lock().unwrap().last_mut() { *x = n + 1; } //~
        n
    }
}

pub struct VecLastAtOnce {
    v: std::sync::Mutex<Vec<u64>>,
}

impl VecLastAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(vec![0]) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock().unwrap(); let n = g.last().copied().unwrap_or(0); g.push(n + 1);
        n
    }
}

pub struct VecIter {
    v: std::sync::Mutex<Vec<u64>>,
}

impl VecIter {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(vec![0]) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().iter().copied().max().unwrap_or(0); //~
        for x in self.v.lock().unwrap().iter_mut() { *x = n + 1; } //~
        n
    }
}

pub struct MapIndex {
    v: std::sync::Mutex<std::collections::HashMap<u64, u64>>,
}

impl MapIndex {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Default::default()) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap()[&1]; //~
        self.v.lock().unwrap().insert(1, n + 1); //~
        n
    }
}

pub struct MapEntry {
    v: std::sync::Mutex<std::collections::HashMap<u64, u64>>,
}

impl MapEntry {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Default::default()) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().get(&1).copied().unwrap_or(0); //~
        *self.v.lock().unwrap().entry(1).or_insert(0) = n + 1; //~
        n
    }
}

pub struct MapEntryAtOnce {
    v: std::sync::Mutex<std::collections::HashMap<u64, u64>>,
}

impl MapEntryAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Default::default()) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock().unwrap(); let n = g.get(&1).copied().unwrap_or(0); *g.entry(1).or_insert(0) = n + 1;
        n
    }
}

pub struct MapAndModify {
    v: std::sync::Mutex<std::collections::HashMap<u64, u64>>,
}

impl MapAndModify {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Default::default()) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().get(&1).copied().unwrap_or(0); //~
        self.v.lock().unwrap().entry(1).and_modify(|x| *x = n + 1).or_insert(n + 1); //~
        n
    }
}

pub struct ValuesMut {
    v: std::sync::Mutex<std::collections::HashMap<u64, u64>>,
}

impl ValuesMut {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(Default::default()) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.lock().unwrap().values().sum::<u64>(); //~
        self.v.lock().unwrap().values_mut().for_each(|x| *x = n + 1); //~
        n
    }
}

pub struct WaitWhile {
    v: std::sync::Mutex<u64>,
    c: std::sync::Condvar,
}

impl WaitWhile {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0), c: std::sync::Condvar::new() }
    }

    pub fn bump(&self) -> u64 {
        let g = self.v.lock().unwrap(); let n = *g; //~
        let mut g = self.c.wait_while(g, |x| *x > 5).unwrap(); *g = n + 1; //~
        n
    }
}

pub struct WaitWhileAtOnce {
    v: std::sync::Mutex<u64>,
    c: std::sync::Condvar,
}

impl WaitWhileAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0), c: std::sync::Condvar::new() }
    }

    pub fn bump(&self) -> u64 {
        let g = self.v.lock().unwrap(); let mut g = self.c.wait_while(g, |x| *x > 5).unwrap(); let n = *g; *g = n + 1;
        n
    }
}

pub struct WaitTimeoutWhile {
    v: std::sync::Mutex<u64>,
    c: std::sync::Condvar,
}

impl WaitTimeoutWhile {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0), c: std::sync::Condvar::new() }
    }

    pub fn bump(&self) -> u64 {
        let g = self.v.lock().unwrap(); let n = *g; //~
        let (mut g, _t) = self.c.wait_timeout_while(g, std::time::Duration::from_secs(1), |x| *x > 5).unwrap(); *g = n + 1; //~
        n
    }
}

pub struct WaitTimeoutWhileAtOnce {
    v: std::sync::Mutex<u64>,
    c: std::sync::Condvar,
}

impl WaitTimeoutWhileAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0), c: std::sync::Condvar::new() }
    }

    pub fn bump(&self) -> u64 {
        let g = self.v.lock().unwrap(); let (mut g, _) = self.c.wait_timeout_while(g, std::time::Duration::from_secs(1), |x| *x > 5).unwrap(); let n = *g; *g = n + 1;
        n
    }
}

pub struct CvWait {
    v: std::sync::Mutex<u64>,
    c: std::sync::Condvar,
}

impl CvWait {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0), c: std::sync::Condvar::new() }
    }

    pub fn bump(&self) -> u64 {
        let g = self.v.lock().unwrap(); let n = *g; //~
        let mut g = self.c.wait(g).unwrap(); *g = n + 1; //~
        n
    }
}

pub struct CvWaitAtOnce {
    v: std::sync::Mutex<u64>,
    c: std::sync::Condvar,
}

impl CvWaitAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Mutex::new(0), c: std::sync::Condvar::new() }
    }

    pub fn bump(&self) -> u64 {
        let g = self.v.lock().unwrap(); let mut g = self.c.wait(g).unwrap(); let n = *g; *g = n + 1;
        n
    }
}

pub struct Oncelock {
    v: std::sync::OnceLock<std::sync::Mutex<u64>>,
}

impl Oncelock {
    pub fn new() -> Self {
        Self { v: std::sync::OnceLock::new() }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.get_or_init(|| std::sync::Mutex::new(0)).lock().unwrap(); //~
        *self.v.get_or_init(|| std::sync::Mutex::new(0)).lock().unwrap() = n + 1; //~
        n
    }
}

pub struct OncelockAtOnce {
    v: std::sync::OnceLock<std::sync::Mutex<u64>>,
}

impl OncelockAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::OnceLock::new() }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.get_or_init(|| std::sync::Mutex::new(0)).lock().unwrap(); let n = *g; *g = n + 1;
        n
    }
}

pub struct OncelockGet {
    v: std::sync::OnceLock<std::sync::Mutex<u64>>,
}

impl OncelockGet {
    pub fn new() -> Self {
        Self { v: std::sync::OnceLock::from(std::sync::Mutex::new(0)) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.get().map(|m| *m.lock().unwrap()).unwrap_or(0); //~
        if let Some(m) = self.v.get() { *m.lock().unwrap() = n + 1; } //~
        n
    }
}

pub struct Atomic {
    v: std::sync::atomic::AtomicU64,
}

impl Atomic {
    pub fn new() -> Self {
        Self { v: std::sync::atomic::AtomicU64::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.load(std::sync::atomic::Ordering::SeqCst); //~
        self.v.store(n + 1, std::sync::atomic::Ordering::SeqCst); //~
        n
    }
}

pub struct AtomicAtOnce {
    v: std::sync::atomic::AtomicU64,
}

impl AtomicAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::atomic::AtomicU64::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        n
    }
}

pub struct AtomicRef {
    v: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

impl AtomicRef {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0)) }
    }

    pub fn bump(&self) -> u64 {
        let v = &self.v; let n = v.load(std::sync::atomic::Ordering::SeqCst); //~
        v.swap(n + 1, std::sync::atomic::Ordering::SeqCst); //~
        n
    }
}
