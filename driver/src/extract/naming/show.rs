//! Types and traits of headers in rustc's words, paths trimmed to their last parts.

use syn::{GenericArgument, PathArguments, ReturnType, Type, TypeParamBound};

use super::source::is_one_of;
use super::view::View;

/// Traits without methods, which a trait object may have besides its own.
const AUTO: &str = "RefUnwindSafe Send Sync Unpin UnwindSafe";

/// An impl's header in rustc's words.
pub(super) struct Shown {
    pub tr: Option<String>,
    pub ty: String,
    /// Whether the type or the trait is declared where the impl is.
    pub at_home: bool,
    /// Whether the impl is in a module, rather than in a function or constant.
    pub in_module: bool,
}

impl Shown {
    /// The type in front of `::item`: `Vec::<T>`, `<[T]>`.
    pub fn as_value(&self) -> String {
        if !self.ty.starts_with(|c: char| c.is_alphanumeric() || c == '_') || self.ty.starts_with("dyn ") {
            return format!("<{}>", self.ty);
        }
        match self.ty.find('<') {
            Some(at) => format!("{}::{}", &self.ty[..at], &self.ty[at..]),
            None => self.ty.clone(),
        }
    }
}

/// A type; none when the text alone does not tell what it is.
pub(super) fn ty(ty: &Type, view: &View<'_>) -> Option<String> {
    Some(match ty {
        Type::Path(path) if path.qself.is_none() => return self::path(&path.path, view),
        Type::Paren(inner) => return self::ty(&inner.elem, view),
        Type::Group(inner) => return self::ty(&inner.elem, view),
        Type::Reference(reference) => {
            let mutable = if reference.mutability.is_some() { "mut " } else { "" };
            format!("&{mutable}{}", pointee(&reference.elem, view)?)
        }
        Type::Ptr(pointer) => {
            let kind = if pointer.mutability.is_some() { "mut" } else { "const" };
            format!("*{kind} {}", pointee(&pointer.elem, view)?)
        }
        Type::Slice(slice) => format!("[{}]", self::ty(&slice.elem, view)?),
        Type::Array(array) => format!("[{}; {}]", self::ty(&array.elem, view)?, constant(&array.len)?),
        Type::Tuple(tuple) => {
            let parts: Vec<String> =
                tuple.elems.iter().map(|part| self::ty(part, view)).collect::<Option<_>>()?;
            if let [only] = &parts[..] { format!("({only},)") } else { format!("({})", parts.join(", ")) }
        }
        Type::Never(_) => "!".to_owned(),
        Type::TraitObject(object) => format!("dyn {}", bounds(&object.bounds, view)?.join(" + ")),
        Type::BareFn(function) if function.abi.is_none() && function.lifetimes.is_none() => {
            let inputs = function.inputs.iter().map(|input| self::ty(&input.ty, view));
            let inputs = inputs.collect::<Option<Vec<String>>>()?.join(", ");
            let safety = if function.unsafety.is_some() { "unsafe " } else { "" };
            let shown = format!("{safety}fn({inputs}){}", output(&function.output, view)?);
            // rustc gives these names of its own.
            return (!shown.contains('\'')).then_some(shown);
        }
        _ => return None,
    })
}

/// Behind `&` and `*`, where several bounds stand in parentheses.
fn pointee(to: &Type, view: &View<'_>) -> Option<String> {
    let shown = ty(to, view)?;
    Some(if shown.starts_with("dyn ") && shown.contains(" + ") { format!("({shown})") } else { shown })
}

/// The bounds of a trait object, those without methods last and in order. `'static` goes without saying.
fn bounds<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>, view: &View<'_>) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for bound in bounds {
        match bound {
            TypeParamBound::Trait(tr) if tr.lifetimes.is_none() => {
                let name = path(&tr.path, view)?;
                all.push((if is_one_of(AUTO, &name) { 1 } else { 0 }, name));
            }
            TypeParamBound::Lifetime(name) if name.ident == "static" => {}
            TypeParamBound::Lifetime(name) => all.push((2, name.to_string())),
            _ => return None,
        }
    }
    // Only one has methods.
    all.sort();
    Some(all.into_iter().map(|(_, name)| name).collect())
}

fn output(output: &ReturnType, view: &View<'_>) -> Option<String> {
    Some(match output {
        ReturnType::Default => String::new(),
        ReturnType::Type(_, to) => format!(" -> {}", ty(to, view)?),
    })
}

/// The last part of a path, by the name it was declared with, and its arguments.
pub(super) fn path(path: &syn::Path, view: &View<'_>) -> Option<String> {
    if let Some(ident) = path.get_ident()
        && ident == "Self"
    {
        return view.own_type();
    }
    if let Some(known) = path.get_ident().and_then(|ident| view.given(&ident.to_string())) {
        return Some(known.to_owned());
    }
    let last = path.segments.last()?;
    let arguments = match &last.arguments {
        PathArguments::None => Vec::new(),
        PathArguments::AngleBracketed(list) => list
            .args
            .iter()
            .map(|argument| self::argument(argument, view))
            .collect::<Option<Vec<String>>>()?,
        PathArguments::Parenthesized(list) => {
            let inputs = list.inputs.iter().map(|input| ty(input, view)).collect::<Option<Vec<String>>>()?;
            let name = view.declared_name(path)?;
            return Some(format!("{name}({}){}", inputs.join(", "), output(&list.output, view)?));
        }
    };
    if let Some(aliased) = view.alias(path, &arguments) {
        return aliased;
    }
    let Some(name) = view.declared_name(path) else { return view.associated(path) };
    let arguments = unsaid(&name, arguments, view);
    Some(if arguments.is_empty() { name } else { format!("{name}<{}>", arguments.join(", ")) })
}

/// Arguments without those at the end that are meant anyway.
fn unsaid(name: &str, mut arguments: Vec<String>, view: &View<'_>) -> Vec<String> {
    let params = view.params(name).unwrap_or_default();
    if arguments.iter().filter(|argument| !argument.starts_with('\'')).count() == params.len() {
        for param in params.iter().rev() {
            match param {
                Some(meant) if arguments.last() == ty(meant, view).as_ref() => _ = arguments.pop(),
                _ => break,
            }
        }
    }
    arguments
}

fn argument(argument: &GenericArgument, view: &View<'_>) -> Option<String> {
    match argument {
        GenericArgument::Lifetime(name) => Some(name.to_string()),
        GenericArgument::Type(inner) => ty(inner, view),
        GenericArgument::Const(value) => constant(value),
        GenericArgument::AssocType(pair) if pair.generics.is_none() => {
            Some(format!("{} = {}", pair.ident, ty(&pair.ty, view)?))
        }
        _ => None,
    }
}

/// A number, or the name of a constant parameter.
fn constant(value: &syn::Expr) -> Option<String> {
    match value {
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(number) => Some(number.base10_digits().to_owned()),
            syn::Lit::Bool(value) => Some(value.value.to_string()),
            _ => None,
        },
        syn::Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}
