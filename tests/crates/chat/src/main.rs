//! A chat client's window. Sending notes the text in a history and posts a task that talks to the server; meanwhile
//! the user may double-click a line of the history to edit it again.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

/// What the user does.
enum Input {
    Send,
    DoubleClick(usize),
}

/// What `send` hands to the server, as it was when the button was pressed.
struct Command {
    text: String,
}

/// The window's state; only the UI thread touches it.
struct Window {
    /// The text field.
    field: RefCell<String>,
    /// Everything sent so far.
    history: RefCell<Vec<String>>,
    connected: Cell<bool>,
}

impl Window {
    /// The send button: notes what to send, then sends it in the background.
    fn send(self: &Rc<Self>) {
        if !self.connected.get() {
            return;
        }
        let command = Command { text: self.field.borrow().clone() };
        self.history.borrow_mut().push(command.text.clone());
        let window = self.clone();
        tokio::task::spawn_local(async move {
            // The command was noted, but it is the text field that is sent.
            let text = window.field.borrow().clone();
            transmit(&command, &text).await;
        });
    }

    /// A double click on an old line: back into the text field with it.
    fn double_click(&self, line: usize) {
        if let Some(text) = self.history.borrow().get(line) {
            *self.field.borrow_mut() = text.clone();
        }
    }
}

async fn transmit(command: &Command, text: &str) {
    tokio::time::sleep(Duration::from_millis(5)).await;
    println!("sent: {text} (asked for: {})", command.text);
}

async fn ui(window: Rc<Window>, mut inputs: mpsc::Receiver<Input>) {
    while let Some(input) = inputs.recv().await {
        match input {
            Input::Send => window.send(),
            Input::DoubleClick(line) => window.double_click(line),
        }
    }
}

async fn read_user(inputs: mpsc::Sender<Input>) {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let input = line.parse().map_or(Input::Send, Input::DoubleClick);
        if inputs.send(input).await.is_err() {
            break;
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (sender, inputs) = mpsc::channel(8);
    let window = Rc::new(Window {
        field: RefCell::new(String::new()),
        history: RefCell::new(Vec::new()),
        connected: Cell::new(false),
    });
    window.connected.set(true);
    let local = LocalSet::new();
    local.spawn_local(ui(window, inputs));
    local.spawn_local(read_user(sender));
    local.await;
}
