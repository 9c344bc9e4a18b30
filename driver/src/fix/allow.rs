//! Comments that allow findings.

use ra_ap_rustc_lexer::{FrontmatterAllowed, tokenize};
use robust_analyzer::finding::Finding;
use robust_analyzer::ir::SourcePlace;

use super::{Certain, Edit, Fix};
use crate::report::{Sources, class_name, places_to_allow};

/// Stands where the user has to say why the code is right.
pub const NO_REASON: &str = "TODO: say why this is right";

/// A comment above the last access of a finding, or above each operation that is out of place.
pub fn suppression(finding: &Finding, sources: &Sources) -> Option<Fix> {
    let class = class_name(finding.class);
    let edit = |place: &SourcePlace| {
        let source = sources.get(&place.file)?;
        let indent = indent_of(source.text(), place.line)?;
        let at = SourcePlace { column: 1, end_line: place.line, end_column: 1, ..place.clone() };
        Some(Edit { place: at, text: comment(&indent, &[class], NO_REASON) + "\n" })
    };
    let edits: Option<Vec<Edit>> = places_to_allow(finding).into_iter().map(edit).collect();
    let title = format!("if it is meant to be so, say why: `// robust: allow({class}): reason`");
    edits.filter(|edits| !edits.is_empty()).map(|edits| Fix { title, certain: Certain::No, edits })
}

/// The comment, without a line break.
pub fn comment(indent: &str, classes: &[&str], reason: &str) -> String {
    format!("{indent}// robust: allow({}): {reason}", classes.join(", "))
}

/// How a line is indented, if a comment can stand before it: it does not begin within a string or a comment.
pub fn indent_of(text: &str, line: u32) -> Option<String> {
    let own = text.split('\n').nth((line as usize).checked_sub(1)?)?;
    let start = own.as_ptr() as usize - text.as_ptr() as usize;
    let mut offset = 0;
    for token in tokenize(text, FrontmatterAllowed::Yes) {
        let end = offset + token.len as usize;
        if offset < start && start < end && !text[offset..end].trim().is_empty() {
            return None;
        }
        if start <= offset {
            break;
        }
        offset = end;
    }
    Some(own.chars().take_while(|c| c.is_whitespace() && *c != '\r').collect())
}

#[cfg(test)]
mod tests {
    use super::indent_of;

    #[test]
    fn a_comment_stands_between_tokens() {
        let text = "fn f() {\n    g(\"a\n    b\", x);\n\t/* one\n two */ h();\n}\n";
        let lines: Vec<Option<String>> = (1..=6).map(|line| indent_of(text, line)).collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(lines, [some(""), some("    "), None, some("\t"), None, some("")]);
        assert_eq!(indent_of(text, 0), None);
        assert_eq!(indent_of(text, 99), None);
    }
}
