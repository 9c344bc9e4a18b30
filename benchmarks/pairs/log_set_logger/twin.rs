// Source: rust-lang/log PR #287, commit 637ae01, repaired as there: who comes while another thread is installing its logger waits until that
// is done, and is told then.
use std::error;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

#[repr(usize)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Error = 1,
    Warn,
    Info,
    Debug,
    Trace,
}

pub struct Record<'a> {
    pub level: Level,
    pub target: &'a str,
    pub args: fmt::Arguments<'a>,
}

pub trait Log: Sync + Send {
    fn enabled(&self, level: Level, target: &str) -> bool;
    fn log(&self, record: &Record<'_>);
    fn flush(&self);
}

struct NopLogger;

impl Log for NopLogger {
    fn enabled(&self, _: Level, _: &str) -> bool {
        false
    }

    fn log(&self, _: &Record<'_>) {}

    fn flush(&self) {}
}

// The LOGGER static holds a pointer to the global logger. It is protected by the STATE static which determines whether LOGGER has been
// initialized yet.
static mut LOGGER: &dyn Log = &NopLogger;

static STATE: AtomicUsize = AtomicUsize::new(UNINITIALIZED);

const UNINITIALIZED: usize = 0;
const INITIALIZING: usize = 1;
const INITIALIZED: usize = 2;

static MAX_LOG_LEVEL: AtomicUsize = AtomicUsize::new(Level::Info as usize);

#[derive(Debug, PartialEq, Eq)]
pub struct SetLoggerError(());

impl fmt::Display for SetLoggerError {
    fn fmt(&self, fmt: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt.write_str("attempted to set a logger after the logging system was already initialized")
    }
}

impl error::Error for SetLoggerError {}

/// Sets the global logger; an error means that there is one already.
pub fn set_boxed_logger(logger: Box<dyn Log>) -> Result<(), SetLoggerError> {
    set_logger_inner(|| Box::leak(logger))
}

pub fn set_logger(logger: &'static dyn Log) -> Result<(), SetLoggerError> {
    set_logger_inner(|| logger)
}

fn set_logger_inner<F>(make_logger: F) -> Result<(), SetLoggerError>
where
    F: FnOnce() -> &'static dyn Log,
{
    match STATE.compare_exchange(UNINITIALIZED, INITIALIZING, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => {
            unsafe { LOGGER = make_logger() };
            STATE.store(INITIALIZED, Ordering::SeqCst);
            Ok(())
        }
        Err(INITIALIZING) => {
            while STATE.load(Ordering::SeqCst) == INITIALIZING {
                std::hint::spin_loop();
            }
            Err(SetLoggerError(()))
        }
        Err(_) => Err(SetLoggerError(())),
    }
}

/// Returns a reference to the logger, or to one that does nothing if none has been set.
pub fn logger() -> &'static dyn Log {
    if STATE.load(Ordering::SeqCst) != INITIALIZED {
        static NOP: NopLogger = NopLogger;
        &NOP
    } else {
        unsafe { LOGGER }
    }
}

pub fn set_max_level(level: Level) {
    MAX_LOG_LEVEL.store(level as usize, Ordering::Relaxed);
}

pub fn log(level: Level, target: &str, args: fmt::Arguments<'_>) {
    if level as usize > MAX_LOG_LEVEL.load(Ordering::Relaxed) {
        return;
    }
    let logger = logger();
    if logger.enabled(level, target) {
        logger.log(&Record { level, target, args });
    }
}

pub fn flush() {
    logger().flush();
}

/// For plug-ins and tests, each of which makes sure that there is a logger before it says something.
pub fn init_and_announce(logger: Box<dyn Log>, name: &str) -> bool {
    let is_ours = set_boxed_logger(logger).is_ok();
    log(Level::Info, name, format_args!("{name} is here (logger: {})", if is_ours { "own" } else { "shared" }));
    is_ours
}
