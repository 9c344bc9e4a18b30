//! How an operation is called: what it is called on, its arguments, and whether its result has to be waited for.

use quote::ToTokens;
use robust_runtime::tree::PROGRAM;

use super::source::{CrateSource, OwnFunction, type_name};
use super::values::{Wanted, alternatives};

/// The calls of a function: what comes before, and the call; the likeliest first. What it is called on is `own`, if that is not the
/// object (see [`needs_own`]).
pub fn calls(function: &OwnFunction<'_>, source: &CrateSource, object: &str) -> Vec<(String, String)> {
    if function.signature.unsafety.is_some() {
        return Vec::new();
    }
    let Some((lets, receiver)) = receiver(function, needs_own(function, object)) else { return Vec::new() };
    let is_main = source.main().is_some_and(|main| main.same(function));
    let name = if is_main { PROGRAM.to_owned() } else { function.name() };
    if function.of.and_then(|of| of.trait_.as_ref()).is_some_and(|(_, path, _)| path.is_ident("Drop")) {
        // Nobody may call it by name.
        let drop = "std::mem::drop(std::mem::ManuallyDrop::into_inner(own))".to_owned();
        return vec![(lets, drop)];
    }
    let path = match function.of {
        None => format!("super::{name}"),
        Some(of) => {
            let own = if function.self_type().as_deref() == Some(object) {
                "crate::__robust::Object".to_owned()
            } else {
                any_of(&of.self_ty)
            };
            match &of.trait_ {
                Some((_, path, _)) => format!("<{own} as {}>::{name}", path.to_token_stream()),
                None => format!("<{own}>::{name}"),
            }
        }
    };
    let wanted = Wanted { source, signature: function.signature, of: function.of, object };
    let later = is_later(function);
    let context = context(function);
    let mut all = Vec::new();
    for arguments in alternatives(&wanted) {
        if let Some(at) = context {
            let arguments = receiver.iter().cloned().chain(
                arguments
                    .into_iter()
                    .enumerate()
                    .map(|(own, argument)| if own == at { "context".to_owned() } else { argument }),
            );
            let polled = format!("{path}({})", arguments.collect::<Vec<_>>().join(", "));
            all.push((
                lets.clone(),
                format!("crate::__robust::wait(std::future::poll_fn(|context| {polled}))"),
            ));
            continue;
        }
        let arguments: Vec<String> = receiver.iter().cloned().chain(arguments).collect();
        let named =
            (0..arguments.len()).map(|at| format!("let a{at} = {}; ", arguments[at])).collect::<String>();
        let call = format!(
            "{path}({})",
            (0..arguments.len()).map(|at| format!("a{at}")).collect::<Vec<_>>().join(", ")
        );
        if later {
            all.push((format!("{lets}{named}"), format!("crate::__robust::wait({call})")));
        }
        // An attribute makes a `main` that waits one that does not.
        if function.signature.asyncness.is_none() || is_main {
            all.push((format!("{lets}{named}"), call));
        }
    }
    all
}

/// A type of the crate's own, whatever its type arguments are.
fn any_of(ty: &syn::Type) -> String {
    let name = type_name(ty).unwrap_or_default();
    let syn::Type::Path(path) = ty else { return format!("super::{name}") };
    let arguments = path.path.segments.last().map(|last| &last.arguments);
    let Some(syn::PathArguments::AngleBracketed(arguments)) = arguments else {
        return format!("super::{name}");
    };
    let any = |argument: &syn::GenericArgument| match argument {
        syn::GenericArgument::Lifetime(_) => "'_",
        _ => "_",
    };
    let arguments: Vec<&str> = arguments.args.iter().map(any).collect();
    format!("super::{name}<{}>", arguments.join(", "))
}

/// Whether a call is made on something of its own that is there before: it uses the object up, or is a method of another type.
pub fn needs_own(function: &OwnFunction<'_>, object: &str) -> bool {
    let receiver = function.signature.receiver();
    receiver.is_some_and(|receiver| !is_shared(receiver) || function.self_type().as_deref() != Some(object))
}

/// The argument that is what a future is polled with, the receiver left out.
fn context(function: &OwnFunction<'_>) -> Option<usize> {
    let typed = function.signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => Some(&*typed.ty),
        syn::FnArg::Receiver(_) => None,
    });
    let is_context = |ty: &syn::Type| {
        matches!(ty, syn::Type::Reference(reference) if reference.mutability.is_some())
            && type_name(ty).is_some_and(|name| name == "Context")
    };
    typed.into_iter().position(is_context)
}

/// Whether the result has to be waited for.
pub fn is_later(function: &OwnFunction<'_>) -> bool {
    let returns = function.signature.output.to_token_stream().to_string();
    function.signature.asyncness.is_some() || returns.contains("Future")
}

/// What comes before a method's call, and what it is called on: the object, or `own`. None: in a way that is not driven.
fn receiver(function: &OwnFunction<'_>, own: bool) -> Option<(String, Option<String>)> {
    let Some(receiver) = function.signature.receiver() else { return Some((String::new(), None)) };
    let ty = receiver.ty.to_token_stream().to_string();
    // What is only lent is not dropped by the call.
    let lent = "let mut own = std::mem::ManuallyDrop::new(own); ".to_owned();
    let is_arc = receiver.colon_token.is_some() && ty.contains("Arc");
    let (lets, on) = match (&receiver.reference, receiver.mutability, receiver.colon_token.is_some()) {
        (_, _, true) if ty.contains("Pin") => (
            "let mut own = std::mem::ManuallyDrop::new(std::boxed::Box::pin(own)); ".to_owned(),
            "(*own).as_mut()",
        ),
        (_, _, true) if is_arc && own => {
            let reference = if ty.starts_with('&') { "&" } else { "" };
            return Some((String::new(), Some(format!("{reference}std::sync::Arc::new(own)"))));
        }
        (_, _, true) if is_arc && ty.starts_with('&') => (String::new(), "object"),
        (_, _, true) if is_arc => (String::new(), "std::sync::Arc::clone(object)"),
        (_, _, true) => return None,
        (Some(_), None, _) if own => (lent, "&*own"),
        (Some(_), None, _) => (String::new(), "&**object"),
        (Some(_), Some(_), _) => (lent, "&mut *own"),
        (None, _, _) => (String::new(), "own"),
    };
    Some((lets, Some(on.to_owned())))
}

/// Whether an object that is shared can be called in this way.
pub fn is_shared(receiver: &syn::Receiver) -> bool {
    match (&receiver.reference, receiver.mutability) {
        (Some(_), None) => true,
        (None, None) => {
            receiver.colon_token.is_some() && receiver.ty.to_token_stream().to_string().contains("Arc")
        }
        _ => false,
    }
}
