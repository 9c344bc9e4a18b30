//! Taken out before it is worked on.
use std::collections::VecDeque;
use std::sync::Mutex;
#[derive(Clone)]
pub struct Mail { to: String, body: String }
#[derive(Default)]
pub struct Outbox { mails: Mutex<VecDeque<Mail>> }
pub trait Transport { fn send(&self, to: &str, body: &str) -> bool; }
impl Outbox {
    pub fn queue(&self, to: &str, body: &str) {
        self.mails.lock().unwrap().push_back(Mail { to: to.into(), body: body.into() });
    }
    pub fn deliver_one(&self, transport: &dyn Transport) -> bool {
        let Some(mail) = self.mails.lock().unwrap().pop_front() else {
            return false;
        };
        let sent = transport.send(&mail.to, &mail.body);
        if !sent {
            self.mails.lock().unwrap().push_front(mail);
        }
        sent
    }
}
