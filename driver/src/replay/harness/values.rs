//! Arguments: expressions for the parameters of a function.
//!
//! Most values are made by the type that the compiler infers. What it cannot infer (closures, `impl Trait`, type parameters of the
//! function itself) has several expressions to try.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, GenericParam, Generics, Signature, Type, TypeParamBound};

use super::source::{CrateSource, names, type_name};
use super::subject::only_argument;

/// A function whose arguments are wanted.
pub struct Wanted<'s> {
    pub source: &'s CrateSource,
    pub signature: &'s Signature,
    pub of: Option<&'s syn::ItemImpl>,
    /// The type of the object that is shared, by its name or as it is written: a reference to it is the object.
    pub object: &'s str,
}

impl Wanted<'_> {
    fn is_object(&self, ty: &Type) -> bool {
        !self.object.is_empty()
            && (type_name(ty).as_deref() == Some(self.object)
                || ty.to_token_stream().to_string() == self.object)
    }
}

/// Plain types for what may be anything.
const ANYTHING: [&str; 5] = ["u64", "std::string::String", "&'static str", "std::vec::Vec<u8>", "()"];

/// Lists of arguments, the receiver left out, to try in turn.
pub fn alternatives(wanted: &Wanted<'_>) -> Vec<Vec<String>> {
    let bounds = bounds_of(&wanted.signature.generics);
    // What a function that is no method is given of the object's type is the object.
    let of_object = |ty: &Type| if wanted.of.is_none() { shared(wanted, ty) } else { Vec::new() };
    let each: Vec<(bool, Vec<String>)> = wanted
        .signature
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(match of_object(&typed.ty) {
                all if all.is_empty() => (false, expressions(wanted, &typed.ty, &bounds)),
                all => (true, all),
            }),
            FnArg::Receiver(_) => None,
        })
        .collect();
    // Ways to give the object have nothing to do with those to make other values.
    let most = |kind: bool| {
        each.iter().filter(|(shared, _)| *shared == kind).map(|(_, all)| all.len()).max().unwrap_or(1)
    };
    let (objects, others) = (most(true), most(false));
    (0..others)
        .flat_map(|other| (0..objects).map(move |object| (other, object)))
        .map(|(other, object)| {
            let one = |(shared, all): &(bool, Vec<String>)| {
                all[(if *shared { object } else { other }).min(all.len() - 1)].clone()
            };
            each.iter().map(one).collect()
        })
        .collect()
}

/// Type parameters and what is asked of them.
pub fn bounds_of(generics: &Generics) -> Vec<(String, Vec<TypeParamBound>)> {
    let mut all: Vec<(String, Vec<TypeParamBound>)> = generics
        .type_params()
        .map(|param| (param.ident.to_string(), param.bounds.iter().cloned().collect()))
        .collect();
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        let syn::WherePredicate::Type(predicate) = predicate else { continue };
        let Some(name) = type_name(&predicate.bounded_ty) else { continue };
        if let Some((_, bounds)) = all.iter_mut().find(|(own, _)| *own == name) {
            bounds.extend(predicate.bounds.iter().cloned());
        }
    }
    all
}

