//! Where functions are written, and whether others may call them: read off the tokens of a source file, so that what a macro is defined
//! with can be read, too, which is not Rust yet.

use std::ops::Range;

use proc_macro2::{Delimiter, LineColumn, Spacing, TokenStream, TokenTree};
use robust_analyzer::mir::Span;

/// Who may call a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callers {
    /// Its crate or module.
    Own,
    /// Everybody, if its type and module can be named. What stands in a macro's variable counts, too: somebody else may put `pub` there.
    All,
    /// Whoever answers for what the call may overlap with: it is `unsafe`.
    Sworn,
}

/// The functions and attributes of a file.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// Each from its attributes to its end, outer before inner.
    functions: Vec<(Range<LineColumn>, Callers)>,
    attributes: Vec<Range<LineColumn>>,
}

impl Heads {
    /// Reads a file; nothing when it is not made of tokens.
    pub fn of(text: &str) -> Heads {
        let mut heads = Heads::default();
        if let Ok(tokens) = text.parse::<TokenStream>() {
            heads.read(&tokens.into_iter().collect::<Vec<_>>(), false);
        }
        heads
    }

    /// Who may call the function at a place, which begins or ends within it. One that is not written there was made by a macro, which may have
    /// declared it anyhow; but what an attribute that belongs to no function makes is the attribute's own.
    pub fn callers(&self, span: &Span) -> Callers {
        let start = place(span.line, span.col);
        let end = place(span.end_line, span.end_col.saturating_sub(1));
        let written = |at: LineColumn| {
            let mut around = self.functions.iter().filter(|(range, _)| range.contains(&at));
            around.next_back().map(|(_, callers)| *callers)
        };
        let derived = self.attributes.iter().any(|range| range.contains(&start));
        let otherwise = if derived { Callers::Own } else { Callers::All };
        written(start).or_else(|| written(end).filter(|_| !derived)).unwrap_or(otherwise)
    }

    /// Looks for functions in a row of tokens; `provided`: those of a trait.
    fn read(&mut self, tokens: &[TokenTree], provided: bool) {
        let mut in_trait = false;
        let mut from = 0;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(word) if word == "fn" && names(tokens.get(at + 1)) => {
                    let head = Head::before(&tokens[from..at]);
                    let end = at + 1 + length(&tokens[at + 1..]);
                    let first = from + head.first;
                    let range = tokens[first].span().start()..tokens[end - 1].span().end();
                    let callers =
                        if provided && head.callers == Callers::Own { Callers::All } else { head.callers };
                    self.functions.push((range, callers));
                    from = at + 1;
                }
                TokenTree::Ident(word) if word == "trait" => in_trait = true,
                TokenTree::Punct(mark) if mark.as_char() == ';' => in_trait = false,
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Bracket
                        && is_mark(at.checked_sub(1).map(|at| &tokens[at]), '#')
                    {
                        self.attributes.push(group.span().start()..group.span().end());
                    }
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    let of_trait = in_trait && group.delimiter() == Delimiter::Brace;
                    // A repetition has more of what is around it.
                    let repeated = provided && is_mark(at.checked_sub(1).map(|at| &tokens[at]), '$');
                    self.read(&inner, of_trait || repeated);
                    in_trait &= !of_trait;
                }
                _ => {}
            }
        }
    }
}

/// What stands in front of a `fn`.
struct Head {
    /// Where it begins.
    first: usize,
    callers: Callers,
}

impl Head {
    /// Reads what is there from its end.
    fn before(tokens: &[TokenTree]) -> Head {
        let mut head = Head { first: tokens.len(), callers: Callers::Own };
        let mut open = false;
        let mut sworn = false;
        loop {
            let taken = match &tokens[..head.first] {
                [.., TokenTree::Ident(word), TokenTree::Group(group)]
                    if word == "pub" && group.delimiter() == Delimiter::Parenthesis =>
                {
                    2
                }
                [.., mark, TokenTree::Group(group)]
                    if is_mark(Some(mark), '#') && group.delimiter() == Delimiter::Bracket =>
                {
                    2
                }
                // `$(#[$meta])*` has attributes, `$(pub)?` what may be there.
                [.., mark, TokenTree::Group(group), TokenTree::Punct(_)] if is_mark(Some(mark), '$') => {
                    open |= !is_mark(group.stream().into_iter().next().as_ref(), '#');
                    3
                }
                [.., mark, TokenTree::Ident(_)] if is_mark(Some(mark), '$') => {
                    open = true;
                    2
                }
                [.., TokenTree::Ident(word)] => {
                    open |= word == "pub";
                    sworn |= word == "unsafe";
                    let is_modifier = ["pub", "const", "async", "unsafe", "extern", "safe", "default"];
                    usize::from(is_modifier.iter().any(|modifier| word == modifier))
                }
                [.., TokenTree::Ident(word), TokenTree::Literal(_)] if word == "extern" => 2,
                _ => 0,
            };
            if taken == 0 {
                break;
            }
            head.first -= taken;
        }
        head.callers = match () {
            () if sworn => Callers::Sworn,
            () if open => Callers::All,
            () => Callers::Own,
        };
        head
    }
}

