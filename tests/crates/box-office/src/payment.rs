use std::time::Duration;

pub struct Declined;

/// Asks the bank.
pub async fn charge(buyer: &str, amount: u32) -> Result<(), Declined> {
    tokio::time::sleep(Duration::from_millis(20)).await;
    if buyer.is_empty() && amount > 0 { Err(Declined) } else { Ok(()) }
}
