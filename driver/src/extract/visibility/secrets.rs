//! Which types, traits and functions only the crate itself can name: declared without `pub`, or in a module that is not public and from
//! which nothing gives them out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use robust_analyzer::mir::{FieldNames, Name, Variants};
use syn::visit::Visit;
use syn::{Item, UseTree, Visibility};

use super::LookedAt;

/// What a name stands for. Functions have names of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Item(String),
    Function(String),
}

impl Named {
    fn name(&self) -> &String {
        match self {
            Named::Item(name) | Named::Function(name) => name,
        }
    }
}

/// The names of a crate's types, traits and functions, with whether some declaration of the name can be reached.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    declared: BTreeMap<Named, bool>,
    /// Declared public in a module that is not, with the modules around.
    hidden: Vec<(Named, Vec<String>)>,
    /// Types that implementations give out as associated types: callers get their values, even if they cannot name them.
    revealed: BTreeSet<String>,
    /// What `pub use` names.
    given: BTreeSet<String>,
    /// Modules of which `pub use` gives out everything.
    opened: BTreeSet<String>,
    /// Names of fields by path of the type and variant; none where there are several such types.
    fields: BTreeMap<(String, String), Option<Vec<String>>>,
    /// Variants and their discriminants by path of the enum; none where there are several such types that differ, or where it depends.
    variants: BTreeMap<String, Option<Vec<(String, i128)>>>,
    /// The files that all this was read from.
    pub looked_at: LookedAt,
}

/// Where items stand.
#[derive(Clone)]
struct Module {
    /// Its name, and those of the modules around it.
    names: Vec<String>,
    /// Where the files of its modules are.
    folder: PathBuf,
    public: bool,
}

impl Module {
    /// The path of a type that is declared there.
    fn path_of(&self, ty: &syn::Ident) -> String {
        let path: Vec<String> = self.names.iter().cloned().chain([ty.to_string()]).collect();
        path.join("::")
    }
}

/// The variants of an enum with their discriminants: numbers, counted on from the one before; none where an attribute may leave one out.
fn variants(item: &syn::ItemEnum) -> Option<Vec<(String, i128)>> {
    let mut next = 0;
    let number = |variant: &syn::Variant| {
        let depends = variant.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
        let number = match &variant.discriminant {
            None => next,
            Some((_, value)) => literal(value)?,
        };
        next = number + 1;
        (!depends).then(|| (variant.ident.to_string(), number))
    };
    item.variants.iter().map(number).collect()
}

fn literal(value: &syn::Expr) -> Option<i128> {
    match value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => {
            literal(expr).map(|value| -value)
        }
        _ => None,
    }
}

impl Secrets {
    /// Reads the sources of the crate that begins with this file. What cannot be read has no secrets.
    pub fn of(root: &Path) -> Secrets {
        let mut secrets = Secrets::default();
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        secrets.file(root, &Module { names: Vec::new(), folder, public: true });
        for (named, modules) in std::mem::take(&mut secrets.hidden) {
            let is_open = |module: &String| secrets.given.contains(module) || secrets.opened.contains(module);
            if secrets.given.contains(named.name()) || modules.iter().any(is_open) {
                secrets.declared.insert(named, true);
            }
        }
        for name in std::mem::take(&mut secrets.revealed) {
            secrets.declared.insert(Named::Item(name), true);
        }
        secrets
    }

    /// Whether nobody outside can name a type or trait with this name.
    pub fn is(&self, name: &str) -> bool {
        self.declared.get(&Named::Item(name.to_owned())) == Some(&false)
    }

    /// Whether some type or trait has this name.
    pub fn knows(&self, name: &str) -> bool {
        self.declared.contains_key(&Named::Item(name.to_owned()))
    }

    /// Whether nobody outside can name a function with this name that is no method.
    pub fn is_function(&self, name: &str) -> bool {
        self.declared.get(&Named::Function(name.to_owned())) == Some(&false)
    }

