//! What unsafe code has to itself by agreement: a static of one thread, reached through a type that does not leave that.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

static mut WAITING: Vec<u32> = Vec::new();

static SHARED: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Made on one thread, once, and nowhere else.
pub struct Own {
    here: PhantomData<*const ()>,
}

impl Own {
    fn waiting(&self) -> &mut Vec<u32> {
        let _ = self.here;
        // Nobody else is on this thread.
        unsafe { &mut *std::ptr::addr_of_mut!(WAITING) }
    }

    pub fn put(&self, job: u32) {
        if self.waiting().len() < 10 {
            self.waiting().push(job);
        }
    }

    pub fn run(&self) -> u32 {
        let all = std::mem::take(self.waiting());
        all.into_iter().sum()
    }
}

/// In a lock that is given back.
pub fn put(job: u32) {
    if SHARED.lock().unwrap().len() < 10 { //~
        SHARED.lock().unwrap().push(job); //~
    }
}

/// A plain map of anything: whoever has it to change has it alone, whatever is known of what is in it.
pub struct Extensions {
    parts: HashMap<TypeId, Box<dyn Any + Send>>,
}

struct RequestId(String);

impl Extensions {
    pub fn of_request(head: String, port: u32) -> Self {
        let mut parts = Extensions { parts: HashMap::new() };
        parts.put(port);
        parts.put(head);
        parts.name();
        parts
    }

    pub fn put<T: Any + Send>(&mut self, part: T) {
        self.parts.insert(TypeId::of::<T>(), Box::new(part));
    }

    pub fn part<T: Any + Send>(&self) -> Option<&T> {
        self.parts.get(&TypeId::of::<T>()).and_then(|part| part.downcast_ref::<T>())
    }

    pub fn part_mut<T: Any + Send>(&mut self) -> Option<&mut T> {
        self.parts.get_mut(&TypeId::of::<T>()).and_then(|part| part.downcast_mut::<T>())
    }

    fn name(&mut self) -> &str {
        if self.part::<RequestId>().is_none() {
            let id = match self.part::<String>() {
                Some(head) => RequestId(head.to_string()),
                None => RequestId("none".to_string()),
            };
            self.put(id);
        }
        &self.part::<RequestId>().expect("put there").0
    }
}

/// The same in a lock, looked at and changed under two guards.
#[derive(Clone, Default)]
pub struct SharedExtensions {
    parts: Arc<Mutex<HashMap<TypeId, Box<dyn Any + Send>>>>,
}

impl SharedExtensions {
    fn number(&self) -> u64 {
        let parts = self.parts.lock().unwrap();
        let number = parts.get(&TypeId::of::<u64>()); //~
        number.and_then(|part| part.downcast_ref::<u64>()).copied().unwrap_or(0) //~
    }

    pub fn put<T: Any + Send>(&self, part: T) {
        self.parts.lock().unwrap().insert(TypeId::of::<T>(), Box::new(part)); //~
    }

    pub fn count(&self) {
        self.put(self.number() + 1);
    }
}
