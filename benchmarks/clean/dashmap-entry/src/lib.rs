//! Visits per page.

use dashmap::DashMap;

#[derive(Default)]
pub struct Visits {
    pages: DashMap<String, u64>,
}

impl Visits {
    pub fn count(&self, page: &str) -> u64 {
        let mut visits = self.pages.entry(page.to_owned()).or_insert(0);
        *visits += 1;
        *visits
    }

    pub fn of(&self, page: &str) -> u64 {
        self.pages.get(page).map_or(0, |visits| *visits)
    }
}
