//! Room that cargo has for compilations: it knows of one in each wrapper, and those beside it need a token of its jobserver.

use jobserver::{Acquired, Client};

/// Cargo's jobserver.
pub(super) struct Tokens(Option<Client>);

/// Room for one compilation beside the one that cargo knows of. It is given back when this is dropped.
pub(super) struct Token {
    acquired: Option<Acquired>,
}

impl Token {
    /// The room that cargo gave without being asked: for the compilation that it knows of, or after it.
    pub const OWN: Token = Token { acquired: None };

    /// Whether it came from the jobserver.
    pub fn is_borrowed(&self) -> bool {
        self.acquired.is_some()
    }
}

impl Tokens {
    /// Connects to the jobserver that the environment names. To be called before any file is opened.
    #[allow(unsafe_code)]
    pub fn of_cargo() -> Tokens {
        // SAFETY: the file descriptors that the environment names are those that cargo opened in this process for that purpose. As no
        // other file was opened since, nothing else has their numbers.
        Tokens(unsafe { Client::from_env() })
    }

    /// A token, if there is one now. Where nobody counts, there is always one; where it cannot be asked for without waiting, never.
    pub fn take(&self) -> Option<Token> {
        match &self.0 {
            None => Some(Token::OWN),
            Some(client) => {
                let acquired = client.try_acquire().ok().flatten()?;
                Some(Token { acquired: Some(acquired) })
            }
        }
    }
}
