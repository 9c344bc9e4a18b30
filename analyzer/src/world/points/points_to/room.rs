//! What time and memory there is for pointers, and what there was too little for.

use super::{COARSEST, FEW, Flow, MAX_EFFORT, PART};
use crate::limits::{Clock, Limits};

impl Flow<'_> {
    /// How much of the room for instances and pointers is used up: 0 while there is enough, then less and less is told
    /// apart, so that what is left suffices for the rest.
    pub fn scarcity(&self) -> u32 {
        let by_count = match self.instances.len() {
            n if n < FEW => 0,
            n if n < self.budget => 1,
            n if n < 2 * self.budget => 2,
            n if n < 3 * self.budget => 3,
            _ => COARSEST,
        };
        let eighths = 8 * self.heap.size / self.room().max(1);
        let by_size = match eighths {
            0 => 0,
            1..3 => 1,
            3..4 => 2,
            4..5 => 3,
            _ => COARSEST,
        };
        by_count.max(by_size).max(self.least)
    }

    /// Whether there is room to tell instances apart by the object that they are about, and by the constants that they are given.
    pub fn tells_objects_apart(&self) -> bool {
        self.scarcity() <= 1
    }

    /// Whether enough of the room is used up to save what makes no difference to pointers, while there is still enough.
    pub fn is_getting_scarce(&self) -> bool {
        let by_count = self.instances.len() >= self.budget / 2;
        let by_size = 8 * self.heap.size >= self.room();
        self.tells_objects_apart() && (by_count || by_size)
    }

    /// Bytes for instances and pointers.
    pub(super) fn room(&self) -> u64 {
        self.limits.bytes() / PART
    }

    /// Whether there are too many pointers to follow them all, or no time.
    pub fn is_cut(&self) -> bool {
        self.heap.effort > MAX_EFFORT || self.heap.size > self.room() || self.late || self.unsettled
    }

    /// As [`Self::is_cut`], with a look at the clock.
    pub fn has_no_room(&mut self) -> bool {
        self.late |= self.clock.is_late();
        self.is_cut()
    }

    /// What was not followed, or not told apart.
    pub fn left_out(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.merged > 0 {
            let memory = self.limits.megabytes();
            let lacks = if self.least > 0 && self.short { "timeout: " } else { "" };
            all.push(format!(
                "{lacks}{} of its calls are not told apart by who makes them: there are too many (--memory {memory})",
                self.merged
            ));
        }
        if self.coarse.get() > 0 {
            all.push(format!(
                "the targets of {} of its pointers are not told apart: they are too many",
                self.coarse.get()
            ));
        }
        if self.late {
            all.push("timeout: not all of its pointers were followed".into());
        } else if self.cut {
            all.push("what its pointers may point to is too much: not all of them were followed".into());
        }
        all
    }

    /// Notes that the targets of a pointer are not told apart, for being too many.
    pub fn not_told_apart(&self) {
        self.coarse.set(self.coarse.get() + 1);
    }

    /// Ends the time for pointers.
    pub fn end_pointers(&mut self) {
        self.late |= self.clock.was_late();
        self.cut = self.is_cut();
        // Where there was nothing to tell apart, nothing is missing.
        self.short &= self.least == 0 || self.merged > 0;
    }

    /// Begins a stage, which may take this part of the time that is left. Whether the one before it had too little.
    pub fn next_stage(&mut self, part: f64) -> bool {
        let was_late = self.clock.was_late();
        self.short |= was_late;
        self.stage += 1;
        self.clock = Clock::new(self.limits.deadline.part(part).in_stage(self.stage));
        was_late
    }

    /// Whether there was too little time, or memory, to follow all pointers.
    pub fn lacks_pointers(&self) -> bool {
        self.cut
    }

    /// Whether little was told apart from the beginning.
    pub fn is_coarse(&self) -> bool {
        self.least > 0
    }

    /// What there was too little of, for whatever was left out.
    pub fn lacked(&self) -> String {
        match self.was_late() {
            true => "timeout".to_owned(),
            false => format!("--memory {}", self.limits.megabytes()),
        }
    }

    /// What the run may take.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether the time of this stage is up.
    pub fn is_late(&self) -> bool {
        self.clock.is_late()
    }

    /// The same, behind something that takes long.
    pub fn is_late_by_now(&self) -> bool {
        self.clock.is_late_by_now()
    }

    /// Whether any stage up to now was cut short.
    pub fn was_late(&self) -> bool {
        self.late || self.short || self.clock.was_late()
    }
}
