//! A cell that is filled only once: who comes too late changes nothing, and goes on with what is there.

use std::sync::OnceLock;

#[derive(Debug)]
pub struct Pool {
    pub size: usize,
}

static POOL: OnceLock<Pool> = OnceLock::new();

pub fn pool(url: &str) -> &'static Pool {
    if let Some(pool) = POOL.get() {
        return pool;
    }
    let _ = POOL.set(Pool { size: url.len() });
    POOL.get().unwrap()
}

/// Who comes too late looks what is there.
#[derive(Default)]
pub struct Provider {
    name: OnceLock<String>,
}

impl Provider {
    pub fn name(&self) -> Result<&str, String> {
        if self.name.get().is_none() {
            self.name
                .set("ring".to_string())
                .or_else(|_| self.name.get().map(|_| ()).ok_or_else(|| "gone".to_string()))?;
        }
        Ok(self.name.get().unwrap())
    }
}

/// Who comes too late panics.
static KEY: OnceLock<Pool> = OnceLock::new();

pub fn key(text: &str) -> &'static Pool {
    if let Some(key) = KEY.get() { //~
        return key;
    }
    KEY.set(Pool { size: text.len() }).expect("set once"); //~
    KEY.get().unwrap()
}

/// The same in a struct.
#[derive(Default)]
pub struct Session {
    user: OnceLock<Pool>,
}

impl Session {
    pub fn enter(&self, user: &str) -> &Pool {
        if let Some(user) = self.user.get() { //~
            return user;
        }
        self.user.set(Pool { size: user.len() }).expect("set once"); //~
        self.user.get().unwrap()
    }
}
