//! The signatures of tauri that the fixtures use.
pub struct State<'r, T>(&'r T);

impl<T> std::ops::Deref for State<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0
    }
}

pub mod ipc {
    pub struct CommandItem(pub String);

    pub trait CommandArg: Sized {
        fn from_command(item: &CommandItem) -> Result<Self, ()>;
    }

    impl<T> CommandArg for super::State<'_, T> {
        fn from_command(_item: &CommandItem) -> Result<Self, ()> {
            Err(())
        }
    }
}

pub struct Builder;

impl Builder {
    pub fn default() -> Self {
        Builder
    }

    pub fn manage<T>(self, _state: T) -> Self {
        self
    }

    pub fn invoke_handler<F: Fn(ipc::CommandItem)>(self, _handler: F) -> Self {
        self
    }
}

pub mod async_runtime {
    pub fn spawn<F: Future>(_future: F) {}
}
