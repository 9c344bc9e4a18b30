//! Random formulas, and whether their monitors answer as they should.

use std::ops::Not;

use super::formula::{Formula, Letter};
use super::monitor::{Monitor, Verdict};
use super::semantics::Lasso;

/// A source of random numbers that is the same in each run (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    /// A formula over two atoms with at most so many temporal operators.
    pub fn formula(&mut self, temporal: u32) -> Formula {
        self.part(&mut { temporal }, 4, false)
    }

    fn part(&mut self, temporal: &mut u32, depth: u32, past: bool) -> Formula {
        let kind = if depth == 0 { 0 } else { self.below(if *temporal == 0 { 4 } else { 10 }) };
        if kind >= 4 {
            *temporal -= 1;
        }
        match kind {
            0 | 1 => Formula::Atom(self.below(2) as u8),
            2 => self.part(temporal, depth - 1, past).not(),
            3 => {
                let a = self.part(temporal, depth - 1, past);
                a.and(self.part(temporal, depth - 1, past))
            }
            4 if !past => Formula::Next(Box::new(self.part(temporal, depth - 1, past))),
            5 if !past => self.part(temporal, depth - 1, past).always(),
            6 | 7 if !past => {
                let a = self.part(temporal, depth - 1, past);
                a.until(self.part(temporal, depth - 1, past))
            }
            4 | 8 => Formula::Yesterday(Box::new(self.part(temporal, depth - 1, true))),
            _ => {
                let a = self.part(temporal, depth - 1, true);
                a.since(self.part(temporal, depth - 1, true))
            }
        }
    }

    /// A word over two atoms.
    pub fn word(&mut self, length: usize) -> Vec<Letter> {
        (0..length).map(|_| self.below(4) as Letter).collect()
    }
}

/// All loops with these stems: shorter ones first.
pub fn lassos(stem: usize, cycle: usize) -> impl Iterator<Item = Lasso> {
    let words = |length: usize| {
        (0..4_u64.pow(length as u32))
            .map(move |number| (0..length).map(|at| ((number >> (2 * at)) & 3) as Letter).collect::<Vec<_>>())
    };
    (0..=stem).flat_map(move |stem| {
        (1..=cycle).flat_map(move |cycle| {
            words(stem)
                .flat_map(move |stem| words(cycle).map(move |cycle| Lasso { stem: stem.clone(), cycle }))
        })
    })
}

/// Holds a monitor's answers on a word against the meaning of its formula; says what differs.
pub fn judge(formula: &Formula, monitor: &Monitor, word: &[Letter]) -> Result<(), String> {
    let with =
        |lasso: Lasso| Lasso { stem: word.iter().copied().chain(lasso.stem).collect(), cycle: lasso.cycle };
    let (mut holds, mut fails) = (false, false);
    let verdict = monitor.run(word);
    // Enough to contradict a verdict; where one is missing, all that the bounds allow.
    let small = lassos(2, 2)
        .chain(if verdict == Verdict::Open { Some(lassos(4, 3)) } else { None }.into_iter().flatten());
    for lasso in small {
        let value = with(lasso).satisfies(formula);
        holds |= value;
        fails |= !value;
        if holds && fails {
            break;
        }
    }
    let meant = match (holds, fails) {
        (true, true) => Verdict::Open,
        (true, false) => Verdict::True,
        _ => Verdict::False,
    };
    if meant != verdict {
        return Err(format!("{formula:?} after {word:?}: {verdict:?}, but it is {meant:?}"));
    }
    let last = word.last().copied().unwrap_or(0) & !monitor.events;
    let closed = Lasso { stem: word.to_vec(), cycle: vec![last] }.satisfies(formula);
    if closed != monitor.close(word) {
        return Err(format!("{formula:?} at the end of {word:?}: it is {closed}"));
    }
    Ok(())
}

/// Holds the monitors of random formulas against their meaning. Returns how many formulas, words and states there were.
pub fn compare(seed: u64, formulas: u64, words: usize) -> Result<(u64, u64, usize), String> {
    let mut random = Random(seed);
    let (mut tried, mut most) = (0, 0);
    for _ in 0..formulas {
        let formula = random.formula(4);
        let monitor = Monitor::new(&formula, 2, 0b01).map_err(|refused| format!("{formula:?}: {refused}"))?;
        most = most.max(monitor.next.len());
        for _ in 0..words {
            let length = random.below(6) as usize;
            let word = random.word(length);
            judge(&formula, &monitor, &word)?;
            tried += 1;
        }
    }
    Ok((formulas, tried, most))
}
