//! The page in a browser, where there is one: it shows what it should, and does what it should when it is clicked.

use std::process::Command;

use cargo_robust::report::{Sources, html};

use crate::values::{DB, MAIN, check_then_act, folder, order, report};

/// What a user does, and what is noted about the page after each step.
const USER: &str = r#"
const seen = [];
const note = (what, value) => seen.push(`${what}: ${value}`);
const shown = () => [...document.querySelectorAll("article")].filter((card) => card.offsetHeight > 0).length;
const choose = (name, value) => {
  document.querySelector(`[name=${name}]`).value = value;
  document.getElementById("filter").dispatchEvent(new Event("change"));
  note(`${name}=${value}`, shown());
};
note("all", shown());
choose("class", "order");
choose("level", "deny");
note("none", document.getElementById("none").offsetHeight > 0);
choose("class", "");
choose("unit", "server");
const pivot = [...document.querySelectorAll("button.role")].find((step) => !step.textContent.includes("conflicts"));
const source = document.getElementById(pivot.getAttribute("aria-controls"));
note("before", source.offsetHeight > 0);
pivot.click();
note("closed", source.offsetHeight === 0);
pivot.click();
note("open", source.offsetHeight > 0 && source.textContent.includes("insert(user.to_string())"));
const [lanes, beside] = [".lanes", ".sources"].map((name) => document.querySelector(name).getBoundingClientRect());
note("beside", beside.left >= lanes.right || beside.top >= lanes.bottom);
const arrows = [...document.querySelectorAll("path.arrow")];
note("arrows", arrows.length > 0 && arrows.every((arrow) => arrow.getTotalLength() > 0));
const back = getComputedStyle(document.body).backgroundColor;
note("dark", matchMedia("(prefers-color-scheme: dark)").matches === (back !== "rgb(255, 255, 255)"));
document.title = seen.join(", ");
"#;

fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())
}

#[test]
fn it_filters_and_shows_source() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium here");
        return;
    };
    let folder = folder(&[("src/main.rs", MAIN.as_bytes()), ("src/db.rs", DB.as_bytes())]);
    let report = report(folder.path(), vec![check_then_act(), order()]);
    let page = html::render(&report, &Sources::new(folder.path()));
    let page = page.replace("</body>", &format!("<script>{USER}</script></body>"));
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    for scheme in ["0", "1"] {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            .arg(format!("file://{}", file.display()))
            .output()
            .unwrap();
        let page = String::from_utf8_lossy(&output.stdout);
        let title = page.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
        assert_eq!(
            title,
            Some(
                "all: 2, class=order: 1, level=deny: 0, none: true, class=: 1, unit=server: 1, before: true, closed: true, \
                 open: true, beside: true, arrows: true, dark: true"
            ),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
