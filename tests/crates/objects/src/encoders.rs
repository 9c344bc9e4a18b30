//! What is lent to one after the other: who has an exclusive reference to something, whatever it is, has it to themselves. Who takes it
//! from under a lock has it for as long as the lock is held.

use std::io::{Error, Write};
use std::sync::{Mutex, RwLock};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Writes numbers to what its caller lends.
pub struct Numbers<'w> {
    to: &'w mut dyn Write,
    sign: &'w str,
}

/// One number of them.
pub struct Number<'w> {
    to: &'w mut dyn Write,
}

impl Numbers<'_> {
    /// Begins a number.
    pub fn next(&mut self, unit: &'static str) -> Result<Number<'_>, Error> {
        self.to.write_all(self.sign.as_bytes())?;
        self.to.write_all(b"_")?;
        self.to.write_all(unit.as_bytes())?;
        Ok(Number { to: self.to })
    }
}

impl Number<'_> {
    /// Writes a digit, and what is around it.
    pub fn digit(&mut self, digit: u64) -> Result<(), Error> {
        self.to.write_all(b"{")?;
        digit.write(self.to)?;
        self.to.write_all(b"}")
    }
}

/// What can be written.
pub trait Written {
    /// Writes it.
    fn write(&self, to: &mut dyn Write) -> Result<(), Error>;
}

impl Written for u64 {
    fn write(&self, to: &mut dyn Write) -> Result<(), Error> {
        to.write_all(b"0x")?;
        to.write_all(b"1")
    }
}

/// What is measured.
pub trait Measure {
    /// Writes it as a number.
    fn encode(&self, numbers: Numbers<'_>) -> Result<(), Error>;
}

/// A measure.
#[derive(Default)]
pub struct Steps(AtomicU64);

impl Measure for Steps {
    fn encode(&self, mut numbers: Numbers<'_>) -> Result<(), Error> {
        numbers.next("steps")?.digit(self.0.load(Relaxed))
    }
}

/// Writes all of them.
pub fn write_all<W: Write>(to: &mut W, all: &[Box<dyn Measure>]) -> Result<(), Error> {
    for one in all {
        to.write_all(b"# ")?;
        one.encode(Numbers { to, sign: "-" })?;
    }
    to.write_all(b"\n")
}

/// Something that others implement; a function elsewhere has the name of its method.
pub trait Rack {
    /// How many are on it.
    fn count(&self) -> usize;
    /// Puts one more on it.
    fn add(&mut self, name: String);
}

/// Fills what its caller lends.
pub fn fill(rack: &mut dyn Rack, most: usize) {
    if rack.count() < most {
        rack.add(String::from("one more"));
    }
}

/// Many fill one.
pub struct Pantry {
    rack: Mutex<Box<dyn Rack + Send>>,
}

impl Pantry {
    /// One with that rack.
    pub fn new(rack: Box<dyn Rack + Send>) -> Pantry {
        Pantry { rack: Mutex::new(rack) }
    }

    /// Others fill it in between.
    pub fn torn(&self, most: usize, name: String) {
        let count = self.rack.lock().unwrap().count(); //~
        if count < most {
            self.rack.lock().unwrap().add(name); //~
        }
    }
}

/// As a pantry, and the rack is lent under its lock.
pub struct Larder {
    rack: Mutex<Box<dyn Rack + Send>>,
}

impl Larder {
    /// One with that rack.
    pub fn new(rack: Box<dyn Rack + Send>) -> Larder {
        Larder { rack: Mutex::new(rack) }
    }

    /// Nobody comes in between.
    pub fn whole(&self, most: usize) {
        fill(self.rack.lock().unwrap().as_mut(), most);
    }
}

/// What a page is written with: the page, what was counted on it, and a name that was found elsewhere.
pub struct Pen<'p, 'n> {
    page: &'p mut dyn Write,
    lines: &'p mut Vec<u64>,
    name: Option<&'n dyn Written>,
}

impl Pen<'_, '_> {
    /// The same page, under a name.
    pub fn named<'c, 'd>(&'c mut self, name: &'d dyn Written) -> Pen<'c, 'd> {
        Pen { page: self.page, lines: self.lines, name: Some(name) }
    }

    /// Writes a line.
    pub fn line(&mut self, number: u64) -> Result<(), Error> {
        self.lines.push(number);
        self.page.write_all(b"{")?;
        if let Some(name) = &self.name {
            name.write(self.page)?;
        }
        self.lines.push(number);
        self.page.write_all(b"}")
    }
}

/// Names are behind a lock; what is written with them is its caller's.
#[derive(Default)]
pub struct Register {
    names: RwLock<Vec<u64>>,
}

impl Register {
    /// Writes a line for each name, while the names are lent.
    pub fn write(&self, mut pen: Pen<'_, '_>) -> Result<(), Error> {
        for name in self.names.read().unwrap().iter() {
            pen.named(name).line(*name)?;
        }
        Ok(())
    }

    /// One more.
    pub fn enter(&self, name: u64) {
        self.names.write().unwrap().push(name);
    }
}

/// What a tally is kept with: what is to be counted, and where.
struct Tallying<'t> {
    marks: &'t [u64],
    tally: &'t mut Vec<u64>,
}

impl Tallying<'_> {
    fn is_short(&self, most: usize) -> bool {
        self.tally.len() + self.marks.len() < most //~
    }

    fn add(&mut self, mark: u64) {
        self.tally.push(mark); //~
    }
}

/// The marks are lent to be read, and the tally is behind a lock.
#[derive(Default)]
pub struct Tallies {
    tally: Mutex<Vec<u64>>,
}

impl Tallies {
    /// Others come in between.
    pub fn torn(&self, marks: &[u64], most: usize) {
        let is_short = Tallying { marks, tally: &mut self.tally.lock().unwrap() }.is_short(most);
        if is_short {
            Tallying { marks, tally: &mut self.tally.lock().unwrap() }.add(1);
        }
    }
}
