//! What a breach is called, and how much it matters.

use robust_models::{Block, Blocks, Breach};

use crate::finding::{Class, Level};

use super::atoms::Asked;
use super::place::{Places, Record};

/// A judgement on an operation at a place that does not provide what it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub class: Class,
    pub level: Level,
    /// Why the level is not the gravest.
    pub excuse: &'static str,
}

/// Judges what is asked and not provided. `again`: it happens time and again. None: there is nothing to say.
pub(crate) fn judge(places: &Places<'_>, asked: Asked, record: Record, again: bool) -> Option<Judgement> {
    match asked {
        Asked::Needs(number) => {
            let demand = places.demands.get(number)?;
            let class = if demand.runtime { Class::NoRuntimeHere } else { Class::ConfinedCallOffThread };
            Some(match demand.otherwise {
                Breach::Panics | Breach::Undefined | Breach::Hangs => plain(class, Level::Deny),
                Breach::Fails => Judgement {
                    class,
                    level: Level::Warn,
                    excuse: "it says so with an error, which the program may handle",
                },
                Breach::Misbehaves => {
                    Judgement { class, level: Level::Warn, excuse: "on some systems it works all the same" }
                }
            })
        }
        Asked::Refuses(_) => Some(plain(Class::RuntimeInRuntime, Level::Deny)),
        Asked::Blocks(kind) => blocks(places, kind, record, again),
    }
}

fn plain(class: Class, level: Level) -> Judgement {
    Judgement { class, level, excuse: "" }
}

fn blocks(places: &Places<'_>, kind: Blocks, record: Record, again: bool) -> Option<Judgement> {
    let on_ui = places.draws(record);
    let class = match (kind, on_ui) {
        // Who holds it gives it back soon, as a rule; who does not is found holding it.
        (Blocks::Lock, _) => return None,
        (Blocks::Cpu, _) => Class::HeavyOnUi,
        (_, true) => Class::BlockingOnUi,
        (_, false) => Class::BlockingInAsync,
    };
    let alone = record.block == Some(Block::Itself);
    match kind {
        _ if places.unblocked.contains(&kind) => Some(Judgement {
            class,
            level: Level::Note,
            excuse: "this program makes sockets that keep nobody waiting: a bug only if this is not one of them",
        }),
        Blocks::Cpu if !on_ui => Some(Judgement {
            class,
            level: Level::Note,
            excuse: "how long it takes depends on what it is given, and other threads may run the other tasks",
        }),
        Blocks::Cpu => Some(Judgement {
            class,
            level: Level::Warn,
            excuse: "how long it takes depends on what it is given",
        }),
        Blocks::Stat if alone => None,
        Blocks::Stat => Some(Judgement {
            class,
            level: Level::Note,
            excuse: "what is only looked up is fast, unless the disk is a slow or remote one",
        }),
        Blocks::File if alone => None,
        Blocks::File => Some(Judgement {
            class,
            level: Level::Warn,
            excuse: "files are fast most of the time, unless they are large or on a slow or remote disk",
        }),
        _ if alone && record.beside => Some(Judgement {
            class,
            level: Level::Warn,
            excuse: "only the futures that are polled in turn with this one wait",
        }),
        _ if alone && record.is_crowded() && again => Some(plain(class, Level::Deny)),
        _ if alone && record.is_crowded() => Some(Judgement {
            class,
            level: Level::Warn,
            excuse: "the tasks of its runtime wait, unless they have ended by then",
        }),
        _ if alone && again => Some(Judgement {
            class,
            level: Level::Note,
            excuse: "only this future waits, and what else its thread would run if the runtime has but one",
        }),
        _ if alone => None,
        _ => Some(plain(class, Level::Deny)),
    }
}
