//! What a crate's sources declare, and where.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::Visit;

use super::reader::Reader;
use super::show::{self, Shown};
use super::view::View;

/// Traits whose argument is the type itself unless said otherwise; rustc leaves it out then.
const OF_SELF: &str = "Add AddAssign BitAnd BitAndAssign BitOr BitOrAssign BitXor BitXorAssign Div DivAssign Mul MulAssign \
    PartialEq PartialOrd Rem RemAssign Shl ShlAssign Shr ShrAssign Sub SubAssign";
/// What can be named without declaring or importing it.
pub(super) const PRELUDE: &str = "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 Box Option Result String \
    Vec Self AsMut AsRef Clone Copy Debug Default DoubleEndedIterator Drop Eq ExactSizeIterator Extend \
    Fn FnMut FnOnce From FromIterator Hash Into IntoIterator Iterator Ord PartialEq PartialOrd Send \
    Sized Sync ToOwned ToString TryFrom TryInto Unpin Future IntoFuture";

/// Whether a name is one of a list.
pub(super) fn is_one_of(list: &str, name: &str) -> bool {
    list.split(' ').any(|one| one == name)
}

/// Where an impl begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub file: String,
    pub line: usize,
    /// From zero on, as `proc_macro2` counts.
    pub column: usize,
}

impl Place {
    /// `<impl at src/lib.rs:50:62: 50:81>`
    pub fn read(segment: &str) -> Option<Place> {
        let text = segment.strip_prefix("<impl at ")?.strip_suffix('>')?;
        let mut parts = text.rsplitn(5, ':').skip(2);
        let column: usize = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        Some(Place { file: parts.next()?.to_owned(), line, column: column.checked_sub(1)? })
    }
}

/// What sources declare.
#[derive(Default)]
pub(super) struct Sources {
    pub(super) scopes: Vec<Scope>,
    /// Headers of impls, by number: of all of them, but for those in macros.
    pub(super) headers: Vec<Header>,
    /// The impls at the places that were asked for.
    pub(super) impls: BTreeMap<Place, usize>,
    /// The methods, in order.
    pub(super) methods: Vec<Method>,
    /// Traits and enums, whose items are named with them.
    pub(super) owners: BTreeSet<String>,
    /// Modules.
    pub(super) modules: BTreeSet<String>,
    /// Structs and the like.
    pub(super) types: BTreeSet<String>,
    /// Names that stand for types; none when there are several by the name.
    pub(super) aliases: BTreeMap<String, Option<Alias>>,
    /// The parameters of types, types and constants only, with the types that are meant when none is given.
    pub(super) params: BTreeMap<String, Vec<Option<syn::Type>>>,
    /// `use Old as New` anywhere: the old name, if there is one for the new one, and whether others may import the new one.
    pub(super) renamed: BTreeMap<String, (Option<String>, bool)>,
}

/// A module, or the body of a function or constant.
#[derive(Default)]
pub(super) struct Scope {
    /// The scope around, up to the module.
    pub parent: Option<usize>,
    pub declared: BTreeSet<String>,
    /// Imported names, with the whole path.
    pub imported: BTreeMap<String, Vec<String>>,
    /// Whether everything of some other module is imported.
    pub glob: bool,
}

/// A function of an impl.
pub(super) struct Method {
    pub name: String,
    pub args: usize,
    /// The impl's number.
    pub of: usize,
}

/// `type Alias<Params> = Type;`
pub(super) struct Alias {
    pub scope: usize,
    /// The name of the module it is in; empty for the root.
    pub module: String,
    pub params: Vec<String>,
    pub ty: syn::Type,
}

/// The header of an impl, written or derived.
pub(super) struct Header {
    pub scope: usize,
    pub tr: Option<syn::Path>,
    pub ty: syn::Type,
    /// The parameters, with the traits they have to implement.
    pub params: BTreeMap<String, Vec<syn::Path>>,
    /// The items, with whether they have a receiver; none when not all are written out.
    pub items: Option<BTreeMap<String, bool>>,
}

impl Sources {
    /// Reads files, looking for impls at these places.
    pub fn read(files: &[String], places: &BTreeSet<Place>) -> Sources {
        let mut sources = Sources::default();
        for file in files {
            let parsed = std::fs::read_to_string(file).ok().and_then(|text| syn::parse_file(&text).ok());
            if let Some(parsed) = parsed {
                sources.file(&parsed, file, places);
            }
        }
        sources
    }

