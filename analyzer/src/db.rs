//! The analysis as salsa queries. So far there is one, from a program to the answers about it; whoever keeps a
//! [`Database`] asks again for nothing when the program is the same.

// The macros make public items that nothing can be written above.
#![allow(missing_docs)]

use crate::check::{self, Options, Outcome};
use crate::ir::Program;

/// What is asked: set anew when it changes.
#[salsa::input]
pub struct Input {
    /// The program.
    #[returns(ref)]
    pub program: Program,
    /// What bounds the search.
    #[returns(ref)]
    pub options: Options,
}

/// The answers about a program: [`check::check`], once per program and options.
#[salsa::tracked(returns(ref))]
pub fn outcome(db: &dyn salsa::Database, input: Input) -> Outcome {
    check::check(input.program(db), input.options(db))
}

/// Where answers are kept.
#[salsa::db]
#[derive(Clone, Default)]
pub struct Database {
    storage: salsa::Storage<Self>,
}

#[salsa::db]
impl salsa::Database for Database {}

#[cfg(test)]
mod tests {
    use salsa::Setter;

    use super::*;
    use crate::check::Verdict;
    use crate::ir::text;

    #[test]
    fn answers_follow_the_program() {
        let parse = |source| text::parse(source, "test").unwrap();
        let buggy = parse("var x; event e on any { read x; write x; }");
        let fixed = parse("lock l; var x; event e on any { acquire l; read x; write x; release l; }");
        let mut db = Database::default();
        let input = Input::new(&db, buggy, Options::default());
        assert_eq!(outcome(&db, input).serializability, Verdict::Violated);
        input.set_program(&mut db).to(fixed);
        assert!(matches!(outcome(&db, input).serializability, Verdict::Holds { .. }));
    }
}
