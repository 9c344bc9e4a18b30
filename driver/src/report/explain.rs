//! What the classes of findings mean, with an example and its fix. The texts are pages of the guide, too.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use robust_analyzer::finding::Class;

use super::class_name;
use super::human::Look;

/// The text of a class, in Markdown.
pub fn text(class: Class) -> &'static str {
    match class {
        Class::LostUpdate => include_str!("../../classes/lost-update.md"),
        Class::CheckThenAct => include_str!("../../classes/check-then-act.md"),
        Class::TornRead => include_str!("../../classes/torn-read.md"),
        Class::TornWrite => include_str!("../../classes/torn-write.md"),
        Class::Order => include_str!("../../classes/order.md"),
        Class::ConfinedCallOffThread => include_str!("../../classes/confined-call-off-thread.md"),
        Class::ObserverOffThread => include_str!("../../classes/observer-off-thread.md"),
        Class::NoRuntimeHere => include_str!("../../classes/no-runtime-here.md"),
        Class::BlockingOnUi => include_str!("../../classes/blocking-on-ui.md"),
        Class::BlockingInAsync => include_str!("../../classes/blocking-in-async.md"),
        Class::RuntimeInRuntime => include_str!("../../classes/runtime-in-runtime.md"),
        Class::LockAcrossAwait => include_str!("../../classes/lock-across-await.md"),
        Class::HeavyOnUi => include_str!("../../classes/heavy-on-ui.md"),
        Class::OutlivesOwner => include_str!("../../classes/outlives-owner.md"),
        Class::PanicAsResult => include_str!("../../classes/panic-as-result.md"),
        Class::LostError => include_str!("../../classes/lost-error.md"),
        Class::NoHandler => include_str!("../../classes/no-handler.md"),
        Class::NeverChecks => include_str!("../../classes/never-checks.md"),
        Class::NeverWoken => include_str!("../../classes/never-woken.md"),
    }
}

/// The first paragraph below the title: the class in a few words, on one line.
pub fn short(class: Class) -> String {
    let paragraphs = text(class).split("\n\n");
    paragraphs.skip(1).map(|paragraph| paragraph.replace('\n', " ")).next().unwrap_or_default()
}

/// The page of a class in the guide's source.
pub fn url(class: Class) -> String {
    format!("{}/blob/main/driver/classes/{}.md", env!("CARGO_PKG_REPOSITORY"), class_name(class))
}

/// The text without markup.
pub fn plain(class: Class) -> String {
    render(class, &Look { color: false, ..Look::default() })
}

/// The text for a reader at a terminal: headings and names stand out, paragraphs fill the width, code is set off.
pub fn render(class: Class, look: &Look) -> String {
    let mut out = String::new();
    let mut text = String::new();
    for event in Parser::new(self::text(class)) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::Paragraph | Tag::CodeBlock(_)) => text.clear(),
            Event::Text(part) => text.push_str(&part),
            Event::Code(part) => text.push_str(&format!("`{part}`")),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::End(TagEnd::Heading(_)) => out.push_str(&format!("{}\n\n", look.bold(&text))),
            Event::End(TagEnd::Paragraph) => {
                out.push_str(&format!("{}\n\n", textwrap::fill(&text, look.width)))
            }
            Event::End(TagEnd::CodeBlock) => {
                out.push_str(&format!("{}\n", look.code(&textwrap::indent(&text, "    "))))
            }
            _ => {}
        }
    }
    out
}

/// The examples in the classes' texts compile.
#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../../classes/lost-update.md")]
    struct LostUpdate;
    #[doc = include_str!("../../classes/check-then-act.md")]
    struct CheckThenAct;
    #[doc = include_str!("../../classes/torn-read.md")]
    struct TornRead;
    #[doc = include_str!("../../classes/torn-write.md")]
    struct TornWrite;
    #[doc = include_str!("../../classes/order.md")]
    struct Order;
    #[doc = include_str!("../../classes/confined-call-off-thread.md")]
    struct ConfinedCallOffThread;
    #[doc = include_str!("../../classes/observer-off-thread.md")]
    struct ObserverOffThread;
    #[doc = include_str!("../../classes/no-runtime-here.md")]
    struct NoRuntimeHere;
    #[doc = include_str!("../../classes/blocking-on-ui.md")]
    struct BlockingOnUi;
    #[doc = include_str!("../../classes/blocking-in-async.md")]
    struct BlockingInAsync;
    #[doc = include_str!("../../classes/runtime-in-runtime.md")]
    struct RuntimeInRuntime;
    #[doc = include_str!("../../classes/lock-across-await.md")]
    struct LockAcrossAwait;
    #[doc = include_str!("../../classes/heavy-on-ui.md")]
    struct HeavyOnUi;
    #[doc = include_str!("../../classes/outlives-owner.md")]
    struct OutlivesOwner;
    #[doc = include_str!("../../classes/panic-as-result.md")]
    struct PanicAsResult;
    #[doc = include_str!("../../classes/lost-error.md")]
    struct LostError;
    #[doc = include_str!("../../classes/no-handler.md")]
    struct NoHandler;
    #[doc = include_str!("../../classes/never-checks.md")]
    struct NeverChecks;
    #[doc = include_str!("../../classes/never-woken.md")]
    struct NeverWoken;
}
