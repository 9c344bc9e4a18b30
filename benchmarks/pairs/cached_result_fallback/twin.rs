// Source: jaemk/cached pull request #307 (result_fallback lost update)
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use once_cell::sync::Lazy;

/// Cache store bound by time.
pub struct TtlCache<V> {
    store: HashMap<u64, (Instant, V)>,
    ttl: Duration,
    misses: u64,
}

impl<V: Clone> TtlCache<V> {
    pub fn with_ttl(ttl: Duration) -> Self {
        TtlCache { store: HashMap::new(), ttl, misses: 0 }
    }

    /// The value with whether it is expired: an expired one is returned, too.
    pub fn cache_get_with_expiry_status(&mut self, key: &u64) -> (Option<V>, bool) {
        let (value, expired) = self.cache_peek_with_expiry_status(key);
        if value.is_none() || expired {
            self.misses += 1;
        }
        (value, expired)
    }

    /// As `cache_get_with_expiry_status`, without side effects.
    pub fn cache_peek_with_expiry_status(&self, key: &u64) -> (Option<V>, bool) {
        match self.store.get(key) {
            Some((instant, value)) => (Some(value.clone()), instant.elapsed() >= self.ttl),
            None => (None, false),
        }
    }

    pub fn cache_set(&mut self, key: u64, value: V) -> Option<V> {
        self.store.insert(key, (Instant::now(), value)).map(|(_, value)| value)
    }

    pub fn cache_remove(&mut self, key: &u64) -> Option<V> {
        self.store.remove(key).map(|(_, value)| value)
    }

    pub fn cache_size(&self) -> usize {
        self.store.len()
    }
}

#[derive(Clone, Debug)]
pub struct Account {
    pub id: u64,
    pub revision: u64,
}

#[derive(Debug)]
pub struct FetchError(pub String);

/// Cached static for the [`account`] function.
pub static ACCOUNT: Lazy<Mutex<TtlCache<Account>>> =
    Lazy::new(|| Mutex::new(TtlCache::with_ttl(Duration::from_secs(60))));

/// What `#[cached(result_fallback = true, ttl_secs = 60)]` makes of a function: when the
/// function fails, the last value that it gave is given, even though it is expired.
pub fn account(
    id: u64,
    fetch: impl FnOnce(u64) -> Result<Account, FetchError>,
) -> Result<Account, FetchError> {
    let __cached_key = id;
    {
        let mut __cached_cache = ACCOUNT.lock().unwrap();
        let (__cached_val, __cached_expired) =
            __cached_cache.cache_get_with_expiry_status(&__cached_key);
        if let Some(__cached_val) = __cached_val {
            if !__cached_expired {
                return Ok(__cached_val);
            }
        }
    }
    let __cached_result = fetch(id);
    let mut __cached_cache = ACCOUNT.lock().unwrap();
    // Read the fallback under the SAME lock that the write below takes. The
    // cache lock is released while the body runs, so a concurrent call may
    // have stored a newer `Ok` in the meantime; falling back to a pre-body
    // snapshot would overwrite that newer value with a stale one.
    let __cached_result = if __cached_result.is_err() {
        let (__cached_fallback, _) =
            __cached_cache.cache_peek_with_expiry_status(&__cached_key);
        match __cached_fallback {
            Some(__cached_fallback) => Ok(__cached_fallback),
            None => __cached_result,
        }
    } else {
        __cached_result
    };
    if let Ok(__cached_ok_val) = &__cached_result {
        __cached_cache.cache_set(__cached_key, __cached_ok_val.clone());
    }
    __cached_result
}

/// Forgets an account.
pub fn account_forget(id: u64) -> Option<Account> {
    ACCOUNT.lock().unwrap().cache_remove(&id)
}

pub fn account_cached() -> usize {
    ACCOUNT.lock().unwrap().cache_size()
}
