//! The connection is seen missing and made by two; the loser's `set` is unwrapped.
use tokio::sync::OnceCell;
#[derive(Debug)]
pub struct Conn { pub id: u32 }
#[derive(Debug)]
pub enum DbError { Refused, Twice }
async fn open(id: u32) -> Result<Conn, DbError> { tokio::task::yield_now().await; if id == 0 { Err(DbError::Refused) } else { Ok(Conn { id }) } }
#[derive(Default)]
pub struct Db { conn: OnceCell<Conn> }
impl Db {
    pub async fn conn(&self, id: u32) -> Result<&Conn, DbError> {
        if !self.conn.initialized() { //~
            let conn = open(id).await?;
            self.conn.set(conn).unwrap(); //~
        }
        self.conn.get().ok_or(DbError::Twice)
    }
}
