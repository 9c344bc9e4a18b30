//! Each question brings the channel for its own answer.
use tokio::sync::{mpsc, oneshot};
pub struct Handle { questions: mpsc::Sender<(String, oneshot::Sender<usize>)> }
impl Handle {
    pub fn start() -> Self {
        let (questions, mut asked) = mpsc::channel::<(String, oneshot::Sender<usize>)>(8);
        tokio::spawn(async move {
            while let Some((question, answer)) = asked.recv().await {
                answer.send(question.len()).ok();
            }
        });
        Self { questions }
    }
    pub async fn length(&self, text: &str) -> usize {
        let (answer, answered) = oneshot::channel();
        self.questions.send((text.to_string(), answer)).await.unwrap();
        answered.await.unwrap_or_default()
    }
}
