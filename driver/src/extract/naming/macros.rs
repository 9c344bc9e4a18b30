//! Impls that a macro writes.
//!
//! The place of such an impl is in the macro's definition, with `$name` for what each call puts there, and the macro may be
//! another crate's. A trait that is written out holds for each call; the type is that of a method's receiver, as the method's
//! header has it. Methods without a receiver stay without a name.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use robust_analyzer::mir::{Path, TyKind};

use super::show::Shown;
use super::source::{PRELUDE, Place, Sources, is_one_of};
use crate::extract::parse::Announced;

/// An impl in the definition of a macro.
#[derive(Debug)]
pub(super) struct MacroImpl {
    /// The trait's name.
    pub tr: Option<String>,
    /// The methods, with where their types have `Self`.
    methods: BTreeMap<String, Option<Own>>,
}

/// Which of a method's types tells what `Self` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    First,
    Output,
}

/// The impls at places in files, but for those whose trait a call of the macro decides.
pub(super) fn read<'p>(places: impl Iterator<Item = &'p Place>) -> BTreeMap<Place, MacroImpl> {
    let mut files: BTreeMap<&str, Vec<&Place>> = BTreeMap::new();
    for place in places {
        files.entry(&place.file).or_default().push(place);
    }
    let mut found = BTreeMap::new();
    for (file, places) in files {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Ok(tokens) = text.parse::<TokenStream>() {
            search(tokens, &places, &mut found);
        }
    }
    found
}

fn search(tokens: TokenStream, places: &[&Place], found: &mut BTreeMap<Place, MacroImpl>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => search(group.stream(), places, found),
            TokenTree::Ident(word) if word == "impl" || word == "unsafe" => {
                let start = word.span().start();
                let at = |place: &&&Place| (place.line, place.column) == (start.line, start.column);
                if let Some(place) = places.iter().find(at)
                    && let Some(found_here) = header(&trees[index..])
                {
                    found.insert((*place).clone(), found_here);
                }
            }
            _ => {}
        }
    }
}

/// `impl<$($params)*> $crate::Trait for $name<$($params)*> { ... }`
fn header(trees: &[TokenTree]) -> Option<MacroImpl> {
    let block = |tree: &TokenTree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    };
    let end = trees.iter().position(|tree| block(tree).is_some())?;
    let start = trees.iter().position(|tree| is_word(tree, "impl"))? + 1;
    let header = trees.get(start + params(trees.get(start..end)?)..end)?;
    let tr = match header.iter().position(|tree| is_word(tree, "for")) {
        Some(split) => Some(trait_name(&header[..split])?),
        None => None,
    };
    Some(MacroImpl { tr, methods: methods(block(&trees[end])?) })
}

/// How many words the parameters at the start take.
fn params(trees: &[TokenTree]) -> usize {
    let mut depth = 0;
    for (index, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Punct(sign) if sign.as_char() == '<' => depth += 1,
            TokenTree::Punct(sign) if sign.as_char() == '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if index == 0 { 0 } else { index + 1 };
        }
    }
    0
}

/// `$crate::a::Trait`, without arguments. `$(...)?` in front, parameters that may be left out, says nothing.
fn trait_name(trees: &[TokenTree]) -> Option<String> {
    let mut name = None;
    let mut rest = trees.iter();
    while let Some(tree) = rest.next() {
        match tree {
            TokenTree::Ident(word) => name = Some(word.to_string()),
            TokenTree::Punct(sign) if sign.as_char() == ':' => {}
            TokenTree::Punct(sign) if sign.as_char() == '$' => match rest.next()? {
                TokenTree::Group(_) if name.is_none() => _ = rest.next(),
                crate_ if is_word(crate_, "crate") => {}
                _ => return None,
            },
            _ => return None,
        }
    }
    name
}

/// `fn name(self)`, `fn name<$lifetime>(&$lifetime mut self)`, `fn name(this: &Self)`, `fn name() -> Self`.
fn methods(body: TokenStream) -> BTreeMap<String, Option<Own>> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let mut found = BTreeMap::new();
    for index in (0..trees.len()).filter(|index| is_word(&trees[*index], "fn")) {
        let Some(TokenTree::Ident(name)) = trees.get(index + 1) else { continue };
        let is_list = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
        let Some(at) = trees[index..].iter().position(is_list) else { continue };
        let TokenTree::Group(list) = &trees[index + at] else { continue };
        let mut first = list.stream().into_iter().take_while(|tree| tree.to_string() != ",");
        let own = if first.any(|tree| is_word(&tree, "self") || is_word(&tree, "Self")) {
            Some(Own::First)
        } else {
            // Behind `->`.
            trees.get(index + at + 3).filter(|tree| is_word(tree, "Self")).map(|_| Own::Output)
        };
        found.insert(name.to_string(), own);
    }
    found
}

fn is_word(tree: &TokenTree, word: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == word)
}

impl MacroImpl {
    /// The impl that a method is in. The method may come out of another macro: then its first argument is taken for `self`,
    /// if it is of a type next to the constant that the impl is in.
    pub fn show(&self, method: &str, body: &Announced<'_>, around: &[String], of: &Sources) -> Option<Shown> {
        let known = self.methods.get(method);
        let ty = match known.copied().unwrap_or(Some(Own::First))? {
            Own::First => body.first.as_ref()?,
            Own::Output => body.output.as_ref()?,
        };
        let path = own_path(ty)?;
        let modules: Vec<&str> = path.segments.iter().rev().skip(1).rev().map(|part| &*part.name).collect();
        let at_home = modules.iter().copied().eq(around.iter().map(String::as_str));
        let (in_constant, beyond) = match around.split_last() {
            Some((last, beyond)) if last == "_" => (true, beyond),
            _ => (false, around),
        };
        let next_to_it = in_constant && modules.iter().copied().eq(beyond.iter().map(String::as_str));
        if known.is_none() && !next_to_it {
            return None;
        }
        // Elsewhere the trait could be the one that is at home.
        let alone = in_constant && self.tr.as_ref().is_none_or(|name| is_one_of(PRELUDE, name));
        let (tr, ty) = (self.tr.clone(), of.with_lifetimes(trimmed(&path.to_string())));
        (at_home || alone).then_some(Shown { tr, ty, at_home, in_module: false })
    }
}

/// The type that `Self` is in a receiver's type.
fn own_path(ty: &TyKind) -> Option<&Path> {
    match ty {
        TyKind::Ref { to, .. } => own_path(to),
        TyKind::Path(path) if path.qself.is_some() => None,
        TyKind::Path(path) => match path.type_args().next() {
            Some(to) if matches!(path.last(), "Pin" | "Box" | "Rc" | "Arc") => own_path(to),
            _ => Some(path),
        },
        _ => None,
    }
}

/// Paths in a text without what is in front of their last parts.
fn trimmed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if word == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        match rest[word..].strip_prefix("::") {
            Some(behind) if behind.starts_with(|c: char| c.is_alphabetic() || c == '_') => rest = behind,
            _ => {
                out.push_str(&rest[..word]);
                rest = &rest[word..];
            }
        }
    }
    out
}
