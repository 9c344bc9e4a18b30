// Repaired as in microsoft/litebox PR #1179: the limits are an array behind an `RwLock`; both halves are read,
// judged and written in one section.

use std::sync::Arc;

use parking_lot::RwLock;
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

impl Rlimit {
    const fn new(cur: usize, max: usize) -> Self {
        Self { cur, max }
    }
}

pub struct ResourceLimits {
    limits: RwLock<[Rlimit; RLIM_NLIMITS]>,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self {
            limits: RwLock::new([
                Rlimit::new(8 << 20, RLIM_INFINITY),
                Rlimit::new(1024, 4096),
                Rlimit::new(64 << 10, 64 << 10),
            ]),
        }
    }
}

impl ResourceLimits {
    pub fn get_rlimit(&self, resource: RlimitResource) -> Rlimit {
        self.limits.read()[resource as usize]
    }

    pub fn set_rlimit(&self, resource: RlimitResource, new: Rlimit) -> Result<Rlimit, Errno> {
        if new.cur > new.max {
            return Err(Errno::Einval);
        }
        let mut limits = self.limits.write();
        let old = limits[resource as usize];
        if new.max > old.max {
            return Err(Errno::Eperm);
        }
        limits[resource as usize] = new;
        Ok(old)
    }

    pub fn get_cur(&self, resource: RlimitResource) -> usize {
        self.limits.read()[resource as usize].cur
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
