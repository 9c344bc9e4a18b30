//! Decides robustness of event-driven programs: MIR in, findings out.
pub mod mir;
