//! For tests that are watched.

/// Doubles, in a task.
pub async fn double(number: u32) -> u32 {
    tokio::spawn(async move { 2 * number }).await.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn doubles() {
        assert_eq!(super::double(2).await, 4);
    }
}
