//! What the classes of findings mean, with an example and its fix. The texts are the pages of `docs/src/classes`.

use robust_analyzer::finding::Class;

/// The text of a class, in Markdown.
pub fn text(class: Class) -> &'static str {
    match class {
        Class::LostUpdate => include_str!("../../../docs/src/classes/lost-update.md"),
        Class::CheckThenAct => include_str!("../../../docs/src/classes/check-then-act.md"),
        Class::TornRead => include_str!("../../../docs/src/classes/torn-read.md"),
        Class::TornWrite => include_str!("../../../docs/src/classes/torn-write.md"),
        Class::Order => include_str!("../../../docs/src/classes/order.md"),
    }
}

/// The first paragraph below the title: the class in a few words, on one line.
pub fn short(class: Class) -> String {
    let paragraphs = text(class).split("\n\n");
    paragraphs.skip(1).map(|paragraph| paragraph.replace('\n', " ")).next().unwrap_or_default()
}

/// The examples in the classes' texts compile.
#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../../../docs/src/classes/lost-update.md")]
    struct LostUpdate;
    #[doc = include_str!("../../../docs/src/classes/check-then-act.md")]
    struct CheckThenAct;
    #[doc = include_str!("../../../docs/src/classes/torn-read.md")]
    struct TornRead;
    #[doc = include_str!("../../../docs/src/classes/torn-write.md")]
    struct TornWrite;
    #[doc = include_str!("../../../docs/src/classes/order.md")]
    struct Order;
}
