//! What a run may take from its first byte to its last report.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The part of a run's time that is kept for its report, and the most of it.
const REPORT: u32 = 32;
const MOST_FOR_REPORT: Duration = Duration::from_secs(2);

/// When a run has to be over: what is not done by then is left out, and said to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadline(End);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    #[default]
    Never,
    At(Instant),
    /// In the stage with this number, when the clock was looked at so often.
    Looks(u32, u32),
}

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When it has to be over.
    pub deadline: Deadline,
    bytes: u64,
}

/// A clock that is looked at every so often, and once it is late stays late.
#[derive(Debug)]
pub struct Clock {
    deadline: Deadline,
    late: Cell<bool>,
    looks: Cell<u32>,
}

/// What a stage may still take.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    deadline: Deadline,
    bytes: u64,
}

impl Clock {
    /// A look at the time costs more than much of what is done between two of them.
    const PATIENCE: u32 = 64;

    /// Runs until then.
    pub fn new(deadline: Deadline) -> Clock {
        Clock { deadline, late: Cell::new(false), looks: Cell::new(0) }
    }

    /// Whether the time is up.
    pub fn is_late(&self) -> bool {
        let looks = self.looks.get().wrapping_add(1);
        self.looks.set(looks);
        let late = match self.deadline.0 {
            End::Looks(_, most) => looks > most,
            _ => looks.is_multiple_of(Self::PATIENCE) && self.deadline.is_over(),
        };
        self.late.set(self.late.get() || late);
        self.late.get()
    }

    /// The same, behind something that takes long.
    pub fn is_late_by_now(&self) -> bool {
        if self.deadline.is_over() {
            self.late.set(true);
        }
        self.is_late()
    }

    /// Whether somebody was told that the time is up.
    pub fn was_late(&self) -> bool {
        self.late.get()
    }
}

impl Allowance {
    /// No end.
    pub fn unlimited() -> Allowance {
        Allowance { deadline: Deadline::never(), bytes: u64::MAX }
    }

    /// Takes so many more bytes; whether there were as many, and there is time.
    #[must_use]
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes as u64);
        self.bytes = left.unwrap_or_default();
        left.is_some() && !self.deadline.is_over()
    }
}

impl Limits {
    /// As many megabytes of memory as that, and no end.
    pub fn of_memory(megabytes: u32) -> Limits {
        Limits::of_bytes(u64::from(megabytes) << 20)
    }

    /// As many bytes of memory as that, and no end.
    pub fn of_bytes(bytes: u64) -> Limits {
        Limits { deadline: Deadline::never(), bytes }
    }

    /// The same memory, but only until then.
    pub fn until(self, deadline: Deadline) -> Limits {
        Limits { deadline, ..self }
    }

    /// A stage that may take one of so many parts of the memory, and all of the time.
    pub fn allow(&self, parts: u64) -> Allowance {
        Allowance { deadline: self.deadline, bytes: self.bytes / parts.max(1) }
    }

    /// The memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The memory in megabytes.
    pub fn megabytes(&self) -> u64 {
        self.bytes >> 20
    }
}

impl Deadline {
    /// So long from now; never, where that is beyond what clocks know.
    pub fn after(time: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(time).map_or(End::Never, End::At))
    }

    /// A deadline that is the same on every machine, for tests: one stage has too little time, and is told so when it has looked at
    /// the clock so often.
    pub fn of_stage(number: u32, looks: u32) -> Deadline {
        Deadline(End::Looks(number, looks))
    }

    /// What it is for a stage.
    pub fn in_stage(self, number: u32) -> Deadline {
        match self.0 {
            End::Looks(stage, _) if stage != number => Deadline::never(),
            _ => self,
        }
    }

    /// That of a run which may take so long from now on, its report included.
    pub fn of_run(time: Duration) -> Deadline {
        Deadline::after(time - (time / REPORT).min(MOST_FOR_REPORT))
    }

    /// There is none.
    pub fn never() -> Deadline {
        Deadline(End::Never)
    }

    /// After this part of the time that is left, between 0 and 1.
    pub fn part(self, part: f64) -> Deadline {
        match self.0 {
            End::At(_) => Deadline(End::At(Instant::now() + self.left().mul_f64(part.clamp(0.0, 1.0)))),
            end => Deadline(end),
        }
    }

    /// The time of it, if there is one.
    pub fn instant(self) -> Option<Instant> {
        match self.0 {
            End::At(until) => Some(until),
            End::Never | End::Looks(..) => None,
        }
    }

    /// How much time is left.
    pub fn left(self) -> Duration {
        self.instant().map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()))
    }

    /// How much of it one of so many may take: four times what it would have if all took as much, for most take less; but no more
    /// than a quarter, so that there is always something left for the others, and a second in any case.
    pub fn share(self, of: u64) -> Duration {
        let left = self.left();
        let parts = u32::try_from(of / 4).unwrap_or(u32::MAX).max(4);
        (left / parts).max(Duration::from_secs(1)).min(left)
    }

    /// How much of it one of many may take at first, before it is known which of them take long.
    pub fn taste(self) -> Duration {
        let left = self.left();
        (left / 100).max(Duration::from_millis(300)).min(left)
    }

    /// Whether there is none left.
    pub fn is_over(self) -> bool {
        self.instant().is_some_and(|until| until <= Instant::now())
    }
}
