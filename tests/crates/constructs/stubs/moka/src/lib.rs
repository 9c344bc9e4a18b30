//! The signatures of moka that the fixtures use.
pub mod future {
    pub struct Cache<K, V>(std::marker::PhantomData<(K, V)>);

    impl<K, V> Cache<K, V> {
        pub fn new(_capacity: u64) -> Self {
            Cache(std::marker::PhantomData)
        }

        pub async fn get(&self, _key: &K) -> Option<V> {
            None
        }

        pub async fn insert(&self, _key: K, _value: V) {}

        pub async fn get_with(&self, _key: K, init: impl Future<Output = V>) -> V {
            init.await
        }
    }
}
