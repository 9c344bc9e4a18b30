// flexi_logger 0.14.0 (fixed in 0.14.1, "incorrect line-break handling with stderr"): a line and its line break are written to stderr by two calls, each
// of which locks stderr for itself: lines of two threads get into each other.
use std::cell::RefCell;
use std::io::Write;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(Vec::new());
}

pub struct StdErrWriter;

impl StdErrWriter {
    pub fn write(&self, level: &str, message: &str) {
        BUFFER.with(|buffer| {
            let mut buffer = buffer.borrow_mut();
            buffer.clear();
            let _ = write!(buffer, "{level} {message}");
            let _ = std::io::stderr().write_all(&buffer);
            let _ = std::io::stderr().write_all(b"\n");
        });
    }
}