    /// Reads the whole crate after its macros; none when it is not understood.
    pub fn expanded(text: &str) -> Option<Sources> {
        let mut sources = Sources::default();
        sources.file(&syn::parse_file(text).ok()?, "", &BTreeSet::new());
        Some(sources)
    }

    fn file(&mut self, parsed: &syn::File, file: &str, places: &BTreeSet<Place>) {
        self.scopes.push(Scope::default());
        let scope = self.scopes.len() - 1;
        let path = std::path::Path::new(file);
        let stem = |path: Option<&std::path::Path>| {
            path.and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned())
        };
        let module = match stem(Some(path)).unwrap_or_default().as_str() {
            "lib" | "main" => String::new(),
            "mod" => stem(path.parent()).unwrap_or_default(),
            other => other.to_owned(),
        };
        Reader { sources: self, file, places, scope, module, within: None }.visit_file(parsed);
    }

    /// Whether items are named with what is called so: a trait or an enum. Types have capitals and small letters.
    pub fn has_items(&self, name: &str) -> bool {
        let camel = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        self.owners.contains(name) || camel
    }

    /// An impl in rustc's words; `around` is the path to it.
    pub fn show(&self, place: &Place, around: &[String]) -> Option<Shown> {
        self.show_header(*self.impls.get(place)?, around)
    }

    /// An impl by its number.
    pub fn show_header(&self, number: usize, around: &[String]) -> Option<Shown> {
        let header = self.headers.get(number)?;
        let in_module = self.scopes[header.scope].parent.is_none();
        if in_module && around.last().is_some_and(|last| last == "_") {
            // A macro made it part of something else.
            return None;
        }
        let view = View::new(self, header, around);
        let ty = show::ty(&header.ty, &view)?;
        let mut tr = match &header.tr {
            Some(path) => Some(show::path(path, &view)?),
            None => None,
        };
        if let Some(shown) = &mut tr
            && let Some((name, argument)) = shown.split_once('<')
            && is_one_of(OF_SELF, name)
            && argument.strip_suffix('>') == Some(&ty)
        {
            *shown = name.to_owned();
        }
        let mut at_home = false;
        for path in main_path(&header.ty).into_iter().chain(&header.tr) {
            at_home |= view.is_here(path)?;
        }
        Some(Shown { tr, ty, at_home, in_module })
    }

    fn header(&self, place: &Place) -> Option<&Header> {
        self.headers.get(*self.impls.get(place)?)
    }

    /// Whether an impl has an item of this name, as far as it is written out.
    pub fn has_item(&self, place: &Place, name: &str) -> bool {
        let items = self.header(place).and_then(|header| header.items.as_ref());
        items.is_none_or(|items| items.contains_key(name))
    }

    /// The name of a method's receiver's type, when it has one and that is a struct or the like.
    pub fn receiver_of(&self, place: &Place, method: &str) -> Option<String> {
        let header = self.header(place)?;
        header.items.as_ref()?.get(method).copied().unwrap_or_default().then_some(())?;
        let path = main_path(&header.ty).filter(|_| matches!(header.ty, syn::Type::Path(_)))?;
        let view = View::new(self, header, &[]);
        path.get_ident().is_none_or(|name| !header.params.contains_key(&name.to_string())).then_some(())?;
        view.declared_name(path)
    }
}

/// The path that says where a type belongs: that of what it points to or is made of.
pub(super) fn main_path(ty: &syn::Type) -> Option<&syn::Path> {
    match ty {
        syn::Type::Path(path) => Some(&path.path),
        syn::Type::Paren(inner) => main_path(&inner.elem),
        syn::Type::Group(inner) => main_path(&inner.elem),
        syn::Type::Reference(reference) => main_path(&reference.elem),
        syn::Type::Ptr(pointer) => main_path(&pointer.elem),
        syn::Type::Slice(slice) => main_path(&slice.elem),
        syn::Type::Array(array) => main_path(&array.elem),
        syn::Type::Tuple(tuple) => tuple.elems.iter().find_map(main_path),
        syn::Type::TraitObject(object) => object.bounds.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(tr) => Some(&tr.path),
            _ => None,
        }),
        _ => None,
    }
}
