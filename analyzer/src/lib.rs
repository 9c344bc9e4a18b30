//! Decides robustness of event-driven programs: MIR in, findings out.
//!
//! A pure library: no cargo, no rustc, no terminal, no file system. The stages, in order: [`mir`] → `lower` → [`ir`] →
//! `translate` → `reach` → `witness` → [`finding`].

pub mod case;
pub mod check;
pub mod compare;
pub mod confinement;
pub mod cor;
pub mod db;
pub mod expect;
mod feeders;
pub mod filter;
pub mod finding;
pub mod focus;
pub mod ir;
pub mod lifecycle;
pub mod limits;
pub mod lower;
pub mod mir;
pub mod nearest;
pub mod plan;
pub mod pool;
pub mod question;
pub mod reach;
pub mod semantics;
pub mod translate;
mod turns;
pub mod witness;
mod world;
