//! The figures as a table on a terminal, and as a table and a chart of the README.

use std::fmt::Write as _;

use super::Program;
use super::figures::{Figures, Operation};
use crate::chart::Bar;
use crate::table::{Align, Table};

/// The chart's file.
pub(super) const CHART: &str = "docs/charts/drop-in.svg";

/// What age's program calls its AEAD by itself, and what it is a part of.
const AGE_SHARES: [(&str, &str); 2] =
    [("the AEAD alone, seal", "encrypt"), ("the AEAD alone, open", "decrypt")];

pub(super) fn terminal(figures: &Figures, programs: &[Program]) -> Table {
    let mut table = Table::new([
        ("program", Align::Left),
        ("operation", Align::Left),
        ("before, ns", Align::Right),
        ("after, ns", Align::Right),
        ("before, MB/s", Align::Right),
        ("after, MB/s", Align::Right),
        ("times", Align::Right),
    ]);
    for program in programs {
        for operation in figures.of(program.name) {
            let (before, after) = (operation.before(), operation.after());
            table.row([
                program.name.to_owned(),
                operation.label.clone(),
                format!("{before:.1}"),
                format!("{after:.1}"),
                format!("{:.0}", rate(operation, before)),
                format!("{:.0}", rate(operation, after)),
                format!("{:.2}", operation.times()),
            ]);
        }
    }
    for [before, after, part] in shares(figures) {
        table.row(["age".to_owned(), part, before, after]);
    }
    table
}

/// The chart and the table of the README.
pub(super) fn markdown(figures: &Figures, programs: &[Program]) -> String {
    let mut text = format!("![Times as fast after the swap as before]({CHART})\n\n");
    text.push_str("| program | operation | MB/s before | MB/s after | times as fast |\n");
    text.push_str("|---|---|---:|---:|---:|\n");
    for program in programs {
        for operation in shown(figures, program) {
            let (before, after) = (operation.before(), operation.after());
            writeln!(
                text,
                "| {} | {} | {:.0} | {:.0} | {:.2} |",
                program.name,
                operation.label,
                rate(operation, before),
                rate(operation, after),
                operation.times()
            )
            .expect("writing to a string");
        }
    }
    let shares = shares(figures);
    if let [seal, open] = &shares[..] {
        writeln!(
            text,
            "\nOf age's time the AEAD is {} before and {} after when it encrypts, {} and {} when it \
             decrypts.",
            seal[0], seal[1], open[0], open[1]
        )
        .expect("writing to a string");
    }
    text
}

/// A bar for each operation.
pub(super) fn bars(figures: &Figures, programs: &[Program]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for program in programs {
        bars.extend(shown(figures, program).map(|operation| Bar {
            label: format!("{}: {}", program.name, operation.label),
            value: operation.times(),
        }));
    }
    bars
}

/// What a program does: not its AEAD alone, which is in the shares.
fn shown<'f>(figures: &'f Figures, program: &Program) -> impl Iterator<Item = &'f Operation> {
    let is_share = |label: &str| AGE_SHARES.iter().any(|(part, _)| *part == label);
    figures.of(program.name).iter().filter(move |operation| !is_share(&operation.label))
}

/// In MB/s.
fn rate(operation: &Operation, nanos: f64) -> f64 {
    operation.bytes as f64 / nanos * 1e3
}

/// How much of age's time its AEAD takes: before, after, and of what.
fn shares(figures: &Figures) -> Vec<[String; 3]> {
    let share = |(part, whole): (&str, &str)| {
        let (part, of) = (figures.operation("age", part)?, figures.operation("age", whole)?);
        let percent = |part: f64, whole: f64| format!("{:.0} %", part / whole * 100.0);
        Some([
            percent(part.before(), of.before()),
            percent(part.after(), of.after()),
            format!("share of the AEAD in {whole}"),
        ])
    };
    AGE_SHARES.into_iter().filter_map(share).collect()
}
