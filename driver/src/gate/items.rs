//! Where the functions of a source file are.

use std::ops::RangeInclusive;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItemFn, ItemFn, Signature, TraitItemFn, Visibility};

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// The lines from its first attribute to the end of its signature.
    pub head: RangeInclusive<u32>,
    /// Its last line.
    pub last: u32,
}

/// All functions, outer before inner; none when the text is not Rust.
pub(super) fn functions(text: &str) -> Vec<Function> {
    let mut finder = Finder::default();
    if let Ok(file) = syn::parse_file(text) {
        finder.visit_file(&file);
    }
    finder.functions
}

#[derive(Default)]
struct Finder {
    functions: Vec<Function>,
}

impl Finder {
    fn add(
        &mut self,
        attributes: &[Attribute],
        visibility: &Visibility,
        signature: &Signature,
        body: &Block,
    ) {
        let line = |at: proc_macro2::LineColumn| at.line as u32;
        let mut starts = vec![line(signature.span().start())];
        if !matches!(visibility, Visibility::Inherited) {
            starts.push(line(visibility.span().start()));
        }
        starts.extend(attributes.iter().map(|attribute| line(attribute.span().start())));
        let first = starts.into_iter().min().unwrap_or(1);
        let head_end = line(signature.span().end());
        self.functions.push(Function { head: first..=head_end, last: line(body.span().end()) });
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add(&item.attrs, &item.vis, &item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.attrs, &item.vis, &item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.add(&item.attrs, &Visibility::Inherited, &item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