    /// The first of these files that is there.
    fn first(&mut self, files: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
        files.into_iter().find(|file| {
            let found = file.is_file();
            if !found {
                self.looked_at.miss(file);
            }
            found
        })
    }

    fn file(&mut self, file: &Path, module: &Module) {
        let text = self.looked_at.read(file);
        if let Ok(parsed) = syn::parse_file(&text) {
            self.items(&parsed.items, module);
        }
    }

    fn items(&mut self, items: &[Item], module: &Module) {
        for item in items {
            match item {
                Item::Struct(item) => {
                    self.declare(item_named(&item.ident), &item.vis, module);
                    self.name_fields(&item.ident, String::new(), &item.fields, module);
                }
                Item::Enum(item) => {
                    self.declare(item_named(&item.ident), &item.vis, module);
                    self.note_variants(item, module);
                    for variant in &item.variants {
                        self.name_fields(&item.ident, variant.ident.to_string(), &variant.fields, module);
                    }
                }
                Item::Union(item) => self.declare(item_named(&item.ident), &item.vis, module),
                Item::Trait(of) => {
                    self.declare(item_named(&of.ident), &of.vis, module);
                    self.within(item, module);
                }
                Item::Fn(of) => {
                    self.declare(Named::Function(of.sig.ident.to_string()), &of.vis, module);
                    self.within(item, module);
                }
                Item::Impl(of) => {
                    if of.trait_.is_some() {
                        self.reveal(of);
                    }
                    self.within(item, module);
                }
                Item::Use(item) if is_public(&item.vis) => self.give(&item.tree, ""),
                Item::Mod(item) => self.module(item, module),
                // Many crates wrap items in macros that only add a `cfg`.
                Item::Macro(item) => {
                    if let Ok(inner) = syn::parse2::<syn::File>(item.mac.tokens.clone()) {
                        self.items(&inner.items, module);
                    }
                }
                _ => {}
            }
        }
    }

    fn note_variants(&mut self, item: &syn::ItemEnum, module: &Module) {
        let all = variants(item);
        let known = self.variants.entry(module.path_of(&item.ident)).or_insert_with(|| all.clone());
        if *known != all {
            *known = None;
        }
    }

    /// Notes the enums that are declared inside of functions.
    fn within(&mut self, item: &Item, module: &Module) {
        Inner { secrets: self, module: module.clone() }.visit_item(item);
    }

    fn name_fields(&mut self, ty: &syn::Ident, variant: String, fields: &syn::Fields, module: &Module) {
        let named = |(number, field): (usize, &syn::Field)| match &field.ident {
            Some(name) => name.to_string(),
            None => number.to_string(),
        };
        let names = fields.iter().enumerate().map(named).collect();
        let known = self.fields.entry((module.path_of(ty), variant));
        known.and_modify(|known| *known = None).or_insert(Some(names));
    }

    /// The names of fields, where they are sure.
    pub fn fields(&self) -> Vec<FieldNames> {
        let known = self.fields.iter().filter_map(|(key, names)| Some((key, names.as_ref()?)));
        // A struct without fields is a type, too.
        let told = known.filter(|((_, variant), names)| variant.is_empty() || !names.is_empty());
        let named = told.map(|((ty, variant), names)| FieldNames {
            ty: ty.as_str().into(),
            variant: variant.as_str().into(),
            names: names.iter().map(|name| name.as_str().into()).collect(),
        });
        named.collect()
    }

    /// The variants of enums, where they are sure.
    pub fn variants(&self) -> Vec<Variants> {
        let known = self.variants.iter().filter_map(|(ty, variants)| Some((ty, variants.as_ref()?)));
        let named = known.map(|(ty, variants)| Variants {
            ty: ty.as_str().into(),
            all: variants.iter().map(|(name, number)| (name.as_str().into(), *number)).collect(),
        });
        named.collect()
    }

