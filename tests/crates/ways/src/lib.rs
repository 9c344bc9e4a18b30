//! Every way to what is in a lock: each `bump` looks and changes under two guards, and its twin (`..AtOnce`) under one.

pub mod admitted;
pub mod all_dropped;
pub mod all_kept;
pub mod asked_and_told;
pub mod async_given;
pub mod asynchronous;
pub mod awaited;
pub mod beside;
pub mod beside_a_count;
pub mod boxed;
pub mod boxed_future;
pub mod boxed_reader;
pub mod boxed_tasks;
pub mod callers_runtime;
pub mod cells_of_a_thread;
pub mod claimed_by_guard;
pub mod copied;
pub mod drained;
pub mod each_in_turn;
pub mod earlier_round;
pub mod elements;
pub mod emptied;
pub mod expected;
pub mod fields_apart;
pub mod filled_and_unwrapped;
pub mod flagged;
pub mod for_a_version;
pub mod for_writers;
pub mod gate_beside;
pub mod gauges;
pub mod given;
pub mod given_twice;
pub mod guarded_parts;
pub mod had_alone;
pub mod handed_on;
pub mod held_across;
pub mod in_flight;
pub mod in_one_list;
pub mod in_rounds;
pub mod inner;
pub mod insisted;
pub mod items;
pub mod kept;
pub mod known_at_drop;
pub mod last_owner;
pub mod left_to_look;
pub mod lock_forgotten;
pub mod looked_at_beside;
pub mod memo;
pub mod named;
pub mod newly_keyed;
pub mod of_a_connection;
pub mod of_a_key;
pub mod of_callers;
pub mod once_for_all;
pub mod one_helper;
pub mod one_thread;
pub mod optional_parts;
pub mod opened;
pub mod others;
pub mod outside_says;
pub mod own_fields;
pub mod own_steps;
pub mod parted;
pub mod piped;
pub mod polled;
pub mod polling;
pub mod pooled;
pub mod pure;
pub mod put_back;
pub mod puts_in;
pub mod questions;
pub mod receivers;
pub mod registered;
pub mod run_beside;
pub mod run_once;
pub mod scattered;
pub mod selected;
pub mod shard_by_shard;
pub mod sending_end;
pub mod standard;
pub mod still_answered;
pub mod supplied;
pub mod sure_of;
pub mod taken_over;
pub mod text;
pub mod through_a_helper;
pub mod told_after;
pub mod two_matches;
pub mod unfenced;
pub mod unwinding;
pub mod vacant_claimed;
pub mod variants;
pub mod waited_first;
pub mod weakly;
pub mod which_way;
pub mod whose_lock;
pub mod wired_up;
pub mod within;
pub mod woken_early;

use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct Inner {
    pub n: u64,
}

impl Inner {
    fn get(&self) -> u64 {
        self.n //~
    }

    fn set(&mut self, n: u64) {
        self.n = n; //~
    }
}

pub trait Store: Send {
    fn load(&self) -> u64;
    fn store(&mut self, n: u64);
}

impl Store for Inner {
    fn load(&self) -> u64 {
        self.n //~
    }

    fn store(&mut self, n: u64) {
        self.n = n; //~
    }
}

fn guard(m: &Mutex<u64>) -> MutexGuard<'_, u64> {
    m.lock().unwrap()
}

fn with<R>(m: &Mutex<u64>, f: impl FnOnce(&mut u64) -> R) -> R {
    f(&mut m.lock().unwrap())
}
