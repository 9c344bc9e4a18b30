// At most so many calls in a minute: counted in one section, entered in the next.
use std::collections::{HashMap, VecDeque};
use std::sync::RwLock;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ApiKey(pub u64);

#[derive(Default)]
pub struct Limiter { calls: RwLock<HashMap<ApiKey, VecDeque<Instant>>> }

impl Limiter {
    const MOST: usize = 60;
    fn recent(&self, key: ApiKey, now: Instant) -> usize {
        self.calls.read().unwrap().get(&key)
            .map_or(0, |calls| calls.iter().filter(|at| now.duration_since(**at) < Duration::from_secs(60)).count())
    }
    pub fn allow(&self, key: ApiKey) -> bool {
        let now = Instant::now();
        if self.recent(key, now) >= Self::MOST {
            return false;
        }
        let mut calls = self.calls.write().unwrap();
        let calls = calls.entry(key).or_default();
        calls.retain(|at| now.duration_since(*at) < Duration::from_secs(60));
        if calls.len() >= Self::MOST {
            return false;
        }
        calls.push_back(now);
        true
    }
}
