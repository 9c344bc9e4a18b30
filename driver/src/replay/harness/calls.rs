//! How an operation is called: its object, its arguments, and whether its result has to be waited for.

use quote::ToTokens;

use super::source::{CrateSource, OwnFunction};
use super::values::{Wanted, alternatives};

/// The calls of a function: what comes before, and the call; the likeliest first.
pub fn calls(function: &OwnFunction<'_>, source: &CrateSource, object: &str) -> Vec<(String, String)> {
    if function.signature.unsafety.is_some() {
        return Vec::new();
    }
    let Some((lets, receiver)) = receiver(function) else { return Vec::new() };
    let name = &function.signature.ident;
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
                format!("super::{}", function.self_type().unwrap_or_default())
            };
            match &of.trait_ {
                Some((_, path, _)) => format!("<{own} as {}>::{name}", path.to_token_stream()),
                None => format!("<{own}>::{name}"),
            }
        }
    };
    let wanted = Wanted { source, signature: function.signature, of: function.of, object };
    let later = is_later(function);
    let mut all = Vec::new();
    for arguments in alternatives(&wanted) {
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
        if function.signature.asyncness.is_none() {
            all.push((format!("{lets}{named}"), call));
        }
    }
    all
}

/// An object of an operation's own: it is there before the call.
pub const OWN: &str = "fn own(object: &std::sync::Arc<crate::__robust::Object>) -> std::option::Option<std::boxed::Box<crate::__robust::Object>> { std::option::Option::Some(std::boxed::Box::new(std::clone::Clone::clone(&**object))) } ";

/// Whether a call needs an object of its own: it takes it by value, or has to be its only user.
pub fn uses_up(function: &OwnFunction<'_>) -> bool {
    receiver(function).is_some_and(|(lets, _)| !lets.is_empty())
}

/// Whether the result has to be waited for.
pub fn is_later(function: &OwnFunction<'_>) -> bool {
    let returns = function.signature.output.to_token_stream().to_string();
    function.signature.asyncness.is_some() || returns.contains("Future")
}

/// How a method gets its object; none: in a way that is not driven.
fn receiver(function: &OwnFunction<'_>) -> Option<(String, Option<String>)> {
    let Some(receiver) = function.signature.receiver() else { return Some((String::new(), None)) };
    let ty = receiver.ty.to_token_stream().to_string();
    let take = "let own = match own { std::option::Option::Some(own) => *own, _ => panic!(\"there is no object of its own\") }; ";
    // What is only lent is not dropped by the call.
    let lent = format!("{take}let mut own = std::mem::ManuallyDrop::new(own); ");
    Some(match (&receiver.reference, receiver.mutability, receiver.colon_token.is_some()) {
        (_, _, true) if ty.contains("Pin") => return None,
        (_, _, true) if ty.contains("Arc") && ty.starts_with('&') => {
            (String::new(), Some("object".to_owned()))
        }
        (_, _, true) if ty.contains("Arc") => {
            (String::new(), Some("std::sync::Arc::clone(object)".to_owned()))
        }
        (_, _, true) => return None,
        (Some(_), None, _) => (String::new(), Some("&**object".to_owned())),
        (Some(_), Some(_), _) => (lent, Some("&mut *own".to_owned())),
        (None, _, _) => (take.to_owned(), Some("own".to_owned())),
    })
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
