static RUNTIME: std::sync::OnceLock<::tokio::runtime::Handle> = std::sync::OnceLock::new();
fn surround() {
    let runtime = ::tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _ = RUNTIME.set(runtime.handle().clone());
    std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
}
fn around() -> impl Sized {
    RUNTIME.get().map(|handle| handle.enter())
}
