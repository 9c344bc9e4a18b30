//! Which functions callers outside of the crate may reach: MIR does not say, so the source is looked at.

use std::collections::HashMap;
use std::path::Path;

use robust_analyzer::mir::{BodyKind, Crate, Name, Span};

/// Marks the functions with `pub` in front, and those of traits. What cannot be read stays unmarked.
pub(super) fn mark(krate: &mut Crate, root: &Path) {
    let mut files: HashMap<Name, Option<String>> = HashMap::new();
    for body in krate.bodies.iter_mut().filter(|body| matches!(body.kind, BodyKind::Fn)) {
        if body.path.qself.as_ref().is_some_and(|qself| qself.tr.is_some()) {
            body.public = true;
            continue;
        }
        if body.span.is_none() || body.span.is_foreign() {
            continue;
        }
        let text = files
            .entry(body.span.file.clone())
            .or_insert_with(|| std::fs::read_to_string(root.join(&*body.span.file)).ok());
        body.public = text.as_deref().is_some_and(|text| is_public(text, &body.span));
    }
}

/// Whether the function whose block begins at `span` has a plain `pub`: what stands between the end of the item before and
/// its `fn`, attributes and comments apart.
fn is_public(text: &str, span: &Span) -> bool {
    let line_start: usize =
        text.split_inclusive('\n').take(span.line.saturating_sub(1) as usize).map(str::len).sum();
    let in_line = text[line_start..].char_indices().nth(span.col.saturating_sub(1) as usize);
    let start = line_start + in_line.map_or(0, |(offset, _)| offset);
    // The place is that of the whole item, or begins at its arguments or its block.
    let (before, at) = text.split_at(start);
    if ["pub", "fn ", "const ", "async ", "unsafe ", "extern "].iter().any(|word| at.starts_with(word)) {
        return at.starts_with("pub ");
    }
    let mut head = Vec::new();
    for line in before.lines().rev() {
        let code = line.split("//").next().unwrap_or(line).trim();
        if code.starts_with('#') {
            break;
        }
        head.push(code);
        if code.starts_with("fn ") || code.contains(" fn ") {
            break;
        }
    }
    // The line that has the `fn`, from the end of whatever else stands on it.
    let line = head.last().copied().unwrap_or_default();
    let Some(at) = line.rfind("fn ") else { return false };
    let item = line[..at].rsplit(['{', '}', ';']).next().unwrap_or_default().trim_start();
    item.starts_with("pub ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(text: &str) -> bool {
        let offset = text.rfind('{').expect("a block");
        let line = text[..offset].matches('\n').count() as u32 + 1;
        let col = (offset - text[..offset].rfind('\n').map_or(0, |i| i + 1)) as u32 + 1;
        is_public(text, &Span { line, col, ..Span::default() })
    }

    #[test]
    fn visibility_is_read_off_the_source() {
        assert!(public("pub fn a(&self) {"));
        assert!(public(
            "/// About it.\n#[inline]\npub async fn a(\n    &self,\n    b: u8,\n) -> u8\nwhere\n    Self: Sized,\n{"
        ));
        assert!(public("impl A { pub const fn a() {"));
        let whole = |text| is_public(text, &Span { line: 1, col: 1, ..Span::default() });
        assert!(whole("pub fn a() {}") && !whole("pub(crate) fn a() {}") && !whole("fn a() {}"));
        assert!(!public("fn a(&self) {"));
        assert!(!public("pub(crate) fn a(&self) {"));
        assert!(!public("pub struct A;\nfn a(\n    b: u8,\n) {"));
        assert!(!public("// pub fn b()\nfn a() {"));
    }
}
