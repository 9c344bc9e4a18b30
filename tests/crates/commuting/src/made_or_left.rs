//! What is entered unless there is something by then: whoever was faster made it, and it is left as it is.

use std::collections::HashMap;
use std::sync::Mutex;

/// A cart that is worn out is taken away, and another one built.
#[derive(Clone, Debug)]
pub struct Cart {
    wear: u64,
}

/// Who builds a cart uses it, whether it stays or not.
#[derive(Debug, Default)]
pub struct Stable {
    carts: Mutex<HashMap<String, Cart>>,
}

impl Stable {
    fn usable(&self, farm: &str) -> Option<Cart> {
        let mut carts = self.carts.lock().unwrap();
        let cart = carts.get(farm).cloned()?;
        if cart.wear < 9 {
            return Some(cart);
        }
        carts.remove(farm);
        None
    }

    pub fn cart(&self, farm: &str) -> Cart {
        if let Some(cart) = self.usable(farm) {
            return cart;
        }
        std::thread::yield_now();
        let cart = Cart { wear: 0 };
        self.carts.lock().unwrap().entry(farm.to_string()).or_insert(cart.clone());
        cart
    }
}

/// The new one takes the place of whatever is there by then.
#[derive(Debug, Default)]
pub struct Barn {
    carts: Mutex<HashMap<String, Cart>>,
}

impl Barn {
    fn usable(&self, farm: &str) -> Option<Cart> {
        let mut carts = self.carts.lock().unwrap();
        let cart = carts.get(farm).cloned()?; //~
        if cart.wear < 9 {
            return Some(cart);
        }
        carts.remove(farm);
        None
    }

    pub fn cart(&self, farm: &str) -> Cart {
        if let Some(cart) = self.usable(farm) {
            return cart;
        }
        std::thread::yield_now();
        let cart = Cart { wear: 0 };
        self.carts.lock().unwrap().insert(farm.to_string(), cart.clone()); //~
        cart
    }
}
