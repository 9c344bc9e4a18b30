//! What the monitor is told of places where tasks are started: what is known of these tasks, and which properties need not be watched there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use robust_analyzer::cor::check::Says;
use robust_analyzer::cor::residual::Known;
use robust_analyzer::ir::SourcePlace;
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
    /// Decides what can be, of these parts of properties; files are named from this folder on.
    pub fn new(told: &[Told], parts: &[(&str, &Says)], root: &Path) -> Self {
        let mut by_place: BTreeMap<Place<'_>, Vec<&Told>> = BTreeMap::new();
        let mut texts: BTreeMap<&str, Option<String>> = BTreeMap::new();
        for one in told {
            let Some(place) = &one.place else { continue };
            let text = texts
                .entry(&place.file)
                .or_insert_with(|| std::fs::read_to_string(root.join(&place.file)).ok());
            let method = text.as_deref().and_then(|text| method(text, place));
            let (line, column) = method.unwrap_or((place.line, place.column));
            by_place.entry((&place.file, line, column)).or_default().push(one);
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

/// Where a program says that a task is started: a call of a method says where the method's name is, any other one where it begins.
fn method(text: &str, place: &SourcePlace) -> Option<(u32, u32)> {
    let (first, last) = (place.line.checked_sub(1)? as usize, place.end_line.checked_sub(1)? as usize);
    let mut lines: Vec<String> =
        text.lines().skip(first).take(last.checked_sub(first)? + 1).map(str::to_owned).collect();
    let cut = |line: &str, count: u32| line.chars().take(count as usize).collect::<String>();
    let end = lines.last_mut()?;
    *end = cut(end, place.end_column.checked_sub(1)?);
    // Columns stay as they are.
    let begin = lines.first_mut()?;
    let before = place.column.checked_sub(1)? as usize;
    *begin = " ".repeat(before) + &begin.chars().skip(before).collect::<String>();
    let syn::Expr::MethodCall(call) = syn::parse_str(&lines.join("\n")).ok()? else { return None };
    let at = call.method.span().start();
    Some((place.line + u32::try_from(at.line).ok()? - 1, u32::try_from(at.column).ok()? + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_told_by_their_names() {
        let text = "fn f() {\n    let x = self.set\n        .spawn(async { other.spawn(()) });\n    spawn(g());\n}\n";
        let place = |line, column, end_line, end_column| SourcePlace {
            file: String::new(),
            line,
            column,
            end_line,
            end_column,
        };
        assert_eq!(method(text, &place(2, 13, 3, 42)), Some((3, 10)));
        assert_eq!(method(text, &place(3, 24, 3, 39)), Some((3, 30)));
        assert_eq!(method(text, &place(4, 5, 4, 15)), None);
        assert_eq!(method(text, &place(9, 5, 9, 15)), None);
        assert_eq!(method(text, &place(0, 0, 0, 0)), None);
    }
}
