//! The threads of an assistant, by project, on the UI's event loop.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::BufRead;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::{spawn_local, LocalSet};

enum Click {
    Load { project: u64, session: u64 },
    Close { session: u64 },
}

#[derive(Default)]
struct Project {
    sessions: Vec<(u64, String)>,
}

#[derive(Default)]
struct Agent {
    projects: HashMap<u64, Project>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (clicks, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read_clicks(clicks));
    let agent = Rc::new(RefCell::new(Agent::default()));
    let ui = async move {
        while let Some(click) = inbox.recv().await {
            match click {
                Click::Load { project, session } => {
                    spawn_local(load(agent.clone(), project, session));
                }
                Click::Close { session } => close(&agent, session),
            }
        }
    };
    LocalSet::new().run_until(ui).await;
}

async fn load(agent: Rc<RefCell<Agent>>, project: u64, session: u64) {
    agent.borrow_mut().projects.entry(project).or_default(); //~ RACE
    let thread = read_thread(session).await;
    let mut agent = agent.borrow_mut();
    let state = agent.projects.get_mut(&project); //~ RACE
    match state {
        Some(state) => state.sessions.push((session, thread)),
        None => eprintln!("failed to launch: project state not found"),
    }
}

/// Ends a session, and its project with the last one.
fn close(agent: &RefCell<Agent>, session: u64) {
    agent.borrow_mut().projects.retain(|_, project| {
        project.sessions.retain(|(id, _)| *id != session);
        !project.sessions.is_empty()
    });
}

async fn read_thread(session: u64) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await;
    format!("thread {session}")
}

fn read_clicks(clicks: mpsc::Sender<Click>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut words = line.split(' ').filter_map(|word| word.parse().ok());
        let click = match (words.next(), words.next()) {
            (Some(project), Some(session)) => Click::Load { project, session },
            (Some(session), None) => Click::Close { session },
            _ => continue,
        };
        if clicks.blocking_send(click).is_err() {
            break;
        }
    }
}