fn expressions(wanted: &Wanted<'_>, ty: &Type, bounds: &[(String, Vec<TypeParamBound>)]) -> Vec<String> {
    let around = |before: &str, inner: Vec<String>| {
        inner.into_iter().map(|text| format!("{before}({text})")).collect()
    };
    match ty {
        Type::Paren(inner) => expressions(wanted, &inner.elem, bounds),
        Type::Group(inner) => expressions(wanted, &inner.elem, bounds),
        Type::ImplTrait(asked) => {
            of_bounds(wanted, &asked.bounds.iter().cloned().collect::<Vec<_>>(), bounds)
        }
        Type::TraitObject(asked) => {
            of_bounds(wanted, &asked.bounds.iter().cloned().collect::<Vec<_>>(), bounds)
        }
        Type::Reference(reference) => {
            let name = type_name(&reference.elem);
            let own = wanted.of.and_then(|of| type_name(&of.self_ty));
            let is_object =
                |name: &str| name == wanted.object || name == "Self" && own.as_deref() == Some(wanted.object);
            if !wanted.object.is_empty()
                && reference.mutability.is_none()
                && name.as_deref().is_some_and(is_object)
            {
                return vec!["&**object".to_owned()];
            }
            let hard = matches!(&*reference.elem, Type::ImplTrait(_) | Type::TraitObject(_))
                || name.is_some_and(|name| bounds.iter().any(|(own, _)| *own == name));
            match (hard, reference.mutability) {
                (false, mutable) => {
                    let before = if mutable.is_some() { "&'static mut" } else { "&'static" };
                    plain().into_iter().chain(given(wanted, &reference.elem, bounds, before)).collect()
                }
                (true, None) => around("&", expressions(wanted, &reference.elem, bounds)),
                (true, Some(_)) => around("&mut ", expressions(wanted, &reference.elem, bounds)),
            }
        }
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return plain() };
            if let Some((_, asked)) = bounds.iter().find(|(name, _)| path.path.is_ident(name)) {
                return of_bounds(wanted, asked, bounds);
            }
            if let (true, Some(meant)) = (last.arguments.is_none(), wanted.source.alias(&last.ident)) {
                return expressions(wanted, meant, bounds);
            }
            let inner = match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) => arguments.args.first(),
                _ => None,
            };
            match (last.ident.to_string().as_str(), inner) {
                ("Box", Some(syn::GenericArgument::Type(inner @ Type::TraitObject(_)))) => {
                    around("std::boxed::Box::new", expressions(wanted, inner, bounds))
                }
                ("Arc", Some(syn::GenericArgument::Type(inner @ Type::TraitObject(_)))) => {
                    around("std::sync::Arc::new", expressions(wanted, inner, bounds))
                }
                ("Arc", Some(syn::GenericArgument::Type(inner)))
                    if !wanted.object.is_empty() && type_name(inner).as_deref() == Some(wanted.object) =>
                {
                    vec!["std::sync::Arc::clone(object)".to_owned()]
                }
                _ => plain_or_given(wanted, ty, bounds),
            }
        }
        Type::BareFn(signature) => functions(signature, bounds),
        _ => plain(),
    }
}

