//! What small sources make large: types that lead to one another in more ways than can be told apart. Each module has a race, and is
//! analysed whole in little memory. Lines that take part in a finding end with a comment; everything else is fine.

pub mod blanket;
pub mod causes;
pub mod layers;
