// joaquinbejar/PriceLevel issue #62
use parking_lot::RwLock;
use std::collections::hash_map::DefaultHasher;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Order {
    pub id: u64,
    pub visible: u64,
    pub hidden: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fill {
    pub maker: u64,
    pub quantity: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PriceLevelSnapshot {
    pub price: u64,
    pub visible_quantity: u64,
    pub hidden_quantity: u64,
    pub order_count: usize,
    pub orders: Vec<Order>,
}

impl PriceLevelSnapshot {
    pub fn checksum(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

#[derive(Default)]
struct LevelState {
    visible: u64,
    hidden: u64,
    orders: VecDeque<Order>,
}

pub struct PriceLevel {
    price: u64,
    state: RwLock<LevelState>,
}

impl PriceLevel {
    pub fn new(price: u64) -> Self {
        Self {
            price,
            state: RwLock::new(LevelState::default()),
        }
    }

    pub fn visible_quantity(&self) -> u64 {
        self.state.read().visible
    }

    pub fn hidden_quantity(&self) -> u64 {
        self.state.read().hidden
    }

    pub fn order_count(&self) -> usize {
        self.state.read().orders.len()
    }

    pub fn snapshot_orders(&self) -> Vec<Order> {
        self.state.read().orders.iter().cloned().collect()
    }

    pub fn add_order(&self, order: Order) {
        let mut state = self.state.write();
        state.visible += order.visible;
        state.hidden += order.hidden;
        state.orders.push_back(order);
    }

    pub fn match_order(&self, mut quantity: u64) -> Vec<Fill> {
        let mut fills = Vec::new();
        let mut state = self.state.write();
        while quantity > 0 {
            let Some(mut maker) = state.orders.pop_front() else {
                break;
            };
            let taken = quantity.min(maker.visible);
            quantity -= taken;
            maker.visible -= taken;
            state.visible -= taken;
            fills.push(Fill { maker: maker.id, quantity: taken });
            if maker.visible > 0 {
                state.orders.push_front(maker);
            } else if maker.hidden > 0 {
                maker.visible = std::mem::take(&mut maker.hidden);
                state.hidden -= maker.visible;
                state.visible += maker.visible;
                state.orders.push_back(maker);
            }
        }
        fills
    }

    pub fn snapshot(&self) -> PriceLevelSnapshot {
        let orders = self.snapshot_orders();
        PriceLevelSnapshot {
            price: self.price,
            visible_quantity: orders.iter().map(|o| o.visible).sum(),
            hidden_quantity: orders.iter().map(|o| o.hidden).sum(),
            order_count: orders.len(),
            orders,
        }
    }

    pub fn snapshot_package(&self) -> (PriceLevelSnapshot, u64) {
        let snapshot = self.snapshot();
        let checksum = snapshot.checksum();
        (snapshot, checksum)
    }
}