    fn declare(&mut self, named: Named, visibility: &Visibility, module: &Module) {
        let public = is_public(visibility);
        *self.declared.entry(named.clone()).or_default() |= public && module.public;
        if public && !module.public {
            self.hidden.push((named, module.names.clone()));
        }
    }

    /// Notes the types that an implementation of a trait gives out.
    fn reveal(&mut self, item: &syn::ItemImpl) {
        let mut names = Names(&mut self.revealed);
        for item in &item.items {
            if let syn::ImplItem::Type(given) = item {
                names.visit_type(&given.ty);
            }
        }
    }

    fn module(&mut self, item: &syn::ItemMod, parent: &Module) {
        let name = item.ident.to_string();
        let module = Module {
            folder: parent.folder.join(&name),
            public: parent.public && is_public(&item.vis),
            names: parent.names.iter().chain([&name]).cloned().collect(),
        };
        match &item.content {
            Some((_, items)) => self.items(items, &module),
            None => {
                let files = [parent.folder.join(format!("{name}.rs")), module.folder.join("mod.rs")];
                if let Some(file) = self.first(files) {
                    self.file(&file, &module);
                }
            }
        }
    }

    /// Notes what a `pub use` gives out, renamed or not.
    fn give(&mut self, tree: &UseTree, from: &str) {
        match tree {
            UseTree::Path(path) => self.give(&path.tree, &path.ident.to_string()),
            UseTree::Name(name) => drop(self.given.insert(name.ident.to_string())),
            UseTree::Rename(rename) => drop(self.given.insert(rename.ident.to_string())),
            UseTree::Glob(_) => drop(self.opened.insert(from.to_owned())),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.give(tree, from)),
        }
    }
}

/// The names of the traits that these sources declare.
pub(super) fn traits<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<Name> {
    let mut found = Traits(BTreeSet::new());
    let declaring = texts.filter(|text| text.contains("trait "));
    for file in declaring.filter_map(|text| syn::parse_file(text).ok()) {
        found.visit_file(&file);
    }
    found.0.into_iter().map(|name| name.as_str().into()).collect()
}

struct Traits(BTreeSet<String>);

impl Visit<'_> for Traits {
    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        self.0.insert(item.ident.to_string());
    }
}

/// Goes through functions for the enums that they declare.
struct Inner<'s> {
    secrets: &'s mut Secrets,
    /// The module, and the functions around.
    module: Module,
}

impl Inner<'_> {
    fn function(&mut self, name: &syn::Ident, go_through: impl FnOnce(&mut Self)) {
        self.module.names.push(name.to_string());
        go_through(self);
        self.module.names.pop();
    }
}

impl Visit<'_> for Inner<'_> {
    fn visit_item_enum(&mut self, item: &syn::ItemEnum) {
        self.secrets.note_variants(item, &self.module);
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.function(&item.sig.ident, |inner| syn::visit::visit_item_fn(inner, item));
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        self.function(&item.sig.ident, |inner| syn::visit::visit_impl_item_fn(inner, item));
    }

    fn visit_trait_item_fn(&mut self, item: &syn::TraitItemFn) {
        self.function(&item.sig.ident, |inner| syn::visit::visit_trait_item_fn(inner, item));
    }
}

/// Collects the names of the types in a type.
struct Names<'n>(&'n mut BTreeSet<String>);

impl Visit<'_> for Names<'_> {
    fn visit_path_segment(&mut self, segment: &syn::PathSegment) {
        self.0.insert(segment.ident.to_string());
        syn::visit::visit_path_segment(self, segment);
    }
}

