// The index of a row is looked up, then used to take it out; meanwhile it is another's.
use indexmap::IndexMap;
use std::sync::RwLock;

pub struct Row { pub text: String, pub stars: u32 }

#[derive(Default)]
pub struct Rows { rows: RwLock<IndexMap<u64, Row>> }

impl Rows {
    pub fn put(&self, id: u64, text: &str) { self.rows.write().unwrap().insert(id, Row { text: text.into(), stars: 0 }); }
    pub fn take(&self, id: u64) -> Option<Row> {
        self.rows.read().unwrap().get_index_of(&id)?;
        self.rows.write().unwrap().swap_remove(&id)
    }
    pub fn star(&self, id: u64) -> Option<u32> {
        let mut rows = self.rows.write().unwrap();
        let row = rows.get_mut(&id)?;
        row.stars += 1;
        Some(row.stars)
    }
}
