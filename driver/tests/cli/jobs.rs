//! Compilations beside those that cargo knows of.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{folder, robust, run, write};

const MANIFEST: &str = "[package]\nname = \"made\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

/// Names that only the expanded source tells.
const LIBRARY: &str = "\
macro_rules! made { ($name:ident) => {
    #[derive(Clone, Debug, Default)] pub struct $name;
    impl $name { pub fn get(&self) -> u32 { 1 } }
} }
made!(First);
made!(Second);
";

/// A compiler that notes when compilations of the crate begin and end.
const COMPILER: &str = "\
#!/bin/sh
case \"$*\" in *--crate-name\\ made*) ;; *) exec rustc \"$@\" ;; esac
echo begin >> \"$LOG\"
rustc \"$@\"
code=$?
echo end >> \"$LOG\"
exit $code
";

#[test]
fn compilations_beside_one_another_take_cargos_room() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY), ("rustc.sh", COMPILER)]);
    let folder = folder.path();
    let compiler = folder.join("rustc.sh");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
    let log = folder.join("log");
    let most_with = |jobs: &str, edit: &str| {
        write(folder, "src/lib.rs", &format!("{LIBRARY}// {edit}\n"));
        let _ = fs::remove_file(&log);
        let mut command = robust();
        command.current_dir(folder).env("RUSTC", &compiler).env("LOG", &log);
        let run = run(command.args(["--quiet", "--jobs", jobs]));
        assert_eq!(run.code, 0, "{}", run.err);
        let (mut now, mut most) = (0, 0);
        for line in fs::read_to_string(&log).unwrap().lines() {
            now += if line == "begin" { 1 } else { -1 };
            most = most.max(now);
        }
        most
    };
    most_with("1", "so that it is known what the crate needs");
    assert_eq!(most_with("1", "no room"), 1);
    assert_eq!(most_with("4", "room"), 2);
}