/// Whether what follows a `fn` is a name, or stands for one: otherwise it is a type.
fn names(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Ident(_)) => true,
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Bracket,
        next => is_mark(next, '$'),
    }
}

/// How many tokens a function has after its `fn`: up to its block or semicolon, or to where the next one begins.
fn length(tokens: &[TokenTree]) -> usize {
    let mut angles = 0_usize;
    let mut arrow = false;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && angles == 0 => return at + 1,
            TokenTree::Punct(mark) if mark.as_char() == ';' => return at + 1,
            TokenTree::Punct(mark) if mark.as_char() == '<' => angles += 1,
            TokenTree::Punct(mark) if mark.as_char() == '>' && !arrow => angles = angles.saturating_sub(1),
            TokenTree::Ident(word) if word == "fn" && names(tokens.get(at + 1)) => {
                return Head::before(&tokens[..at]).first.max(1);
            }
            _ => {}
        }
        arrow = matches!(token, TokenTree::Punct(mark) if mark.as_char() == '-' && mark.spacing() == Spacing::Joint);
    }
    tokens.len()
}

fn is_mark(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

/// A place as `proc_macro2` counts: columns from zero on.
fn place(line: u32, column: u32) -> LineColumn {
    LineColumn { line: line as usize, column: column.saturating_sub(1) as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who may call the function whose block is the last one.
    fn callers(text: &str) -> Callers {
        at(text, text.rfind('{').expect("a block"))
    }

    fn at(text: &str, offset: usize) -> Callers {
        let line = text[..offset].matches('\n').count() as u32 + 1;
        let col = (offset - text[..offset].rfind('\n').map_or(0, |i| i + 1)) as u32 + 1;
        Heads::of(text).callers(&Span { line, col, end_line: line, end_col: col + 1, ..Span::default() })
    }

    #[test]
    fn visibility_is_read_off_the_source() {
        for text in [
            "pub fn a(&self) {}",
            "/// About it.\n#[inline]\npub async fn a(\n    &self,\n    b: u8,\n) -> u8\nwhere\n    Self: Sized,\n{}",
            "impl A { pub const fn a() {} }",
            "pub extern \"C\" fn a() {}",
            "pub fn a() -> A<{ 1 }> {}",
            "pub fn a(b: impl Fn() -> u8) -> fn(u8) {}",
            "trait A { fn a() {} }",
        ] {
            assert_eq!(callers(text), Callers::All, "{text}");
        }
        for text in [
            "fn a(&self) {}",
            "pub(crate) fn a(&self) {}",
            "pub(in crate::b) async fn a(&self) {}",
            "pub struct A;\nfn a(\n    b: u8,\n) {}",
            "// pub fn b()\nfn a() {}",
            "pub trait A { fn b(); } fn a() {}",
            "pub fn b() {} fn a() {}",
        ] {
            assert_eq!(callers(text), Callers::Own, "{text}");
        }
        assert_eq!(callers("pub unsafe fn a() {}"), Callers::Sworn);
    }

    #[test]
    fn what_a_macro_is_defined_with_is_read() {
        let of = |rule: &str| callers(&format!("macro_rules! m {{ ($x:vis) => ( impl A {{ {rule} }} ) }}"));
        for rule in [
            "$(pub fn $name(&self) {})*",
            "$(#[$meta])* $vis fn $name() {}",
            "$(pub)? const fn a() {}",
            "pub fn [<get_ $name>]() {}",
            "fn a() $body pub fn b() {}",
        ] {
            assert_eq!(of(rule), Callers::All, "{rule}");
        }
        for rule in ["$(fn $name(&self) {})*", "$(#[$meta])* fn $name() {}"] {
            assert_eq!(of(rule), Callers::Own, "{rule}");
        }
    }

    #[test]
    fn what_is_written_nowhere_was_made() {
        let text = "#[derive(A)] struct B; #[wrapped] fn b() {} make!(c);";
        assert_eq!(at(text, text.find("make").expect("a macro")), Callers::All);
        assert_eq!(at(text, text.find("derive").expect("an attribute")), Callers::Own);
        assert_eq!(at(text, text.find("wrapped").expect("an attribute")), Callers::Own);
        let text = text.replace("fn b", "pub fn b");
        assert_eq!(at(&text, text.find("wrapped").expect("an attribute")), Callers::All);
    }
}
