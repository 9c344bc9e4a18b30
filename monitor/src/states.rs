//! Where a task's tables are: small, as there may be very many tasks.

/// So many tables need no memory of their own.
const FEW: usize = 11;

/// That a violation was told of. Tables have fewer states.
const TOLD: u16 = 1 << 15;

/// By property: the state of its table, and whether its violation was told of.
#[derive(Debug)]
pub(crate) enum States {
    Few([u16; FEW]),
    Many(Box<[u16]>),
}

impl States {
    /// All tables at their first states.
    pub fn new(properties: usize) -> Self {
        if properties <= FEW { States::Few([0; FEW]) } else { States::Many(vec![0; properties].into()) }
    }

    fn all(&mut self) -> &mut [u16] {
        match self {
            States::Few(all) => all,
            States::Many(all) => all,
        }
    }

    /// The state of a property's table, and whether its violation was told of.
    pub fn get(&mut self, property: usize) -> (u16, bool) {
        let entry = self.all().get(property).copied().unwrap_or(0);
        (entry & !TOLD, entry & TOLD != 0)
    }

    /// A property's table goes on.
    pub fn set(&mut self, property: usize, state: u16, told: bool) {
        if let Some(entry) = self.all().get_mut(property) {
            *entry = state & !TOLD | if told { TOLD } else { 0 };
        }
    }
}
