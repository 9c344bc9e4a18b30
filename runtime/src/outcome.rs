//! What can be seen of a run, in a form in which runs can be compared.
//!
//! Addresses and thread ids are numbered in the order in which they are met; unordered collections are sorted. What differs between two
//! runs of one order that only differ in times, random numbers and the like says nothing, and is masked.

use crate::worker::Run;

/// Results of all calls, and the states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome(pub Vec<String>);

impl Outcome {
    /// What was seen.
    pub fn of(run: &Run) -> Outcome {
        let results = run
            .calls
            .iter()
            .map(|call| if call.end == 0 { "(never ends)".to_owned() } else { call.result.clone() });
        let all: Vec<String> = results.chain(run.states.iter().cloned()).map(|text| sorted(&text)).collect();
        Outcome(numbered(all))
    }
}

/// An outcome, without what differs from run to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<Value>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    /// Anything.
    Any,
    /// Words; none: anything.
    Words(Vec<Option<String>>),
}

impl Pattern {
    /// What several runs of the same have in common.
    pub fn common(outcomes: &[Outcome]) -> Pattern {
        let count = outcomes.iter().map(|outcome| outcome.0.len()).max().unwrap_or(0);
        let value = |at: usize| {
            let texts: Option<Vec<Vec<String>>> =
                outcomes.iter().map(|outcome| outcome.0.get(at).map(|text| words(text))).collect();
            let Some(texts) = texts else { return Value::Any };
            let Some(first) = texts.first() else { return Value::Any };
            if texts.iter().any(|other| other.len() != first.len()) {
                return Value::Any;
            }
            let word =
                |at: usize| texts.iter().all(|other| other[at] == first[at]).then(|| first[at].clone());
            Value::Words((0..first.len()).map(word).collect())
        };
        Pattern((0..count).map(value).collect())
    }

    /// Whether both may be of the same run.
    pub fn fits(&self, other: &Pattern) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| fits(a, b))
    }

    #[cfg(test)]
    fn says_nothing(&self) -> bool {
        self.0.iter().all(|value| *value == Value::Any)
    }
}

fn fits(a: &Value, b: &Value) -> bool {
    let (Value::Words(a), Value::Words(b)) = (a, b) else { return true };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_none() || b.is_none() || a == b)
}

fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut inside = false;
    for letter in text.chars() {
        let part = letter.is_alphanumeric() || letter == '_' || letter == '#';
        match (part, inside, all.last_mut()) {
            (true, true, Some(last)) => last.push(letter),
            _ => all.push(letter.to_string()),
        }
        inside = part;
    }
    all
}

/// Numbers addresses and thread ids by where they first come.
fn numbered(all: Vec<String>) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    all.into_iter()
        .map(|text| {
            let text = renamed(&text, "Arc@", "Arc#", char::is_alphanumeric, &mut known);
            let text = renamed(&text, "0x", "0x#", |letter| letter.is_ascii_hexdigit(), &mut known);
            renamed(&text, "ThreadId(", "ThreadId(#", |letter| letter.is_ascii_digit(), &mut known)
        })
        .collect()
}

fn renamed(
    text: &str,
    mark: &str,
    new: &str,
    part: impl Fn(char) -> bool,
    known: &mut Vec<String>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(mark) {
        out.push_str(&rest[..at]);
        let tail = &rest[at + mark.len()..];
        let end = tail.find(|letter| !part(letter)).unwrap_or(tail.len());
        // A short number is a number.
        if mark == "0x" && end < 8 {
            out.push_str(mark);
            rest = tail;
            continue;
        }
        let name = format!("{mark}{}", &tail[..end]);
        let kind = known.iter().filter(|other| other.starts_with(mark));
        let number =
            match known.iter().filter(|other| other.starts_with(mark)).position(|other| *other == name) {
                Some(number) => number,
                None => {
                    let number = kind.count();
                    known.push(name);
                    number
                }
            };
        out.push_str(&format!("{new}{number}"));
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

/// Sorts what `Debug` prints of sets and maps: braces that no name is before.
fn sorted(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    let (out, _) = group(&letters, &mut at, None);
    out
}

/// The text up to a closing bracket, and its parts between commas.
fn group(letters: &[char], at: &mut usize, close: Option<char>) -> (String, Vec<String>) {
    let (mut all, mut part, mut parts) = (String::new(), String::new(), Vec::new());
    while *at < letters.len() {
        let letter = letters[*at];
        *at += 1;
        match letter {
            '"' => {
                let mut quoted = String::from('"');
                while *at < letters.len() {
                    let inner = letters[*at];
                    *at += 1;
                    quoted.push(inner);
                    match inner {
                        '\\' if *at < letters.len() => {
                            quoted.push(letters[*at]);
                            *at += 1;
                        }
                        '"' => break,
                        _ => {}
                    }
                }
                part.push_str(&quoted);
            }
            '{' | '[' | '(' => {
                let closing = match letter {
                    '{' => '}',
                    '[' => ']',
                    _ => ')',
                };
                let named = part
                    .trim_end()
                    .chars()
                    .next_back()
                    .is_some_and(|last| last.is_alphanumeric() || last == '_' || last == '>');
                let (inner, mut pieces) = group(letters, at, Some(closing));
                let inner = if letter == '{' && !named {
                    pieces.sort();
                    pieces.join(",")
                } else {
                    inner
                };
                part.push_str(&format!("{letter}{inner}{closing}"));
            }
            ',' => {
                all.push_str(&part);
                all.push(',');
                parts.push(std::mem::take(&mut part));
            }
            letter if Some(letter) == close => break,
            letter => part.push(letter),
        }
    }
    all.push_str(&part);
    if !part.trim().is_empty() {
        parts.push(part);
    }
    let parts = parts.into_iter().map(|part| part.trim().to_owned()).collect();
    (all, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_sorted_and_structs_are_not() {
        assert_eq!(sorted("{b: 1, a: [2, 1]}"), "{a: [2, 1],b: 1}");
        assert_eq!(sorted("Pair { b: 1, a: {3, 2} }"), "Pair { b: 1, a: {2,3} }");
        assert_eq!(sorted("\"{b, a}\""), "\"{b, a}\"");
    }

    #[test]
    fn addresses_are_numbered_where_they_come() {
        let all =
            numbered(vec!["Arc@7f00 1".into(), "Arc@7f10 1, Arc@7f00 2".into(), "0xff 0x7f00000000".into()]);
        assert_eq!(all, ["Arc#0 1", "Arc#1 1, Arc#0 2", "0xff 0x#0"]);
    }

    #[test]
    fn what_differs_from_run_to_run_is_masked() {
        let outcome = |text: &str| Outcome(vec![text.to_owned()]);
        let noisy = Pattern::common(&[outcome("at 5, 1"), outcome("at 7, 1")]);
        assert!(noisy.fits(&Pattern::common(&[outcome("at 9, 1")])));
        assert!(!noisy.fits(&Pattern::common(&[outcome("at 9, 2")])));
        assert!(!noisy.says_nothing());
        let lost = Pattern::common(&[outcome("a"), outcome("a b")]);
        assert!(lost.says_nothing() && lost.fits(&Pattern::common(&[outcome("c d e")])));
    }
}
