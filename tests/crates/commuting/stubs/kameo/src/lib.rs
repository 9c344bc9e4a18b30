//! The signatures of kameo that the fixtures use.

pub trait Actor: Sized + Send + 'static {}

pub mod message {
    pub struct Context<A, R>(pub std::marker::PhantomData<(A, R)>);

    pub trait Message<T: Send + 'static>: super::Actor {
        type Reply;

        fn handle(
            &mut self,
            message: T,
            context: &mut Context<Self, Self::Reply>,
        ) -> impl Future<Output = Self::Reply> + Send;
    }
}
