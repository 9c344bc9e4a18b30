//! Which types a harness is about.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::Type;

use super::calls::is_shared;
use super::construct::{builds, yields};
use super::source::{CrateSource, OwnFunction, OwnType, Shape, names, type_name};
use crate::replay::harness::NotDriven;

/// The type of that name.
pub fn find<'t, 's>(types: &'t [OwnType<'s>], name: &str) -> Option<&'t OwnType<'s>> {
    types.iter().find(|ty| ty.name == name)
}

/// The type of that name, that of the module itself if there are several.
fn find_from<'t, 's>(types: &'t [OwnType<'s>], name: &str, module: usize) -> Option<&'t OwnType<'s>> {
    types.iter().find(|ty| ty.name == name && ty.module == module).or_else(|| find(types, name))
}

/// What is shared by calls.
pub enum Shared<'t, 's> {
    /// What statics have.
    Nothing,
    /// A type of the crate's own.
    Own(&'t OwnType<'s>),
    /// A type as it is written in a module.
    Written(usize, String),
}

impl<'t, 's> Shared<'t, 's> {
    /// The type, if it is one of the crate's own.
    pub fn own(&self) -> Option<&'t OwnType<'s>> {
        match self {
            Shared::Own(ty) => Some(ty),
            Shared::Nothing | Shared::Written(..) => None,
        }
    }

    /// Whether a function that is no method is given it.
    pub fn is_given_to(&self, source: &CrateSource, function: &OwnFunction<'_>) -> bool {
        let name = self.name();
        let is_it = |core: &Core| match self {
            Shared::Nothing => false,
            Shared::Own(_) => core.name == name,
            Shared::Written(..) => core.text == name,
        };
        function.of.is_none() && given(source, function).iter().any(is_it)
    }

    /// Its name, or the text of the type; empty when there is none.
    pub fn name(&self) -> String {
        match self {
            Shared::Nothing => String::new(),
            Shared::Own(ty) => ty.name.clone(),
            Shared::Written(_, text) => text.clone(),
        }
    }
}

/// What these functions share: the type that they are methods of, or one with methods that make what they are methods of, or what all
/// of them are given.
pub fn shared<'t, 's>(
    source: &CrateSource,
    types: &'t [OwnType<'s>],
    functions: &[OwnFunction<'_>],
    lanes: &[OwnFunction<'_>],
) -> Result<Shared<'t, 's>, NotDriven> {
    let methods: Vec<&OwnFunction<'_>> =
        lanes.iter().filter(|lane| lane.signature.receiver().is_some()).collect();
    let own: BTreeSet<String> = methods.iter().filter_map(|lane| lane.self_type()).collect();
    let Some(first) = own.first() else { return Ok(given_to_all(source, types, lanes)) };
    let uses_up = |name: &str| {
        let of = |lane: &&&OwnFunction<'_>| lane.self_type().as_deref() == Some(name);
        methods.iter().filter(of).any(|lane| lane.signature.receiver().is_some_and(|own| !is_shared(own)))
    };
    let can_be_called_on = |ty: &OwnType<'_>, name: &str| {
        let makes = |function: &OwnFunction<'_>| {
            function.self_type().as_deref() == Some(&ty.name) && yields(function, name)
        };
        match ty.name == name {
            true => !uses_up(name) || is_clone(source, ty),
            false => functions.iter().any(makes),
        }
    };
    let module = methods[0].module;
    let named = own.iter().filter_map(|name| find_from(types, name, module));
    let object = named.chain(types).find(|ty| own.iter().all(|name| can_be_called_on(ty, name)));
    if let Some(object) = object {
        return Ok(Shared::Own(object));
    }
    if let Some(other) = own.iter().nth(1) {
        return Err(NotDriven(format!(
            "it is about methods of `{first}` and of `{other}`, and how both come to share something is not known"
        )));
    }
    // The compiler says what is missing.
    find_from(types, first, module)
        .map(Shared::Own)
        .ok_or_else(|| NotDriven(format!("the type `{first}` is not written in the crate's source")))
}

fn is_clone(source: &CrateSource, ty: &OwnType<'_>) -> bool {
    ty.derives_clone
        || source
            .implementors("Clone")
            .iter()
            .any(|(_, implementor)| type_name(implementor).as_deref() == Some(&ty.name))
}