/// The object as a parameter of that type: itself, its clone, in an `Arc`, or in what is around them; none: it is not in that type.
fn shared(wanted: &Wanted<'_>, ty: &Type) -> Vec<String> {
    match ty {
        Type::Paren(inner) => shared(wanted, &inner.elem),
        Type::Group(inner) => shared(wanted, &inner.elem),
        Type::Reference(reference) if wanted.is_object(&reference.elem) => vec!["&**object".to_owned()],
        Type::Reference(reference) => {
            shared(wanted, &reference.elem).iter().map(|inner| format!("&{inner}")).collect()
        }
        Type::Path(_) if wanted.is_object(ty) => vec!["std::clone::Clone::clone(&**object)".to_owned()],
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Vec::new() };
            if let (true, Some(meant)) = (last.arguments.is_none(), wanted.source.alias(&last.ident)) {
                return shared(wanted, meant);
            }
            let Some(inner) = only_argument(last) else { return Vec::new() };
            let clone = "std::sync::Arc::clone(object)".to_owned();
            if last.ident == "Arc" && wanted.is_object(inner) {
                return vec![clone];
            }
            let around = without_arguments(&path.path);
            let arcs = wanted.is_object(inner).then_some(clone);
            arcs.into_iter()
                .chain(shared(wanted, inner))
                .flat_map(|inner| ["", "::from", "::new"].map(|way| format!("{around}{way}({inner})")))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// A type's path, for what is named like it.
fn without_arguments(path: &syn::Path) -> TokenStream {
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
    path.to_token_stream()
}

fn plain() -> Vec<String> {
    vec!["crate::__robust::arg(numbers)".to_owned()]
}

/// An argument of that type, or of a reference to it: what can be made of numbers, or else what it is by default. None: the type cannot be named where it is made.
fn given(
    wanted: &Wanted<'_>,
    ty: &Type,
    bounds: &[(String, Vec<TypeParamBound>)],
    before: &str,
) -> Option<String> {
    let own = wanted.of.map(|of| bounds_of(&of.generics)).unwrap_or_default();
    let mut all = Vec::new();
    names(ty.to_token_stream(), &mut all);
    let open = |name: &String| {
        name == "Self" || name == "impl" || bounds.iter().chain(&own).any(|(own, _)| own == name)
    };
    let text = ty.to_token_stream().to_string();
    let told = || format!("crate::__robust::told({}, numbers)", named(&format!("{before} {text}")));
    (!all.iter().any(open) && !text.contains('\'')).then(told)
}

/// A value of a type that can be named, with how it is shown.
pub fn named(ty: &str) -> String {
    format!(
        "{{ use crate::__robust::{{ByDefault as _, ByLeaking as _, ByMake as _}}; (&&&crate::__robust::Given::<{ty}>(std::marker::PhantomData)).given(numbers) }}"
    )
}

/// What is made of numbers by the type that is inferred, or a value of the type as it is written.
fn plain_or_given(wanted: &Wanted<'_>, ty: &Type, bounds: &[(String, Vec<TypeParamBound>)]) -> Vec<String> {
    let own = given(wanted, ty, bounds, "");
    // What a library puts around a value that is given to a function often shows it: `Json(..)`, `Path(..)`.
    let around = match ty {
        Type::Path(path) => {
            path.path.segments.last().and_then(only_argument).map(|_| without_arguments(&path.path))
        }
        _ => None,
    };
    let around = around
        .into_iter()
        .flat_map(|around| ["", "::from"].map(|way| format!("{around}{way}(crate::__robust::arg(numbers))")));
    plain().into_iter().chain(own).chain(around).collect()
}

/// Functions that are no closures: they catch nothing.
fn functions(signature: &syn::TypeBareFn, bounds: &[(String, Vec<TypeParamBound>)]) -> Vec<String> {
    let parameters = vec!["_"; signature.inputs.len()].join(", ");
    let output = match &signature.output {
        syn::ReturnType::Type(_, ty) => closed(ty.to_token_stream(), bounds).to_string(),
        syn::ReturnType::Default => "()".to_owned(),
    };
    let shown = "numbers.show(\"|..| 0\");";
    ["crate::__robust::fixed(0)".to_owned(), format!("crate::__robust::fixed::<{output}>(0)")]
        .map(|value| format!("{{ {shown} |{parameters}| {{ crate::__robust::called(0); {value} }} }}"))
        .into()
}

/// A type in which plain ones stand for type parameters.
fn closed(tokens: TokenStream, bounds: &[(String, Vec<TypeParamBound>)]) -> TokenStream {
    let plain = |token: TokenTree| match token {
        TokenTree::Ident(ident) if bounds.iter().any(|(own, _)| ident == own) => {
            TokenTree::Ident(proc_macro2::Ident::new("u64", ident.span()))
        }
        TokenTree::Group(group) => {
            TokenTree::Group(proc_macro2::Group::new(group.delimiter(), closed(group.stream(), bounds)))
        }
        other => other,
    };
    tokens.into_iter().map(plain).collect()
}

/// Expressions for something that only has to be what the bounds say.
fn of_bounds(
    wanted: &Wanted<'_>,
    asked: &[TypeParamBound],
    bounds: &[(String, Vec<TypeParamBound>)],
) -> Vec<String> {
    let segments = asked.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    });
    let mut own = Vec::new();
    for segment in segments {
        let name = segment.ident.to_string();
        if let ("Fn" | "FnMut" | "FnOnce", syn::PathArguments::Parenthesized(signature)) =
            (name.as_str(), &segment.arguments)
        {
            return closures(signature, bounds);
        }
        if name == "Future" {
            return vec![
                "std::future::ready(crate::__robust::arg(numbers))".to_owned(),
                "std::future::ready(crate::__robust::arg::<u64>(numbers))".to_owned(),
            ];
        }
        if let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments {
            // What it turns into can be given as it is; what it goes through can be listed.
            own.extend(arguments.args.iter().filter_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => Some(ty.to_token_stream().to_string()),
                syn::GenericArgument::AssocType(assoc) => {
                    Some(format!("std::vec::Vec<{}>", assoc.ty.to_token_stream()))
                }
                _ => None,
            }));
        }
        own.extend(
            wanted.source.implementors(&name).into_iter().map(|(_, ty)| ty.to_token_stream().to_string()),
        );
    }
    let all = own.into_iter().chain(ANYTHING.map(str::to_owned));
    all.map(|ty| format!("crate::__robust::arg::<{ty}>(numbers)")).collect()
}

