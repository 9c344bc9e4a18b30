//! Monitors as text: for people, and for the runtime, which reads it at its first event.

use std::fmt::Write;

use super::check::{Atom, Checked, Limit, Property, Says, Slice, Truth};
use super::monitor::Verdict;
use super::syntax::{Level, Sort};

/// What users read of a level.
pub fn level(level: Level) -> &'static str {
    match level {
        Level::Deny => "deny",
        Level::Warn => "warn",
        Level::Note => "note",
    }
}

/// One line a property: its name, what it is about, and how large its monitors are.
pub fn summary(checked: &Checked) -> String {
    let mut out = String::new();
    for property in &checked.properties {
        let mut all = Vec::new();
        slices(&property.says, &mut all);
        let told: Vec<String> = all
            .iter()
            .map(|slice| {
                let atoms: Vec<String> = slice.atoms.iter().map(shown).collect();
                format!("{} states over {}", slice.monitor.next.len(), atoms.join(", "))
            })
            .collect();
        let _ = writeln!(out, "{} ({}): {}", property.name, level(property.level), told.join("; "));
    }
    out
}

fn slices<'s>(says: &'s Says, out: &mut Vec<&'s Slice>) {
    match says {
        Says::Each(.., slice) | Says::Run(slice) => out.push(slice),
        Says::And(a, b) | Says::Or(a, b) => {
            slices(a, out);
            slices(b, out);
        }
        Says::Not(inner) => slices(inner, out),
    }
}

/// An atom for people.
pub fn shown(atom: &Atom) -> String {
    match atom {
        Atom::Known(name) => name.clone(),
        Atom::Site(path) => format!("site \"{path}\""),
        Atom::Own(name, args) => format!("{name}({})", args.join(", ")),
        Atom::Late(_) => "a limit of time".to_owned(),
        Atom::Count(most, _) => format!("at most {most}"),
    }
}

/// What of a file can be watched.
#[derive(Debug)]
pub struct Watched<'c> {
    /// The parts of properties, each of which is watched by itself, in the order of [`tables`](Watched::tables).
    pub parts: Vec<(&'c Property, &'c Says)>,
    /// The properties that cannot be watched, with the reason.
    pub left: Vec<(String, &'static str)>,
}

/// What can be watched.
pub fn watched(checked: &Checked) -> Watched<'_> {
    let mut watched = Watched { parts: Vec::new(), left: Vec::new() };
    for property in &checked.properties {
        let mut parts = Vec::new();
        match conjuncts(&property.says, &mut parts) {
            Ok(()) => watched.parts.extend(parts.into_iter().map(|part| (property, part))),
            Err(why) => watched.left.push((property.name.clone(), why)),
        }
    }
    watched
}

impl Watched<'_> {
    /// What the runtime reads.
    pub fn tables(&self) -> String {
        let mut out = "robust-monitor 1\n".to_owned();
        for (property, part) in &self.parts {
            entry(&mut out, &property.name, level(property.level), part);
        }
        out
    }
}

/// What must all hold.
fn conjuncts<'s>(says: &'s Says, out: &mut Vec<&'s Says>) -> Result<(), &'static str> {
    let is_own = |slice: &Slice| slice.atoms.iter().any(|atom| matches!(atom, Atom::Own(..)));
    match says {
        Says::And(a, b) => {
            conjuncts(a, out)?;
            conjuncts(b, out)
        }
        Says::Each(_, _, _, slice) | Says::Run(slice) if is_own(slice) => {
            Err("it speaks of events of the program's own, which are not seen yet")
        }
        Says::Each(true, Sort::Task, ..) | Says::Run(_) => {
            out.push(says);
            Ok(())
        }
        Says::Each(true, Sort::Key, ..) => Err("it speaks of keys, which are not seen yet"),
        Says::Each(false, ..) | Says::Or(..) | Says::Not(_) => {
            Err("only properties of all tasks, and of the run, are watched")
        }
    }
}

fn entry(out: &mut String, name: &str, level: &str, says: &Says) {
    let (kind, filter, slice) = match says {
        Says::Each(_, _, filter, slice) => ("task", filter.as_ref(), slice),
        Says::Run(slice) => ("run", None, slice),
        _ => return,
    };
    let _ = writeln!(out, "property {name} {level} {kind}");
    if let Some(filter) = filter {
        let _ = writeln!(out, "where {}", truth(filter));
    }
    let atoms: Vec<String> = slice.atoms.iter().map(word).collect();
    let _ = writeln!(out, "atoms {}", atoms.join("\t"));
    let _ = writeln!(out, "events {}", slice.monitor.events);
    for Limit { from, to, time } in &slice.limits {
        let _ = writeln!(out, "limit {} {} {}", time.as_millis(), bits(from), bits(to));
    }
    for (state, row) in slice.monitor.next.iter().enumerate() {
        let verdict = match slice.monitor.verdicts[state] {
            Verdict::True => 'T',
            Verdict::False => 'F',
            Verdict::Open => '?',
        };
        let row: Vec<String> = row.iter().map(u16::to_string).collect();
        let _ = writeln!(out, "state {verdict} {} {}", bits(&slice.monitor.closing[state]), row.join(" "));
    }
    out.push_str("end\n");
}

fn truth(truth: &Truth) -> String {
    let atoms: Vec<String> = truth.atoms.iter().map(word).collect();
    format!("{} {}", bits(&truth.values), atoms.join("\t"))
}

fn bits(values: &[bool]) -> String {
    values.iter().map(|value| if *value { '1' } else { '0' }).collect()
}

/// An atom for the runtime: without blanks, paths apart.
fn word(atom: &Atom) -> String {
    match atom {
        Atom::Known(name) => name.clone(),
        Atom::Site(path) => format!("site:{path}"),
        Atom::Own(name, _) => format!("own:{name}"),
        Atom::Late(number) => format!("late:{number}"),
        Atom::Count(most, counted) => {
            let atoms: Vec<String> = counted.atoms.iter().map(word).collect();
            format!("count:{most}:{}:{}", bits(&counted.values), atoms.join(","))
        }
    }
}
