// flexi_logger 0.14.1: the line break is in what is written.
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
            let _ = writeln!(buffer, "{level} {message}");
            let _ = std::io::stderr().write_all(&buffer);
        });
    }
}
