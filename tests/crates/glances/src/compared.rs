//! Who computes without the lock, and stores only if what it went by is there still: compared as a text, as a whole, in a closure, by a truth value that is
//! returned, too.

use std::sync::Mutex;

#[derive(Clone, PartialEq, Default)]
pub struct Session {
    token: String,
    hits: u64,
}

#[derive(Default)]
pub struct Login {
    by_text: Mutex<Option<Session>>,
    by_whole: Mutex<Option<Session>>,
    by_closure: Mutex<Option<Session>>,
    by_answer: Mutex<Option<Session>>,
    by_arms: Mutex<Option<Session>>,
    unasked: Mutex<Option<Session>>,
    asked_of_another: Mutex<Option<Session>>,
}

fn renewed(old: &Session) -> Session {
    Session { token: old.token.clone() + "+", hits: old.hits + 1 }
}

impl Login {
    pub fn sign_in_by_text(&self, session: Session) {
        *self.by_text.lock().unwrap() = Some(session);
    }

    pub fn sign_in_by_whole(&self, session: Session) {
        *self.by_whole.lock().unwrap() = Some(session);
    }

    pub fn sign_in_by_closure(&self, session: Session) {
        *self.by_closure.lock().unwrap() = Some(session);
    }

    pub fn sign_in_by_answer(&self, session: Session) {
        *self.by_answer.lock().unwrap() = Some(session);
    }

    pub fn sign_in_by_arms(&self, session: Session) {
        *self.by_arms.lock().unwrap() = Some(session);
    }

    pub fn sign_in_unasked(&self, session: Session) {
        *self.unasked.lock().unwrap() = Some(session);
    }

    pub fn sign_in_asked_of_another(&self, session: Session) {
        *self.asked_of_another.lock().unwrap() = Some(session);
    }

    pub fn renew_by_text(&self) {
        let Some(old) = self.by_text.lock().unwrap().clone() else { return };
        let new = renewed(&old);
        let mut current = self.by_text.lock().unwrap();
        match &*current {
            Some(session) if session.token == old.token => *current = Some(new),
            _ => {}
        }
    }

    pub fn renew_by_whole(&self) {
        let Some(old) = self.by_whole.lock().unwrap().clone() else { return };
        let new = renewed(&old);
        let mut current = self.by_whole.lock().unwrap();
        if *current == Some(old) {
            *current = Some(new);
        }
    }

    pub fn renew_by_closure(&self) {
        let Some(old) = self.by_closure.lock().unwrap().clone() else { return };
        let new = renewed(&old);
        let mut current = self.by_closure.lock().unwrap();
        if current.as_ref().is_some_and(|session| session.token == old.token) {
            *current = Some(new);
        }
    }

    pub fn renew_by_answer(&self) -> bool {
        let Some(old) = self.by_answer.lock().unwrap().clone() else { return false };
        let new = renewed(&old);
        let mut current = self.by_answer.lock().unwrap();
        let same = current.as_ref().is_some_and(|session| session.token == old.token);
        if same {
            *current = Some(new);
        }
        same
    }

    pub fn renew_by_arms(&self) -> bool {
        let Some(old) = self.by_arms.lock().unwrap().clone() else { return false };
        let new = renewed(&old);
        let mut current = self.by_arms.lock().unwrap();
        let same = match &*current {
            Some(session) => session.token == old.token,
            None => false,
        };
        if same {
            *current = Some(new);
        }
        same
    }

    /// Whether there is one still is not what it went by.
    pub fn renew_unasked(&self) {
        let Some(old) = self.unasked.lock().unwrap().clone() else { return }; //~
        let new = renewed(&old);
        let mut current = self.unasked.lock().unwrap();
        if current.is_some() { //~
            *current = Some(new);
        }
    }

    /// Compared with something else.
    pub fn renew_another(&self, expected: &str) {
        let Some(old) = self.asked_of_another.lock().unwrap().clone() else { return }; //~
        let new = renewed(&old);
        let mut current = self.asked_of_another.lock().unwrap();
        if current.as_ref().is_some_and(|session| session.token == expected) { //~
            *current = Some(new);
        }
    }
}
