//! Helpers that lend a guard if there is one to lend: who has one holds the lock.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

type Tenant = Option<String>;

pub struct Doors {
    row: Vec<Mutex<Tenant>>,
    by_name: HashMap<String, Mutex<Tenant>>,
    cellar: tokio::sync::Mutex<Tenant>,
    has_cellar: Option<u8>,
}

impl Doors {
    /// Nothing, early.
    fn numbered(&self, number: usize) -> Option<MutexGuard<'_, Tenant>> {
        let door = self.row.get(number)?;
        Some(door.lock().unwrap())
    }

    /// An error, early, or that of the lock.
    fn named(&self, name: &str) -> Result<MutexGuard<'_, Tenant>, String> {
        let door = self.by_name.get(name).ok_or("no such door")?;
        door.lock().map_err(|error| error.to_string())
    }

    /// Nothing, early, before it waits.
    async fn below(&self) -> Option<tokio::sync::MutexGuard<'_, Tenant>> {
        self.has_cellar?;
        Some(self.cellar.lock().await)
    }
}

/// One guard from the look to the change.
pub struct Rented {
    doors: Doors,
}

impl Rented {
    pub fn numbered(&self, number: usize, who: String) -> bool {
        let Some(mut door) = self.doors.numbered(number) else { return false };
        if door.is_some() {
            return false;
        }
        *door = Some(who);
        true
    }

    pub fn named(&self, name: &str, who: String) -> Result<bool, String> {
        let mut door = self.doors.named(name)?;
        if door.is_some() {
            return Ok(false);
        }
        *door = Some(who);
        Ok(true)
    }

    pub async fn below(&self, who: String) -> bool {
        match self.doors.below().await {
            Some(mut cellar) if cellar.is_none() => {
                *cellar = Some(who);
                true
            }
            _ => false,
        }
    }
}

/// A guard for the look and another one for the change.
pub struct RentedTwice {
    doors: Doors,
}

impl RentedTwice {
    pub fn numbered(&self, number: usize, who: String) -> Option<()> {
        if self.doors.numbered(number)?.is_some() { //~
            return None;
        }
        *self.doors.numbered(number)? = Some(who); //~
        Some(())
    }

    pub fn named(&self, name: &str, who: String) -> Result<bool, String> {
        if self.doors.named(name)?.is_some() { //~
            return Ok(false);
        }
        *self.doors.named(name)? = Some(who); //~
        Ok(true)
    }

    pub async fn below(&self, who: String) -> Option<()> {
        if self.doors.below().await?.is_some() { //~
            return None;
        }
        *self.doors.below().await? = Some(who); //~
        Some(())
    }
}
