//! Errors whose cause may be any error: there are as many ways through them as there are orders of them.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex};

type Cause = Box<dyn Error + Send + Sync>;

macro_rules! errors {
    ($($name:ident from $other:ident),*) => {$(
        #[derive(Debug)]
        pub enum $name {
            Empty,
            Number(u16, usize),
            Text(String),
            Caused(Cause),
            Shared(Arc<$other>),
            Other { what: String, cause: Option<Cause> },
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $name::Caused(cause) => cause.fmt(f),
                    $name::Shared(other) => other.fmt(f),
                    $name::Text(text) => f.write_str(text),
                    _ => f.write_str(stringify!($name)),
                }
            }
        }

        impl Error for $name {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                match self {
                    $name::Caused(cause) => Some(&**cause),
                    $name::Other { cause: Some(cause), .. } => Some(&**cause),
                    $name::Shared(other) => Some(other),
                    _ => None,
                }
            }
        }

        impl From<$other> for $name {
            fn from(error: $other) -> $name {
                match error {
                    $other::Empty => $name::Empty,
                    $other::Caused(cause) => $name::Other { what: cause.to_string(), cause: Some(cause) },
                    other => $name::Caused(other.into()),
                }
            }
        }
    )*};
}

errors!(
    Parsed from Read, Read from Written, Written from Sent, Sent from Heard, Heard from Framed, Framed from Asked, Asked from Told,
    Told from Opened, Opened from Shut, Shut from Named, Named from Counted, Counted from Signed, Signed from Kept, Kept from Lost,
    Lost from Found, Found from Stored, Stored from Loaded, Loaded from Parsed
);

#[derive(Default)]
pub struct Sessions {
    open: Mutex<Vec<u32>>,
    last: Mutex<Option<Arc<Opened>>>,
}

impl Sessions {
    fn check(&self, session: u32) -> Result<(), Opened> {
        match session {
            0 => Err(Shut::Empty.into()),
            1 => Err(Opened::Caused(Box::new(Named::Text("one".into())))),
            _ => Ok(()),
        }
    }

    pub fn open(&self, session: u32) -> Result<bool, Asked> {
        self.check(session).map_err(|error| Asked::from(Told::from(error)))?;
        if self.open.lock().unwrap().contains(&session) { //~
            return Ok(false);
        }
        self.open.lock().unwrap().push(session); //~
        Ok(true)
    }

    pub fn open_at_once(&self, session: u32) -> Result<bool, Asked> {
        self.check(session).map_err(|error| Asked::from(Told::from(error)))?;
        let mut open = self.open.lock().unwrap();
        if open.contains(&session) {
            return Ok(false);
        }
        open.push(session); //~
        Ok(true)
    }

    pub fn fail(&self, error: Opened) {
        *self.last.lock().unwrap() = Some(Arc::new(error));
    }

    pub fn last(&self) -> Option<Arc<Opened>> {
        self.last.lock().unwrap().clone()
    }
}
