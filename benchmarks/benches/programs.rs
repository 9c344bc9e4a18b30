//! Generated programs.

/// Name, program of a size, sizes.
pub type Family = (&'static str, fn(usize) -> String, &'static [usize]);

/// What the growth is measured on.
pub const FAMILIES: &[Family] = &[
    ("tasks, a lock, not atomic", unordered, &[10, 50, 200, 1000]),
    ("tasks that are waited for", ordered, &[10, 50, 200, 1000]),
    ("events, two sections", two_sections, &[2, 5, 10, 20, 50]),
    ("events, one section", one_section, &[2, 5, 10, 20, 50]),
];

fn vars(n: usize) -> String {
    (0..n).map(|i| format!("var x{i};\n")).collect()
}

/// Tasks that read and write a variable in one section of a lock: their order shows.
fn unordered(n: usize) -> String {
    let count = (n / 5).max(2);
    let start: String = (0..n).map(|t| format!("    async[any] t{t}();\n")).collect();
    let tasks: String = (0..n)
        .map(|t| {
            let x = t % count;
            format!("task t{t}() on any {{ acquire l; read x{x}; write x{x}; release l; }}\n")
        })
        .collect();
    format!("lock l;\n{}event e on any {{\n{start}}}\n{tasks}", vars(count))
}

/// The same, one after the other, all under a lock of the event's.
fn ordered(n: usize) -> String {
    let count = (n / 5).max(2);
    let start: String = (0..n).map(|t| format!("    h{t} := async[any] t{t}(); join h{t};\n")).collect();
    let tasks: String = (0..n)
        .map(|t| {
            let x = t % count;
            format!("task t{t}() on any {{ acquire l; read x{x}; write x{x}; release l; }}\n")
        })
        .collect();
    let vars = vars(count);
    format!("lock g;\nlock l;\n{vars}event once e on any {{\nacquire g;\n{start}release g;\n}}\n{tasks}")
}

/// Events that share two variables with the next one, each in a section of its own.
fn two_sections(n: usize) -> String {
    let body = |e: usize| {
        let (x, y) = (e, (e + 1) % n);
        format!("acquire l; write x{x}; release l; acquire l; write x{y}; release l;")
    };
    events(n, body)
}

/// The same in one section.
fn one_section(n: usize) -> String {
    events(n, |e| format!("acquire l; write x{e}; write x{}; release l;", (e + 1) % n))
}

fn events(n: usize, body: impl Fn(usize) -> String) -> String {
    let events: String = (0..n)
        .map(|e| {
            format!("event e{e} on any {{ async[any] t{e}(); }}\ntask t{e}() on any {{ {} }}\n", body(e))
        })
        .collect();
    format!("lock l;\n{}{events}", vars(n))
}

/// Events that each start tasks, which work on one variable each under a lock, and wait for all of them; `guarded`: in a
/// section of a second lock. [`super::peers`] has the same in Rust.
pub fn scenario(events: usize, tasks: usize, guarded: bool) -> String {
    let (acquire, release) = if guarded { ("acquire g;", "release g;") } else { ("", "") };
    let start: String = (0..tasks).map(|t| format!("h{t} := async[any] t{t}(); ")).collect();
    let join: String = (0..tasks).map(|t| format!("join h{t}; ")).collect();
    let tasks_text: String = (0..tasks)
        .map(|t| format!("task t{t}() on any {{ acquire l; read x{t}; write x{t}; release l; acquire l; write x{t}; release l; }}\n"))
        .collect();
    let events: String = (0..events)
        .map(|e| format!("event once e{e} on any {{ {acquire} {start} {join} {release} }}\n"))
        .collect();
    format!("lock g;\nlock l;\n{}{events}{tasks_text}", vars(tasks))
}