fn item_named(name: &syn::Ident) -> Named {
    Named::Item(name.to_string())
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(text: &str) -> Secrets {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("lib.rs");
        std::fs::write(&root, text).expect("the root");
        Secrets::of(&root)
    }

    #[test]
    fn what_is_not_given_out_is_secret() {
        let found = secrets(
            "pub struct Open; struct Own; mod inner { pub struct Given; pub struct Kept; pub trait Way {} }\n\
             mod all { pub struct Globbed; } pub use inner::Given; pub use all::*; use inner::Kept;\n\
             pub mod outer { pub(crate) struct Half; pub enum Seen {} } wrap! { pub struct Wrapped; }",
        );
        for name in ["Open", "Given", "Globbed", "Seen", "Wrapped", "Unknown"] {
            assert!(!found.is(name), "{name}");
        }
        for name in ["Own", "Kept", "Way", "Half"] {
            assert!(found.is(name), "{name}");
        }
    }

    #[test]
    fn functions_are_as_open_as_their_modules() {
        let found = secrets(
            "mod tasks { pub fn sweep() {} pub fn start() {} } pub(crate) use tasks::*; pub use tasks::start;\n\
             mod outer { pub mod inner { pub fn deep() {} } } pub use outer::inner; fn own() {} pub fn open() {}",
        );
        for name in ["start", "deep", "open", "unknown"] {
            assert!(!found.is_function(name), "{name}");
        }
        for name in ["sweep", "own"] {
            assert!(found.is_function(name), "{name}");
        }
    }

    #[test]
    fn traits_are_found_wherever_they_are() {
        let text = "pub trait A {} mod m { trait B {} } fn f() { trait C {} } // trait D";
        let found: Vec<String> = traits(std::iter::once(text)).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["A", "B", "C"]);
    }

    #[test]
    fn an_associated_type_is_given_out() {
        let found = secrets(
            "pub struct Layer; pub(crate) struct Inner<T>(T); struct Own; impl Wrap for Layer { type Out = Box<Inner<u8>>; }",
        );
        assert!(!found.is("Inner") && found.is("Own"));
    }

    #[test]
    fn fields_have_the_names_of_their_type() {
        let found = secrets(
            "pub struct Till { coins: u8, notes: u8 } struct Pair(u8, u8); enum Drawer { Open { by: u8 }, Shut }\n\
             mod a { struct Twice { a: u8 } } mod b { struct Twice { b: u8 } }",
        );
        let fields: Vec<String> = found
            .fields()
            .iter()
            .map(|fields| format!("{} {} {}", fields.ty, fields.variant, fields.names.join(",")))
            .collect();
        assert_eq!(
            fields,
            ["Drawer Open by", "Pair  0,1", "Till  coins,notes", "a::Twice  a", "b::Twice  b"]
        );
    }

    #[test]
    fn variants_have_the_numbers_that_rust_gives_them() {
        let found = secrets(
            "enum Phase { Idle, Busy(u8), Done = 7, Last } enum Odd { A = -1, B } enum Far { A = 1 << 3 } \
             enum Some { #[cfg(unix)] A, B } mod a { enum Twice { A } } mod a { enum Twice { B } }",
        );
        let variants: Vec<String> =
            found.variants().iter().map(|variants| format!("{} {:?}", variants.ty, variants.all)).collect();
        assert_eq!(
            variants,
            [r#"Odd [("A", -1), ("B", 0)]"#, r#"Phase [("Idle", 0), ("Busy", 1), ("Done", 7), ("Last", 8)]"#,]
        );
    }

    #[test]
    fn enums_of_functions_have_variants() {
        let found = secrets(
            "fn go() { enum Step { First, Last } fn inner() { enum Deep { A } } } struct Q; \
             impl Q { fn turn() { loop { enum Action { Now, Never } } } } trait T { fn f() { enum In { X } } }",
        );
        let variants: Vec<String> = found.variants().iter().map(|variants| variants.ty.to_string()).collect();
        assert_eq!(variants, ["f::In", "go::Step", "go::inner::Deep", "turn::Action"]);
    }

    #[test]
    fn a_name_is_as_open_as_its_most_open_declaration() {
        assert!(!secrets("mod a { struct Twice; } pub struct Twice;").is("Twice"));
    }
}
