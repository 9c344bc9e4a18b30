// qdrant/qdrant (PR #8847), repaired: the notification is sent with notification_lock held, which the waiter holds until it is parked.
use parking_lot::{Condvar, Mutex, RwLock, RwLockReadGuard, RwLockUpgradableReadGuard};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub enum Error {
    Io(io::Error),
    Corrupt(PathBuf),
}

impl From<io::Error> for Error {
    fn from(e: io::Error) -> Self {
        Error::Io(e)
    }
}

pub trait Persist: Sized + Clone + Default {
    fn to_bytes(&self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

/// A value that is kept in a file; the file is written before a change becomes visible.
pub struct SaveOnDisk<T> {
    change_notification: Condvar,
    notification_lock: Mutex<()>,
    data: RwLock<T>,
    path: PathBuf,
}

impl<T: Persist> SaveOnDisk<T> {
    pub fn load_or_init(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let data = if path.exists() {
            T::from_bytes(&std::fs::read(&path)?).ok_or_else(|| Error::Corrupt(path.clone()))?
        } else {
            let data = T::default();
            Self::save_data_to(&path, &data)?;
            data
        };
        Ok(Self { change_notification: Condvar::new(), notification_lock: Mutex::new(()), data: RwLock::new(data), path })
    }

    fn save_data_to(path: &Path, data: &T) -> Result<(), Error> {
        let temporary = path.with_extension("tmp");
        std::fs::write(&temporary, data.to_bytes())?;
        std::fs::rename(&temporary, path)?;
        Ok(())
    }

    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.data.read()
    }

    fn notify_change(&self) {
        let _parked = self.notification_lock.lock();
        self.change_notification.notify_all();
    }

    /// Waits until `check` holds for the data, at most for `timeout`.
    pub fn wait_for<F>(&self, check: F, timeout: Duration) -> bool
    where
        F: Fn(&T) -> bool,
    {
        let start = Instant::now();
        while start.elapsed() < timeout {
            let mut data_guard = self.data.read();
            if check(&data_guard) {
                return true;
            }
            let notification_guard = self.notification_lock.lock();
            RwLockReadGuard::unlocked(&mut data_guard, || {
                // Moved in, so that it is unlocked before the data is locked again.
                let mut guard = notification_guard;
                let left = timeout.saturating_sub(start.elapsed());
                self.change_notification.wait_for(&mut guard, left);
            });
        }
        false
    }

    pub fn write<O>(&self, f: impl FnOnce(&mut T) -> O) -> Result<O, Error> {
        self.write_optional(|data| {
            let mut copy = data.clone();
            let output = f(&mut copy);
            (Some(copy), output)
        })
    }

    /// Like `write`, for changes that may turn out not to be any.
    pub fn write_optional<O>(&self, f: impl FnOnce(&T) -> (Option<T>, O)) -> Result<O, Error> {
        let read_data = self.data.upgradable_read();
        let (changed, output) = f(&read_data);
        if let Some(changed) = changed {
            Self::save_data_to(&self.path, &changed)?;
            let mut write_data = RwLockUpgradableReadGuard::upgrade(read_data);
            *write_data = changed;
            drop(write_data);
            self.notify_change();
        }
        Ok(output)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicaState {
    Initializing,
    Active,
    Dead,
}

impl ReplicaState {
    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            b'i' => ReplicaState::Initializing,
            b'a' => ReplicaState::Active,
            b'd' => ReplicaState::Dead,
            _ => return None,
        })
    }

    fn as_byte(self) -> u8 {
        match self {
            ReplicaState::Initializing => b'i',
            ReplicaState::Active => b'a',
            ReplicaState::Dead => b'd',
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Replicas(BTreeMap<u8, ReplicaState>);

impl Persist for Replicas {
    fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|(peer, state)| [*peer, state.as_byte()]).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.chunks(2).map(|pair| Some((*pair.first()?, ReplicaState::from_byte(*pair.get(1)?)?))).collect::<Option<_>>().map(Self)
    }
}

pub fn set_replica_state(replicas: &SaveOnDisk<Replicas>, peer: u8, state: ReplicaState) -> Result<(), Error> {
    replicas.write(|all| all.0.insert(peer, state)).map(drop)
}

pub fn wait_for_activation(replicas: &SaveOnDisk<Replicas>, timeout: Duration) -> bool {
    replicas.wait_for(|all| all.0.values().all(|state| *state == ReplicaState::Active), timeout)
}
