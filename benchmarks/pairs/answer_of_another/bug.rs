//! The question goes by one channel, the answer by another that all callers share: two at once get each other's, and a caller that is dropped in between leaves its answer to the next.
use tokio::sync::{mpsc, Mutex};
pub struct Handle { questions: mpsc::Sender<String>, answers: Mutex<mpsc::Receiver<usize>> }
impl Handle {
    pub fn start() -> Self {
        let (questions, mut asked) = mpsc::channel::<String>(8);
        let (answer, answers) = mpsc::channel(8);
        tokio::spawn(async move {
            while let Some(question) = asked.recv().await {
                if answer.send(question.len()).await.is_err() { break; }
            }
        });
        Self { questions, answers: Mutex::new(answers) }
    }
    pub async fn length(&self, text: &str) -> usize {
        self.questions.send(text.to_string()).await.unwrap(); //~
        self.answers.lock().await.recv().await.unwrap_or_default() //~
    }
}
