//! What takes a third call, in types with many operations: one that leaves the state in which two others do harm.

use std::sync::Mutex;

/// A token is renewed if there is one, with the lock released in between: who is set anew meanwhile is lost.
#[derive(Default)]
pub struct Tokens {
    red: Mutex<Option<u32>>,
    blue: Mutex<Option<u32>>,
    green: Mutex<Option<u32>>,
    black: Mutex<Option<u32>>,
    white: Mutex<Option<u32>>,
    grey: Mutex<Option<u32>>,
}

impl Tokens {
    pub fn set(&self, token: u32) {
        *self.red.lock().unwrap() = Some(token);
        *self.blue.lock().unwrap() = Some(token + 1);
        *self.green.lock().unwrap() = Some(token + 2);
        *self.black.lock().unwrap() = Some(token + 3);
        *self.white.lock().unwrap() = Some(token + 4);
        *self.grey.lock().unwrap() = Some(token + 5);
    }

    pub fn renew_red(&self) {
        if let Some(token) = self.red.lock().unwrap().as_mut() {
            *token += 10;
        }
    }

    pub fn renew_blue(&self) {
        if let Some(token) = self.blue.lock().unwrap().as_mut() {
            *token += 20;
        }
    }

    pub fn renew_green(&self) {
        if let Some(token) = self.green.lock().unwrap().as_mut() {
            *token += 30;
        }
    }

    pub fn renew_black(&self) {
        if let Some(token) = self.black.lock().unwrap().as_mut() {
            *token += 40;
        }
    }

    pub fn renew_white(&self) {
        if let Some(token) = self.white.lock().unwrap().as_mut() {
            *token += 50;
        }
    }

    pub fn renew_grey(&self) {
        let token = *self.grey.lock().unwrap(); //~
        if let Some(token) = token {
            *self.grey.lock().unwrap() = Some(token + 60); //~
        }
    }
}
