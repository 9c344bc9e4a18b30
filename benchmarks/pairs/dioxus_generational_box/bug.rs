// DioxusLabs/dioxus (issue #2636): a box compares its generation with that of its memory location and only then locks the data; the owner can recycle the location in between, and the reader gets the value of somebody else.
use std::any::Any;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard};

type Value = Box<dyn Any + Send + Sync>;

#[derive(Debug, PartialEq, Eq)]
pub enum BorrowError {
    Dropped,
    WrongType,
}

#[derive(Default)]
struct MemoryLocation {
    generation: AtomicU64,
    data: RwLock<Option<Value>>,
}

impl MemoryLocation {
    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire) //~
    }

    fn fill(&self, value: Value) -> u64 {
        *self.data.write().unwrap() = Some(value); //~
        self.generation()
    }

    fn recycle(&self) -> Option<Value> {
        self.generation.fetch_add(1, Ordering::AcqRel); //~
        self.data.write().unwrap().take()
    }
}

/// The locations that nobody owns at the moment.
#[derive(Clone, Default)]
pub struct Runtime {
    recycled: Arc<Mutex<Vec<Arc<MemoryLocation>>>>,
}

impl Runtime {
    pub fn owner(&self) -> Owner {
        Owner { runtime: self.clone(), owned: Mutex::new(Vec::new()) }
    }

    fn claim(&self) -> Arc<MemoryLocation> {
        self.recycled.lock().unwrap().pop().unwrap_or_default()
    }
}

/// Values inserted through an owner live as long as it.
pub struct Owner {
    runtime: Runtime,
    owned: Mutex<Vec<Arc<MemoryLocation>>>,
}

impl Owner {
    pub fn insert<T: Send + Sync + 'static>(&self, value: T) -> GenerationalBox<T> {
        let location = self.runtime.claim();
        let generation = location.fill(Box::new(value));
        self.owned.lock().unwrap().push(location.clone());
        GenerationalBox { location, generation, _marker: PhantomData }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        for location in self.owned.get_mut().unwrap().drain(..) {
            drop(location.recycle());
            self.runtime.recycled.lock().unwrap().push(location);
        }
    }
}

pub struct GenerationalBox<T> {
    location: Arc<MemoryLocation>,
    generation: u64,
    _marker: PhantomData<fn() -> T>,
}

impl<T> Clone for GenerationalBox<T> {
    fn clone(&self) -> Self {
        Self { location: self.location.clone(), generation: self.generation, _marker: PhantomData }
    }
}

pub struct GenerationalRef<'a, T> {
    guard: RwLockReadGuard<'a, Option<Value>>,
    _marker: PhantomData<T>,
}

impl<T: 'static> Deref for GenerationalRef<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.guard.as_ref().and_then(|v| v.downcast_ref()).expect("checked when borrowed")
    }
}

impl<T: Send + Sync + 'static> GenerationalBox<T> {
    fn validate(&self) -> bool {
        self.location.generation() == self.generation //~
    }

    pub fn try_read(&self) -> Result<GenerationalRef<'_, T>, BorrowError> {
        if !self.validate() { //~
            return Err(BorrowError::Dropped);
        }
        let guard = self.location.data.read().unwrap(); //~
        match guard.as_ref() {
            None => Err(BorrowError::Dropped),
            Some(value) if !value.is::<T>() => Err(BorrowError::WrongType),
            Some(_) => Ok(GenerationalRef { guard, _marker: PhantomData }),
        }
    }

    pub fn with<R>(&self, f: impl FnOnce(&T) -> R) -> Result<R, BorrowError> {
        self.try_read().map(|value| f(&value))
    }

    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.location, &other.location) && self.generation == other.generation
    }
}
