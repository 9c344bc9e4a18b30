//! The signatures of tauri that the fixtures use.
pub mod ipc {
    pub struct CommandItem(pub String);
}

pub struct App;

pub struct Builder;

impl Builder {
    pub fn default() -> Self {
        Builder
    }

    pub fn setup<F: FnOnce(&mut App)>(self, _f: F) -> Self {
        self
    }

    pub fn invoke_handler<F: Fn(ipc::CommandItem)>(self, _handler: F) -> Self {
        self
    }
}

pub mod async_runtime {
    pub fn spawn<F: Future>(_future: F) {}

    pub fn block_on<F: Future>(_future: F) -> F::Output {
        unimplemented!()
    }
}
