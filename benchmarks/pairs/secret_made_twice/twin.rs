// The first one who needs the secret makes it; all must use the same one.
use once_cell::sync::OnceCell;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret(u64);

fn random() -> Secret { Secret(RandomState::new().build_hasher().finish()) }

#[derive(Default)]
pub struct Signer { secret: OnceCell<Secret> }

impl Signer {
    fn secret(&self) -> Secret {
        if let Some(secret) = self.secret.get() {
            return *secret;
        }
        let _ = self.secret.set(random());
        *self.secret.get().unwrap()
    }
    pub fn sign(&self, data: &str) -> u64 { data.bytes().fold(self.secret().0, |h, b| h.rotate_left(5) ^ u64::from(b)) }
    pub fn verify(&self, data: &str, signature: u64) -> bool { self.sign(data) == signature }
}
