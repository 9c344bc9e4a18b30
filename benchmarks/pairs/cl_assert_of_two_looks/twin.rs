// Repaired: one look.
use std::sync::RwLock;

#[derive(Clone, Default)]
pub struct Songs {
    current: usize,
    list: Vec<String>,
}

#[derive(Default)]
pub struct Playlist {
    songs: RwLock<Songs>,
}

impl Playlist {
    pub fn now_playing(&self) -> String {
        let songs = self.songs.read().unwrap().clone();
        songs.list[songs.current].clone()
    }

    pub fn count(&self) -> usize {
        self.songs.read().unwrap().list.len()
    }

    pub fn load(&self, songs: Songs) {
        *self.songs.write().unwrap() = songs;
    }
}
