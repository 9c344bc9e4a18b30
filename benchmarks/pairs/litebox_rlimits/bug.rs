// Modelled on microsoft/litebox PR #1179 ("Fix resource limit reads and updates", issue #1159).
// The soft and the hard limit are an atomic each: `prlimit` reads and stores the one after the other, so two
// threads of the process leave or see a soft limit above the hard one, or raise a hard limit that was just lowered.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use thiserror::Error;

pub const RLIM_INFINITY: usize = usize::MAX;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum Errno {
    #[error("EINVAL")]
    Einval,
    #[error("EPERM")]
    Eperm,
    #[error("EMFILE")]
    Emfile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum RlimitResource {
    Stack = 0,
    NoFile = 1,
    MemLock = 2,
}

const RLIM_NLIMITS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rlimit {
    pub cur: usize,
    pub max: usize,
}

struct AtomicRlimit {
    cur: AtomicUsize,
    max: AtomicUsize,
}

impl AtomicRlimit {
    const fn new(cur: usize, max: usize) -> Self {
        Self { cur: AtomicUsize::new(cur), max: AtomicUsize::new(max) }
    }
}

pub struct ResourceLimits {
    limits: [AtomicRlimit; RLIM_NLIMITS],
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self {
            limits: [
                AtomicRlimit::new(8 << 20, RLIM_INFINITY),
                AtomicRlimit::new(1024, 4096),
                AtomicRlimit::new(64 << 10, 64 << 10),
            ],
        }
    }
}

impl ResourceLimits {
    pub fn get_rlimit(&self, resource: RlimitResource) -> Rlimit {
        let limit = &self.limits[resource as usize];
        Rlimit {
            cur: limit.cur.load(Ordering::SeqCst), //~
            max: limit.max.load(Ordering::SeqCst), //~
        }
    }

    pub fn set_rlimit(&self, resource: RlimitResource, new: Rlimit) -> Result<Rlimit, Errno> {
        if new.cur > new.max {
            return Err(Errno::Einval);
        }
        let old = self.get_rlimit(resource);
        if new.max > old.max {
            return Err(Errno::Eperm);
        }
        let limit = &self.limits[resource as usize];
        limit.cur.store(new.cur, Ordering::SeqCst); //~
        limit.max.store(new.max, Ordering::SeqCst); //~
        Ok(old)
    }

    pub fn get_cur(&self, resource: RlimitResource) -> usize {
        self.limits[resource as usize].cur.load(Ordering::SeqCst)
    }
}

/// What the threads of a process share.
#[derive(Clone, Default)]
pub struct Process {
    limits: Arc<ResourceLimits>,
}

impl Process {
    pub fn sys_prlimit(&self, resource: RlimitResource, new: Option<Rlimit>) -> Result<Rlimit, Errno> {
        match new {
            Some(new) => self.limits.set_rlimit(resource, new),
            None => Ok(self.limits.get_rlimit(resource)),
        }
    }

    pub fn check_fd(&self, fd: usize) -> Result<usize, Errno> {
        if fd >= self.limits.get_cur(RlimitResource::NoFile) {
            return Err(Errno::Emfile);
        }
        Ok(fd)
    }
}
