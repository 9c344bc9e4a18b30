// The most urgent order of a heap is looked at, then popped: by then another one may be on top.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use parking_lot::{Condvar, Mutex};

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order { pub due: u64, pub table: u32 }

#[derive(Default)]
pub struct Kitchen { orders: Mutex<BinaryHeap<Reverse<Order>>>, more: Condvar }

impl Kitchen {
    pub fn order(&self, due: u64, table: u32) { self.orders.lock().push(Reverse(Order { due, table })); self.more.notify_one(); }
    pub fn next(&self, now: u64) -> Option<u32> {
        let mut orders = self.orders.lock();
        if !orders.peek().is_some_and(|Reverse(order)| order.due <= now) { return None; }
        orders.pop().map(|Reverse(order)| order.table)
    }
    pub fn wait(&self) -> Order {
        let mut orders = self.orders.lock();
        loop {
            if let Some(Reverse(order)) = orders.pop() { return order; }
            self.more.wait(&mut orders);
        }
    }
}
