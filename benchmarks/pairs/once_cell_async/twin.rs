//! Get_or_try_init.
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
        self.conn.get_or_try_init(|| open(id)).await
    }
}