/// What functions that are no methods have in common among what they are given. What is behind a reference or an `Arc` comes first.
/// What is not of the crate's own, and in no `Arc`, is a value as others are.
fn given_to_all<'t, 's>(
    source: &CrateSource,
    types: &'t [OwnType<'s>],
    lanes: &[OwnFunction<'_>],
) -> Shared<'t, 's> {
    let mut lanes = lanes.iter();
    let Some(first) = lanes.next() else { return Shared::Nothing };
    let mut common = given(source, first);
    for lane in lanes {
        let other = given(source, lane);
        common.retain(|core| other.iter().any(|other| other.text == core.text));
    }
    let own = |core: &Core| types.iter().find(|ty| ty.name == core.name);
    let is_candidate = |core: &&Core| match (own(core), core.behind) {
        (_, Behind::Arc) | (Some(_), Behind::Reference) => true,
        (Some(ty), Behind::Nothing) => is_clone(source, ty),
        (None, _) => false,
    };
    let best = common
        .iter()
        .filter(is_candidate)
        .min_by_key(|core| (core.behind == Behind::Nothing, own(core).is_none()));
    let Some(core) = best else { return Shared::Nothing };
    own(core).map_or_else(|| Shared::Written(first.module, core.text.clone()), Shared::Own)
}

/// The types in those of a function's parameters.
fn given(source: &CrateSource, function: &OwnFunction<'_>) -> Vec<Core> {
    let mut all = Vec::new();
    for input in &function.signature.inputs {
        if let syn::FnArg::Typed(typed) = input {
            cores(source, &typed.ty, Behind::Nothing, &mut all);
        }
    }
    all
}

/// A type in that of a parameter.
struct Core {
    name: String,
    text: String,
    behind: Behind,
}

/// What is around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    Reference,
    Arc,
}

/// The types in a parameter's type that may be what calls share.
fn cores(source: &CrateSource, ty: &Type, behind: Behind, into: &mut Vec<Core>) {
    match ty {
        Type::Paren(inner) => cores(source, &inner.elem, behind, into),
        Type::Group(inner) => cores(source, &inner.elem, behind, into),
        Type::Reference(reference) if reference.mutability.is_none() => {
            let behind = if behind == Behind::Arc { Behind::Arc } else { Behind::Reference };
            cores(source, &reference.elem, behind, into);
        }
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return };
            if let (true, Some(meant)) = (last.arguments.is_none(), source.alias(&last.ident)) {
                return cores(source, meant, behind, into);
            }
            let inner = only_argument(last);
            let is_arc = last.ident == "Arc" && inner.is_some();
            if !is_arc {
                let text = path.to_token_stream().to_string();
                into.push(Core { name: last.ident.to_string(), text, behind });
            }
            if let Some(inner) = inner {
                cores(source, inner, if is_arc { Behind::Arc } else { behind }, into);
            }
        }
        _ => {}
    }
}

/// The one type argument of a path's segment.
pub fn only_argument(segment: &syn::PathSegment) -> Option<&Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    let mut all = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    all.next().filter(|_| all.next().is_none())
}

/// Types whose values can be met, from these names on.
pub fn reachable<'t, 's>(
    source: &CrateSource,
    types: &'t [OwnType<'s>],
    functions: &[OwnFunction<'_>],
    mut wanted: Vec<String>,
) -> Vec<&'t OwnType<'s>> {
    let mut seen = vec![false; types.len()];
    let mut found = Vec::new();
    let mut asked = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        if !asked.insert(name.clone()) {
            continue;
        }
        // What is asked for by a trait can be any type that has it.
        wanted.extend(source.implementors(&name).iter().filter_map(|(_, ty)| type_name(ty)));
        for (at, ty) in types.iter().enumerate().filter(|(_, ty)| ty.name == name) {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            found.push(ty);
            names(ty.generics.to_token_stream(), &mut wanted);
            names(ty.generics.where_clause.to_token_stream(), &mut wanted);
            match &ty.shape {
                Shape::Struct(fields) => names(fields.to_token_stream(), &mut wanted),
                Shape::Enum(variants) => {
                    variants.iter().for_each(|variant| names(variant.to_token_stream(), &mut wanted))
                }
            }
            for function in functions.iter().filter(|function| builds(function, &ty.name)) {
                names(function.signature.inputs.to_token_stream(), &mut wanted);
            }
        }
    }
    found
}
