//! A lock with a condition, and with calls while it is held.

use qubit_lock::Monitor;

#[derive(Default)]
pub struct Gate {
    open: bool,
    inside: u32,
}

pub struct Leaky {
    gate: Monitor<Gate>,
}

impl Leaky {
    pub fn new() -> Self {
        Self { gate: Monitor::new(Gate::default()) }
    }

    /// The gate may be shut when it goes in.
    pub fn go_in(&self) -> bool {
        let is_open = self.gate.read(|gate| gate.open); //~
        if is_open {
            self.gate.write(|gate| gate.inside += 1); //~
        }
        is_open
    }

    /// Tells whom it has shut in.
    pub fn shut(&self) -> u32 {
        self.gate.write(|gate| {
            gate.open = false; //~
            gate.inside //~
        })
    }

    pub fn open(&self) {
        self.gate.write(|gate| gate.open = true);
    }
}

pub struct Tight {
    gate: Monitor<Gate>,
}

impl Tight {
    pub fn new() -> Self {
        Self { gate: Monitor::new(Gate::default()) }
    }

    pub fn go_in(&self) -> bool {
        self.gate.write(|gate| {
            if gate.open {
                gate.inside += 1;
            }
            gate.open
        })
    }

    /// Waits until it is open.
    pub fn wait_in(&self) {
        let mut gate = self.gate.lock();
        while !gate.open {
            gate = gate.wait();
        }
        gate.inside += 1;
    }

    pub fn shut(&self) -> u32 {
        let mut gate = self.gate.lock();
        gate.open = false;
        gate.inside
    }

    pub fn open(&self) {
        self.gate.write(|gate| gate.open = true);
    }
}
