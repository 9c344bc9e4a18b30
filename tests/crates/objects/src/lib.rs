//! Which object is meant, who has it, and when it goes away: one module per question. Lines that take part in a finding end with a
//! comment; everything else is fine.

pub mod associated;
pub mod awaited;
pub mod boxed;
pub mod called_back;
pub mod chosen;
pub mod cloned;
pub mod deep;
pub mod dropped;
pub mod emptied;
pub mod encoders;
pub mod ends;
pub mod fields_elsewhere;
pub mod given_out;
pub mod guarded;
pub mod halves;
pub mod kinds;
pub mod leased;
pub mod lent;
pub mod made;
pub mod paired;
pub mod ports;
pub mod promised;
pub mod provided;
pub mod published;
pub mod received;
pub mod registered;
pub mod run;
pub mod sent;
pub mod shelves;
pub mod sides;
pub mod taken;
pub mod told;
pub mod typed;
pub mod unnamed;

/// Made by callers alone, and a type at the root of the crate: it has parts all the same.
pub struct Party {
    pub guests: std::sync::Mutex<u32>,
    pub meals: std::sync::Mutex<u32>,
}
