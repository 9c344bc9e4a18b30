// DioxusLabs/dioxus (issue #2636), repaired: the generation lies behind the same lock as the data and is compared under the lock.
use std::any::Any;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard};

type Value = Box<dyn Any + Send + Sync>;

#[derive(Debug, PartialEq, Eq)]
pub enum BorrowError {
    Dropped,
    WrongType,
}

#[derive(Default)]
struct StorageEntry {
    generation: u64,
    data: Option<Value>,
}

#[derive(Default)]
struct MemoryLocation {
    entry: RwLock<StorageEntry>,
}

impl MemoryLocation {
    fn fill(&self, value: Value) -> u64 {
        let mut entry = self.entry.write().unwrap();
        entry.data = Some(value);
        entry.generation
    }

    fn recycle(&self) -> Option<Value> {
        let mut entry = self.entry.write().unwrap();
        entry.generation += 1;
        entry.data.take()
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
    guard: RwLockReadGuard<'a, StorageEntry>,
    _marker: PhantomData<T>,
}

impl<T: 'static> Deref for GenerationalRef<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.guard.data.as_ref().and_then(|v| v.downcast_ref()).expect("checked when borrowed")
    }
}

impl<T: Send + Sync + 'static> GenerationalBox<T> {
    pub fn try_read(&self) -> Result<GenerationalRef<'_, T>, BorrowError> {
        let guard = self.location.entry.read().unwrap();
        if guard.generation != self.generation {
            return Err(BorrowError::Dropped);
        }
        match guard.data.as_ref() {
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
