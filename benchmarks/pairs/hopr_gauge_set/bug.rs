// hoprnet/hoprnet PR #7931 (hopr-metrics, review): `set` of a gauge over an up-down counter loads the shadow value, adds the
// difference and stores the new value; two sets at once both add a difference to the same old value and the gauge is off for good.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct AtomicF64(AtomicU64);

impl AtomicF64 {
    pub fn load(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Acquire))
    }

    pub fn store(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Release)
    }

    pub fn swap(&self, value: f64) -> f64 {
        f64::from_bits(self.0.swap(value.to_bits(), Ordering::AcqRel))
    }

    pub fn fetch_add(&self, by: f64) {
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |bits| Some((f64::from_bits(bits) + by).to_bits()));
    }
}

/// The instrument of the backend: it only knows differences.
#[derive(Clone, Default)]
pub struct UpDownCounter {
    value: Arc<AtomicF64>,
}

impl UpDownCounter {
    pub fn add(&self, by: f64) {
        self.value.fetch_add(by);
    }

    pub fn collect(&self) -> f64 {
        self.value.load()
    }
}

#[derive(Default)]
pub struct Meter {
    counters: Mutex<HashMap<String, UpDownCounter>>,
}

impl Meter {
    pub fn f64_up_down_counter(&self, name: &str) -> UpDownCounter {
        self.counters.lock().unwrap().entry(name.to_string()).or_default().clone()
    }

    pub fn gather(&self) -> String {
        let counters = self.counters.lock().unwrap();
        counters.iter().map(|(name, c)| format!("{name} {}\n", c.collect())).collect()
    }
}

/// Represents a simple gauge with floating point values.
pub struct SimpleGauge {
    name: String,
    gauge: UpDownCounter,
    shadow: AtomicF64,
}

impl SimpleGauge {
    pub fn new(meter: &Meter, name: &str) -> Self {
        Self { name: name.to_string(), gauge: meter.f64_up_down_counter(name), shadow: AtomicF64::default() }
    }

    pub fn increment(&self, by: f64) {
        self.gauge.add(by);
        self.shadow.fetch_add(by);
    }

    pub fn decrement(&self, by: f64) {
        self.gauge.add(-by);
        self.shadow.fetch_add(-by);
    }

    /// Sets the gauge to the given value.
    pub fn set(&self, value: f64) {
        let current = self.shadow.load(); //~
        self.gauge.add(value - current); //~
        self.shadow.store(value); //~
    }

    pub fn get(&self) -> f64 {
        self.shadow.load()
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}
