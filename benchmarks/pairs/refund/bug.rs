//! What could not be delivered is put back as the number that was there before.
use std::sync::Arc;
use tokio::sync::Mutex;
pub struct Order { pub sku: u32, pub pieces: u32 }
#[derive(Clone, Default)]
pub struct Stock { pieces: Arc<Mutex<u32>> }
async fn ship(order: &Order) -> Result<(), &'static str> {
    tokio::task::yield_now().await;
    if order.sku == 0 { Err("unknown") } else { Ok(()) }
}
impl Stock {
    pub async fn sell(&self, order: Order) -> Result<(), &'static str> {
        let before = {
            let mut pieces = self.pieces.lock().await;
            let before = *pieces; //~
            *pieces = before.checked_sub(order.pieces).ok_or("sold out")?;
            before
        };
        let shipped = ship(&order).await;
        if shipped.is_err() {
            *self.pieces.lock().await = before; //~
        }
        shipped
    }
    pub async fn restock(&self, pieces: u32) { *self.pieces.lock().await += pieces; }
}