fn closures(
    signature: &syn::ParenthesizedGenericArguments,
    bounds: &[(String, Vec<TypeParamBound>)],
) -> Vec<String> {
    let parameters = vec!["_"; signature.inputs.len()].join(", ");
    let output = match &signature.output {
        syn::ReturnType::Type(_, ty) => type_name(ty),
        syn::ReturnType::Default => None,
    };
    let asked = bounds.iter().find(|(name, _)| output.as_ref() == Some(name));
    let is_future = asked.is_some_and(|(_, bounds)| {
        bounds.iter().any(|bound| bound.to_token_stream().to_string().contains("Future"))
    });
    let value = ["crate::__robust::fixed(number)", "crate::__robust::fixed::<u64>(number)"];
    let ready = value.map(|value| format!("std::future::ready({value})"));
    let boxed = ready.clone().map(|ready| format!("std::boxed::Box::pin({ready})"));
    let plain = value.map(str::to_owned);
    let bodies = if is_future { [ready, boxed, plain] } else { [plain, ready, boxed] };
    let bodies = bodies.into_iter().flatten();
    bodies
        .map(|body| {
            format!(
                "{{ let number = crate::__robust::closure(numbers); move |{parameters}| {{ crate::__robust::called(number); {body} }} }}"
            )
        })
        .collect()
}

/// Type arguments for the object, `<..>` and all, to try in turn.
pub fn object_arguments(source: &CrateSource, generics: &Generics) -> Vec<String> {
    if generics.params.is_empty() {
        return vec![String::new()];
    }
    let bounds = bounds_of(generics);
    let mut rounds: Vec<Vec<String>> = ANYTHING.map(|ty| vec![ty.to_owned()]).to_vec();
    rounds.truncate(4);
    let own: Vec<Vec<String>> = bounds
        .iter()
        .map(|(_, asked)| {
            let traits = asked.iter().filter_map(|bound| match bound {
                TypeParamBound::Trait(bound) => bound.path.segments.last(),
                _ => None,
            });
            traits
                .flat_map(|name| source.implementors(&name.ident.to_string()))
                .map(|(_, ty)| ty.to_token_stream().to_string())
                .collect()
        })
        .collect();
    let most = own.iter().map(Vec::len).max().unwrap_or(0).min(4);
    let mut all = Vec::new();
    for round in (0..most).map(Some).chain([None]) {
        for plain in &rounds {
            let mut types = own.iter();
            let arguments: Vec<String> = generics
                .params
                .iter()
                .filter_map(|param| match param {
                    GenericParam::Lifetime(_) => Some("'static".to_owned()),
                    GenericParam::Const(param) => param.default.is_none().then(|| "2".to_owned()),
                    GenericParam::Type(param) => {
                        let own = types.next();
                        if param.default.is_some() {
                            return None;
                        }
                        let chosen =
                            round.and_then(|round| own?.get(round.min(own?.len().checked_sub(1)?)).cloned());
                        Some(chosen.unwrap_or_else(|| plain[0].clone()))
                    }
                })
                .collect();
            let text =
                if arguments.is_empty() { String::new() } else { format!("<{}>", arguments.join(", ")) };
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    all
}
