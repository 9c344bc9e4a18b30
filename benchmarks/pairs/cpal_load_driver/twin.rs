// Source: RustAudio/cpal commit dbe07df, repaired as there: the lock is held from the look to the noting, the loading included; the second
// thread finds the driver that the first one has loaded.
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

#[derive(Debug, PartialEq, Eq)]
pub enum LoadDriverError {
    LoadDriverFailed,
    DriverAlreadyExists,
}

#[derive(Debug, PartialEq, Eq)]
pub enum AsioError {
    BuffersAlreadyPrepared,
    NotPrepared,
    AlreadyRunning,
}

impl fmt::Display for LoadDriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadDriverError::LoadDriverFailed => f.write_str("ASIO `loadDriver` function returned `false`"),
            LoadDriverError::DriverAlreadyExists => f.write_str("a driver has already been loaded"),
        }
    }
}

/// The foreign functions.
pub trait Bindings: Send + Sync + 'static {
    /// Makes it the current driver; tells its buffer size.
    fn load_asio_driver(&self, name: &str) -> Option<i32>;
    fn create_buffers(&self, channels: usize, buffer_size: i32);
    fn start(&self);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DriverState {
    Initialized,
    Prepared,
    Running,
}

struct DriverInner<B> {
    name: String,
    buffer_size: i32,
    state: Mutex<DriverState>,
    bindings: Arc<B>,
}

/// A handle to the driver that is loaded.
pub struct Driver<B> {
    inner: Arc<DriverInner<B>>,
}

impl<B> Clone for Driver<B> {
    fn clone(&self) -> Self {
        Driver { inner: self.inner.clone() }
    }
}

/// A handle to the ASIO API.
pub struct Asio<B> {
    bindings: Arc<B>,
    // Keeps track of whether or not a driver is already loaded; ASIO allows only for a single one at a time.
    loaded_driver: Mutex<Weak<DriverInner<B>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: Bindings> Asio<B> {
    pub fn new(bindings: Arc<B>) -> Self {
        Asio { bindings, loaded_driver: Mutex::new(Weak::new()) }
    }

    /// If a driver has already been loaded, returns it.
    pub fn loaded_driver(&self) -> Option<Driver<B>> {
        lock(&self.loaded_driver).upgrade().map(|inner| Driver { inner })
    }

    /// Loads a driver. Drivers are loaded one at a time; if it is the one that is loaded, that one is returned.
    pub fn load_driver(&self, driver_name: &str) -> Result<Driver<B>, LoadDriverError> {
        let mut loaded = lock(&self.loaded_driver);

        // Check whether or not a driver is already loaded.
        if let Some(inner) = loaded.upgrade() {
            let driver = Driver { inner };
            if driver.name() == driver_name {
                return Ok(driver);
            } else {
                return Err(LoadDriverError::DriverAlreadyExists);
            }
        }

        let Some(buffer_size) = self.bindings.load_asio_driver(driver_name) else {
            return Err(LoadDriverError::LoadDriverFailed);
        };
        let inner = Arc::new(DriverInner {
            name: driver_name.to_owned(),
            buffer_size,
            state: Mutex::new(DriverState::Initialized),
            bindings: self.bindings.clone(),
        });
        *loaded = Arc::downgrade(&inner);
        Ok(Driver { inner })
    }
}

impl<B: Bindings> Driver<B> {
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    pub fn prepare_output_stream(&self, num_channels: usize) -> Result<(), AsioError> {
        let mut state = lock(&self.inner.state);
        if *state != DriverState::Initialized {
            return Err(AsioError::BuffersAlreadyPrepared);
        }
        self.inner.bindings.create_buffers(num_channels, self.inner.buffer_size);
        *state = DriverState::Prepared;
        Ok(())
    }

    pub fn start(&self) -> Result<(), AsioError> {
        let mut state = lock(&self.inner.state);
        match *state {
            DriverState::Initialized => Err(AsioError::NotPrepared),
            DriverState::Running => Err(AsioError::AlreadyRunning),
            DriverState::Prepared => {
                self.inner.bindings.start();
                *state = DriverState::Running;
                Ok(())
            }
        }
    }
}
