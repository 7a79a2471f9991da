//! What was measured, by whom: a run of a comparison harness, or our own benches.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

/// One operation at one size, by all who took part.
#[derive(Debug, Deserialize)]
pub(super) struct Cell {
    /// `aead`, `chacha` or `poly`.
    pub(super) group: String,
    /// `seal`, `open`, `xor`, `mac`; others are left aside.
    pub(super) op: String,
    pub(super) size: u64,
    pub(super) peers: Vec<Series>,
}

/// One implementation's times for one operation.
#[derive(Debug, Deserialize)]
pub(super) struct Series {
    pub(super) peer: String,
    pub(super) median_ns: f64,
    /// Round by round, in which all took turns; empty if there were no such rounds.
    #[serde(default)]
    pub(super) round_ns: Vec<f64>,
}

/// A run.
#[derive(Debug, Deserialize)]
pub(super) struct Figures {
    #[serde(default)]
    pub(super) rounds: usize,
    pub(super) cells: Vec<Cell>,
}

/// Ours, in both sources.
pub(super) const OURS: &str = "ours";

impl Figures {
    /// Reads the JSON of a comparison harness.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
        let figures: Self =
            serde_json::from_str(&text).with_context(|| format!("{}", path.display()))?;
        for cell in &figures.cells {
            let place = format!("{} {} {}", cell.group, cell.op, cell.size);
            let lengths = || cell.peers.iter().map(|series| series.round_ns.len());
            ensure!(lengths().min() == lengths().max(), "{place}: rounds are not paired");
            let good = |ns: &f64| ns.is_finite() && *ns > 0.0;
            let values = || cell.peers.iter().flat_map(|s| s.round_ns.iter().chain([&s.median_ns]));
            ensure!(values().all(good), "{place}: a time is not a time");
        }
        Ok(figures)
    }

    /// Collects what criterion has left in `directory`.
    pub(super) fn of_criterion(directory: &Path) -> Result<Self> {
        let mut cells = Vec::new();
        collect(directory, &mut cells)?;
        if cells.is_empty() {
            bail!(
                "no figures in {}: run `cargo bench -p benches`, or give a file by --from",
                directory.display()
            );
        }
        Ok(Self { rounds: 0, cells })
    }

    /// The cells of an operation, by size.
    pub(super) fn of<'f>(&'f self, group: &str, op: &str) -> Vec<&'f Cell> {
        let is_it = |cell: &&Cell| cell.group == group && cell.op == op;
        let mut cells: Vec<_> = self.cells.iter().filter(is_it).collect();
        cells.sort_by_key(|cell| cell.size);
        cells
    }
}

#[derive(Deserialize)]
struct Benchmark {
    group_id: String,
    function_id: String,
    value_str: String,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

/// Goes through the tree in which each benchmark has a directory `new` of its own.
fn collect(directory: &Path, cells: &mut Vec<Cell>) -> Result<()> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.ends_with("new") && path.join("benchmark.json").exists() {
            let id: Benchmark = json(&path.join("benchmark.json"))?;
            let estimates: Estimates = json(&path.join("estimates.json"))?;
            add(cells, &id, estimates.median.point_estimate);
        } else if path.is_dir() {
            collect(&path, cells)?;
        }
    }
    Ok(())
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read(path).with_context(|| format!("{}", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{}", path.display()))
}

fn add(cells: &mut Vec<Cell>, id: &Benchmark, median_ns: f64) {
    let (group, op) = match id.group_id.as_str() {
        "aead/seal" => ("aead", "seal"),
        "aead/open" => ("aead", "open"),
        "chacha20" => ("chacha", "xor"),
        "poly1305" => ("poly", "mac"),
        _ => return,
    };
    let peer = match id.function_id.as_str() {
        "simd" => OURS,
        "rustcrypto" => "rc-old",
        _ => return,
    };
    let Ok(size) = id.value_str.parse() else { return };
    let series = Series { peer: peer.to_owned(), median_ns, round_ns: Vec::new() };
    match cells.iter_mut().find(|c| c.group == group && c.op == op && c.size == size) {
        Some(cell) => cell.peers.push(series),
        None => {
            let (group, op) = (group.to_owned(), op.to_owned());
            cells.push(Cell { group, op, size, peers: vec![series] });
        }
    }
}

/// The value in the middle; not a number if there is none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Series {
    /// The quotient of times, this over the other: of each round if there are rounds, since a
    /// change of the clock meets both alike.
    pub(super) fn over(&self, other: &Self) -> f64 {
        if self.round_ns.is_empty() {
            return self.median_ns / other.median_ns;
        }
        let pairs = self.round_ns.iter().zip(&other.round_ns);
        median(pairs.map(|(ours, other)| ours / other).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_of_rounds() {
        let series = |median_ns, round_ns: &[f64]| Series {
            peer: String::new(),
            median_ns,
            round_ns: round_ns.to_vec(),
        };
        assert_eq!(series(5.0, &[]).over(&series(10.0, &[])), 0.5);
        let (a, b) = (series(2.0, &[1.0, 2.0, 9.0]), series(4.0, &[4.0, 8.0, 3.0]));
        assert_eq!(a.over(&b), 0.25);
    }

    #[test]
    fn criterions_names() {
        let mut cells = Vec::new();
        for (group, function, value) in [
            ("aead/seal", "simd", "64"),
            ("aead/seal", "rustcrypto", "64"),
            ("aead/seal-aad", "simd", "8"),
            ("esp/seal", "packet", "64"),
        ] {
            let [group_id, function_id, value_str] = [group, function, value].map(str::to_owned);
            add(&mut cells, &Benchmark { group_id, function_id, value_str }, 1.0);
        }
        assert_eq!(cells.len(), 1);
        assert_eq!((cells[0].size, cells[0].peers.len()), (64, 2));
    }
}
