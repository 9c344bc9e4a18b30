// Reduced from tokio 1.49 (7918): what panics relies on two looks at ONE variable that need not agree: an `assert!` that compares them, an index of
// the first used in the second. Notes only ("nothing is changed because of it"). With two variables (`current`, `songs`) an index is denied.
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
        let i = self.songs.read().unwrap().current;
        let songs = self.songs.read().unwrap().clone();
        songs.list[i].clone()
    }

    pub fn count(&self) -> usize {
        let before = self.songs.read().unwrap().list.len();
        let after = self.songs.read().unwrap().list.len();
        assert!(before <= after, "songs vanished");
        after
    }

    pub fn load(&self, songs: Songs) {
        *self.songs.write().unwrap() = songs;
    }
}
