//! Where the functions of a source file are.

use std::ops::RangeInclusive;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, ImplItemFn, ItemFn, ItemImpl, ItemTrait, Meta, Signature, Token, TraitItemFn, Type,
    Visibility,
};

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// The lines from its first attribute to the end of its signature.
    pub head: RangeInclusive<u32>,
    /// Its last line.
    pub last: u32,
    /// Whether it has a symbol that code in other languages can call.
    pub exported: bool,
    /// Its name, with that of the type or trait that it belongs to: `Db::get`.
    pub name: String,
}

/// All functions, outer before inner; none when the text is not Rust.
pub(crate) fn functions(text: &str) -> Vec<Function> {
    let mut finder = Finder::default();
    if let Ok(file) = syn::parse_file(text) {
        finder.visit_file(&file);
    }
    finder.functions
}

#[derive(Default)]
struct Finder {
    functions: Vec<Function>,
    /// The type or trait whose functions these are.
    owner: Option<String>,
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
        let exported = attributes.iter().any(|attribute| exports(&attribute.meta));
        let own = &signature.ident;
        let name = self.owner.as_ref().map_or_else(|| own.to_string(), |owner| format!("{owner}::{own}"));
        let last = line(body.span().end());
        self.functions.push(Function { head: first..=head_end, last, exported, name });
    }

    /// Looks at what belongs to an owner, or to none.
    fn within(&mut self, owner: Option<String>, look: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.owner, owner);
        look(self);
        self.owner = outer;
    }
}

/// Whether an attribute gives a function its symbol: `no_mangle`, `export_name = ".."`, and both inside of `unsafe(..)` or `cfg_attr(..)`.
fn exports(meta: &Meta) -> bool {
    let is = |path: &syn::Path, names: &[&str]| names.iter().any(|name| path.is_ident(name));
    match meta {
        Meta::List(list) if is(&list.path, &["unsafe", "cfg_attr"]) => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|inner| inner.iter().any(exports)),
        _ => is(meta.path(), &["no_mangle", "export_name"]),
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.within(None, |finder| {
            finder.add(&item.attrs, &item.vis, &item.sig, &item.block);
            visit::visit_item_fn(finder, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let owner = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        };
        self.within(owner, |finder| visit::visit_item_impl(finder, item));
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.within(Some(item.ident.to_string()), |finder| visit::visit_item_trait(finder, item));
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

#[cfg(test)]
mod tests {
    use super::functions;

    #[test]
    fn functions_have_the_names_of_their_types() {
        let text = "fn a() { fn b() {} }\nimpl<T> x::S<T> { fn c() { fn d() {} } }\ntrait R { fn e() {} fn f(); }\nimpl R for S { fn e() {} }\n";
        let names: Vec<String> = functions(text).into_iter().map(|function| function.name).collect();
        assert_eq!(names, ["a", "b", "S::c", "d", "R::e", "S::e"]);
    }

    #[test]
    fn functions_with_a_symbol() {
        let text = "#[no_mangle]\nextern \"C\" fn a() {}\n#[unsafe(export_name = \"x\")]\nfn b() {}\n\
                    #[cfg_attr(feature = \"abi\", unsafe(no_mangle))]\npub fn c() {}\n#[inline]\nextern \"C\" fn d() {}\n";
        let exported: Vec<bool> = functions(text).iter().map(|function| function.exported).collect();
        assert_eq!(exported, [true, true, true, false]);
    }
}
