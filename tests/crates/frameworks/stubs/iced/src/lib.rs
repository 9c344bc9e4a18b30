//! The signatures of iced that the fixtures use.
pub struct Task<T>(std::marker::PhantomData<T>);

impl<T> Task<T> {
    pub fn perform<A>(_future: impl Future<Output = A> + Send + 'static, _f: impl Fn(A) -> T + 'static) -> Self {
        Task(std::marker::PhantomData)
    }

    pub fn none() -> Self {
        Task(std::marker::PhantomData)
    }
}

pub fn run<State, Message>(_title: &str, _update: impl Fn(&mut State, Message) -> Task<Message>, _view: impl Fn(&State)) {}
