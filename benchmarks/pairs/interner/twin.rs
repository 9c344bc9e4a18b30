//! An upgradable read lock excludes other upgradable ones, and is upgraded at once.
use parking_lot::{RwLock, RwLockUpgradableReadGuard};
use std::collections::HashMap;
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol(u32);
#[derive(Default)]
struct Table { by_name: HashMap<Box<str>, Symbol>, names: Vec<Box<str>> }
#[derive(Default)]
pub struct Interner { table: RwLock<Table> }
impl Interner {
    pub fn intern(&self, name: &str) -> Symbol {
        let table = self.table.upgradable_read();
        if let Some(found) = table.by_name.get(name) {
            return *found;
        }
        let mut table = RwLockUpgradableReadGuard::upgrade(table);
        let symbol = Symbol(table.names.len() as u32);
        table.names.push(name.into());
        table.by_name.insert(name.into(), symbol);
        symbol
    }
    pub fn resolve(&self, symbol: Symbol) -> Option<String> {
        self.table.read().names.get(symbol.0 as usize).map(|name| name.to_string())
    }
}
