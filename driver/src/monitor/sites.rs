//! What the monitor is told of places where tasks are started: what is known of these tasks, and which properties need not be watched there.

use std::collections::BTreeMap;
use std::fmt::Write;

use robust_analyzer::cor::check::Says;
use robust_analyzer::cor::residual::Known;
use robust_analyzer::lifecycle::Told;

/// A place where tasks are started.
struct Site {
    place: String,
    /// The function that starts them.
    by: String,
    owned: bool,
    launch: bool,
    /// By part of what is watched: whether it holds of all of them.
    decided: Vec<bool>,
}

/// File, line and column.
type Place<'t> = (&'t str, u32, u32);

/// All of them.
pub(super) struct Sites(Vec<Site>);

impl Sites {
    /// Decides what can be, of these parts of properties.
    pub fn new(told: &[Told], parts: &[(&str, &Says)]) -> Self {
        let mut by_place: BTreeMap<Place<'_>, Vec<&Told>> = BTreeMap::new();
        for one in told {
            if let Some(place) = &one.place {
                by_place.entry((&place.file, place.line, place.column)).or_default().push(one);
            }
        }
        let site = |((file, line, column), all): (Place<'_>, Vec<&Told>)| {
            // Several programs may have one place.
            let all_hold = |(name, part): &(&str, &Says)| all.iter().all(|told| told.holds(name, part));
            Site {
                place: format!("{file}:{line}:{column}"),
                by: all.first().map_or_else(String::new, |told| told.by.clone()),
                owned: all.iter().any(|told| told.known("owned") == Known::Always),
                launch: all.iter().all(|told| told.known("launch") == Known::Always),
                decided: parts.iter().map(all_hold).collect(),
            }
        };
        Sites(by_place.into_iter().map(site).collect())
    }

    /// How many times a part was decided, of how many.
    pub fn decided(&self) -> (usize, usize) {
        let all = self.0.iter().flat_map(|site| &site.decided);
        (all.clone().filter(|decided| **decided).count(), all.count())
    }

    /// What the monitor reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for Site { place, by, owned, launch, decided } in &self.0 {
            let known = match (owned, launch) {
                (true, _) => "owned",
                (false, true) => "launch",
                (false, false) => "",
            };
            let decided: String = decided.iter().map(|decided| if *decided { '1' } else { '0' }).collect();
            let _ = writeln!(text, "{place}\t{known}\t{by}\t{decided}");
        }
        text
    }
}
