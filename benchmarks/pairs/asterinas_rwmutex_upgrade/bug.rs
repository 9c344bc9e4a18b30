// asterinas/asterinas issue 440: `upgrade` of a read guard lets go and takes the write lock: two `create` of one name both pass the check, the second replaces the first's inode.
//! A read-write mutex whose read guards can be upgraded, and the in-memory file system's
//! directories, which look a name up before they make an entry of it.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

pub struct RwMutex<T> {
    val: RwLock<T>,
}

pub struct RwMutexReadGuard<'a, T> {
    inner: &'a RwMutex<T>,
    guard: RwLockReadGuard<'a, T>,
}

pub struct RwMutexWriteGuard<'a, T> {
    guard: RwLockWriteGuard<'a, T>,
}

impl<T> RwMutex<T> {
    pub fn new(val: T) -> Self {
        Self { val: RwLock::new(val) }
    }

    pub fn read(&self) -> RwMutexReadGuard<'_, T> {
        RwMutexReadGuard { inner: self, guard: self.val.read() }
    }

    pub fn write(&self) -> RwMutexWriteGuard<'_, T> {
        RwMutexWriteGuard { guard: self.val.write() }
    }
}

impl<'a, T> RwMutexReadGuard<'a, T> {
    /// Upgrades a read guard to a write guard. It may sleep while the mutex is acquired.
    pub fn upgrade(self) -> RwMutexWriteGuard<'a, T> {
        let inner = self.inner;
        drop(self); //~
        inner.write() //~
    }
}

impl<T> Deref for RwMutexReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> Deref for RwMutexWriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for RwMutexWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errno {
    EEXIST,
    ENOENT,
    EISDIR,
}

#[derive(Default)]
struct InodeInner {
    nlinks: usize,
    data: Vec<u8>,
}

pub struct RamInode {
    ino: u64,
    inner: RwMutex<InodeInner>,
}

impl RamInode {
    pub fn write_at(&self, offset: usize, buf: &[u8]) {
        let mut inner = self.inner.write();
        let end = offset + buf.len();
        if inner.data.len() < end {
            inner.data.resize(end, 0);
        }
        inner.data[offset..end].copy_from_slice(buf);
    }

    pub fn ino(&self) -> u64 {
        self.ino
    }
}

pub struct RamDir {
    next_ino: AtomicU64,
    children: RwMutex<BTreeMap<String, Arc<RamInode>>>,
}

impl RamDir {
    pub fn new() -> Self {
        Self { next_ino: AtomicU64::new(2), children: RwMutex::new(BTreeMap::new()) }
    }

    fn new_inode(&self) -> Arc<RamInode> {
        Arc::new(RamInode {
            ino: self.next_ino.fetch_add(1, Ordering::Relaxed),
            inner: RwMutex::new(InodeInner { nlinks: 1, data: Vec::new() }),
        })
    }

    pub fn lookup(&self, name: &str) -> Result<Arc<RamInode>, Errno> {
        self.children.read().get(name).cloned().ok_or(Errno::ENOENT)
    }

    /// `open(name, O_CREAT | O_EXCL)`
    pub fn create(&self, name: &str) -> Result<Arc<RamInode>, Errno> {
        if name == "." || name == ".." {
            return Err(Errno::EISDIR);
        }
        let children = self.children.read(); //~
        if children.contains_key(name) { //~
            return Err(Errno::EEXIST);
        }
        let inode = self.new_inode();
        let mut children = children.upgrade(); //~
        children.insert(name.to_string(), inode.clone()); //~
        Ok(inode)
    }

    pub fn unlink(&self, name: &str) -> Result<(), Errno> {
        let inode = self.children.write().remove(name).ok_or(Errno::ENOENT)?;
        inode.inner.write().nlinks -= 1;
        Ok(())
    }
}
