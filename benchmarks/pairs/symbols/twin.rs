// Strings become numbers: looked up, counted, entered.
use hashbrown::HashMap;
use spin::Mutex;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol(u32);

#[derive(Default)]
struct Table { numbers: HashMap<String, Symbol>, names: Vec<String> }

#[derive(Default)]
pub struct Symbols { table: Mutex<Table> }

impl Symbols {
    pub fn intern(&self, name: &str) -> Symbol {
        let mut guard = self.table.lock();
        let table = &mut *guard;
        if let Some(symbol) = table.numbers.get(name) { return *symbol; }
        let symbol = Symbol(table.names.len() as u32);
        table.names.push(name.to_string());
        table.numbers.insert(name.to_string(), symbol);
        symbol
    }
    pub fn name(&self, symbol: Symbol) -> Option<String> { self.table.lock().names.get(symbol.0 as usize).cloned() }
}
