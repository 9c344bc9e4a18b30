//! Names of classes, levels and roles, as configuration, reports and users spell them.

use robust_analyzer::finding::{Class, Level, Role};

use super::{CLASSES, LEVELS};

/// The name of a class.
pub fn class_name(class: Class) -> &'static str {
    match class {
        Class::LostUpdate => "lost-update",
        Class::CheckThenAct => "check-then-act",
        Class::TornRead => "torn-read",
        Class::TornWrite => "torn-write",
        Class::Order => "order",
        Class::ConfinedCallOffThread => "confined-call-off-thread",
        Class::ObserverOffThread => "observer-off-thread",
        Class::NoRuntimeHere => "no-runtime-here",
        Class::BlockingOnUi => "blocking-on-ui",
        Class::BlockingInAsync => "blocking-in-async",
        Class::RuntimeInRuntime => "runtime-in-runtime",
        Class::LockAcrossAwait => "lock-across-await",
        Class::HeavyOnUi => "heavy-on-ui",
        Class::OutlivesOwner => "outlives-owner",
        Class::PanicAsResult => "panic-as-result",
        Class::LostError => "lost-error",
        Class::NoHandler => "no-handler",
        Class::NeverChecks => "never-checks",
        Class::NeverWoken => "never-woken",
    }
}

/// The property for which runs are watched that is about the same; none for classes that no property is about.
pub fn property_name(class: Class) -> Option<&'static str> {
    match class {
        Class::BlockingOnUi | Class::BlockingInAsync | Class::HeavyOnUi => Some("NoBlockUI"),
        Class::ConfinedCallOffThread | Class::ObserverOffThread => Some("UpdateUI"),
        _ => None,
    }
}

/// The class of that name.
pub fn parse_class(name: &str) -> Option<Class> {
    CLASSES.into_iter().find(|&class| class_name(class) == name)
}

/// The name of a level.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Allow => "allow",
        Level::Note => "note",
        Level::Warn => "warn",
        Level::Deny => "deny",
    }
}

/// The level of that name.
pub fn parse_level(name: &str) -> Option<Level> {
    LEVELS.into_iter().find(|&level| level_name(level) == name)
}

/// The name of a role; empty for a step that only leads there.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Step => "",
        Role::Pivot => "pivot",
        Role::Root => "root",
        Role::Entry => "entry",
        Role::Exit => "exit",
        Role::EntryExit => "entry, exit",
        Role::Start => "start",
        Role::Hop => "hop",
        Role::Offence => "offence",
    }
}
