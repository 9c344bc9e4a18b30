// yologdev/yoagent (issue #84): an Agent that is dropped while it streams drops the JoinHandle of its loop without abort; the loop runs on as an orphan and keeps the tools and the event channel.
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentMessage {
    User(String),
    Assistant(String),
    ToolResult { name: String, output: String },
}

#[derive(Clone, Debug)]
pub enum AgentEvent {
    TurnStart,
    Message(AgentMessage),
    ToolFailed(String),
    End,
}

pub enum ModelReply {
    Text(String),
    ToolCall { name: String, input: String },
}

#[async_trait]
pub trait Model: Send + Sync + 'static {
    async fn next(&self, messages: &[AgentMessage]) -> Result<ModelReply, String>;
}

#[async_trait]
pub trait AgentTool: Send + Sync {
    fn name(&self) -> &str;
    async fn execute(&self, input: &str) -> Result<String, String>;
}

type Tools = HashMap<String, Box<dyn AgentTool>>;

struct AgentLoop<M> {
    model: Arc<M>,
    tools: Tools,
    messages: Vec<AgentMessage>,
    events: mpsc::UnboundedSender<AgentEvent>,
    cancel: CancellationToken,
}

impl<M: Model> AgentLoop<M> {
    fn push(&mut self, message: AgentMessage) {
        let _ = self.events.send(AgentEvent::Message(message.clone()));
        self.messages.push(message);
    }

    async fn call(&mut self, name: String, input: String) {
        let output = match self.tools.get(&name) {
            Some(tool) => tool.execute(&input).await,
            None => Err(format!("no tool {name}")),
        };
        if output.is_err() {
            let _ = self.events.send(AgentEvent::ToolFailed(name.clone()));
        }
        let output = output.unwrap_or_else(|e| e);
        self.push(AgentMessage::ToolResult { name, output });
    }

    async fn run(mut self) -> (Tools, Vec<AgentMessage>) {
        while !self.cancel.is_cancelled() {
            let _ = self.events.send(AgentEvent::TurnStart);
            match self.model.next(&self.messages).await {
                Ok(ModelReply::ToolCall { name, input }) => self.call(name, input).await,
                Ok(ModelReply::Text(text)) => {
                    self.push(AgentMessage::Assistant(text));
                    break;
                }
                Err(error) => {
                    self.push(AgentMessage::Assistant(error));
                    break;
                }
            }
        }
        let _ = self.events.send(AgentEvent::End);
        (self.tools, self.messages)
    }
}

pub struct Agent<M> {
    model: Arc<M>,
    tools: Tools,
    messages: Vec<AgentMessage>,
    cancel: Option<CancellationToken>,
    pending_completion: Option<JoinHandle<(Tools, Vec<AgentMessage>)>>, //~
}

impl<M: Model> Agent<M> {
    pub fn new(model: M) -> Self {
        Self { model: Arc::new(model), tools: Tools::new(), messages: Vec::new(), cancel: None, pending_completion: None }
    }

    pub fn with_tool(mut self, tool: Box<dyn AgentTool>) -> Self {
        self.tools.insert(tool.name().to_owned(), tool);
        self
    }

    pub fn is_streaming(&self) -> bool {
        self.pending_completion.as_ref().is_some_and(|handle| !handle.is_finished())
    }

    /// Starts a loop over `prompt`; its events come from the returned receiver.
    pub async fn prompt(&mut self, prompt: impl Into<String>) -> mpsc::UnboundedReceiver<AgentEvent> {
        self.finish().await;
        self.messages.push(AgentMessage::User(prompt.into()));
        let (events, rx) = mpsc::unbounded_channel();
        let cancel = CancellationToken::new();
        let work = AgentLoop {
            model: self.model.clone(),
            tools: std::mem::take(&mut self.tools),
            messages: std::mem::take(&mut self.messages),
            events,
            cancel: cancel.clone(),
        };
        self.cancel = Some(cancel);
        self.pending_completion = Some(tokio::spawn(work.run())); //~
        rx
    }

    /// Waits for the running loop and takes its tools and messages back.
    pub async fn finish(&mut self) -> &[AgentMessage] {
        if let Some(handle) = self.pending_completion.take() {
            if let Ok((tools, messages)) = handle.await {
                self.tools = tools;
                self.messages = messages;
            }
        }
        &self.messages
    }

    pub fn abort(&self) {
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
    }

    pub async fn reset(&mut self) {
        self.abort();
        self.finish().await;
        self.messages.clear();
    }
}
