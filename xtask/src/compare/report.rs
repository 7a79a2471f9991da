//! Tables in Markdown, and the lines of the charts.

use std::fmt::Write as _;

use super::Operation;
use super::figures::{Cell, Series};
use super::library::{LIBRARIES, Library, fastest};
use crate::chart::Line;

/// The columns of the README's table, in bytes.
const SIZES: [u64; 7] = [16, 64, 256, 1024, 1420, 8192, 65536];

/// A line for each library that was measured at any size, ours first.
pub(super) fn lines(operation: &Operation, cells: &[&Cell]) -> Vec<Line> {
    let line = |library: &Library| {
        let point = |cell: &&Cell| {
            let series = library.of(cell)?;
            Some((cell.size as f64, rate(cell, series)))
        };
        let points: Vec<_> = cells.iter().filter_map(point).collect();
        let label = library.label(operation.group).to_owned();
        (!points.is_empty()).then_some(Line { label, colour: library.colour, points })
    };
    LIBRARIES.iter().filter_map(line).collect()
}

/// The README's part: the chart, and time and rate of each library.
pub(super) fn overview(operation: &Operation, cells: &[&Cell], rounds: usize) -> String {
    let shown: Vec<_> = cells.iter().filter(|cell| SIZES.contains(&cell.size)).collect();
    let mut text = picture(operation);
    text.push_str("\n| time and GB/s, by bytes of message |");
    for cell in &shown {
        write!(text, " {} |", cell.size).expect("writing to a string");
    }
    text.push_str("\n|---|");
    text.push_str(&"---:|".repeat(shown.len()));
    text.push('\n');
    for library in &LIBRARIES {
        if !cells.iter().any(|cell| library.of(cell).is_some()) {
            continue;
        }
        let label = library.label(operation.group);
        let label = if library.is_ours() { format!("**{label}**") } else { label.to_owned() };
        write!(text, "| {label} |").expect("writing to a string");
        for cell in &shown {
            let value = library
                .of(cell)
                .map(|series| format!("{}<br>{:.2}", time(series.median_ns), rate(cell, series)));
            write!(text, " {} |", value.unwrap_or_default()).expect("writing to a string");
        }
        text.push('\n');
    }
    text.push_str(&method(rounds));
    text
}

/// The part of docs/speed.md: every chart, and ratios at every size.
pub(super) fn details(drawn: &[(&Operation, Vec<&Cell>)], rounds: usize) -> String {
    let mut text = String::new();
    for (operation, _) in drawn {
        text.push_str(&picture(operation).replace("docs/", ""));
    }
    text.push_str(
        "\n| | bytes | ns | GB/s | best other | of best | of ring | of RustCrypto |\n\
         |---|---:|---:|---:|---|---:|---:|---:|\n",
    );
    for (operation, cells) in drawn {
        for cell in cells {
            let Some(ours) = LIBRARIES[0].of(cell) else { continue };
            let ratio = |which: fn(&Library) -> bool| {
                let other = fastest(cell, which).map(|(_, other)| ours.over(other));
                other.map(|ratio| format!("{ratio:.3}")).unwrap_or_default()
            };
            let best = fastest(cell, |_| true).map(|(library, _)| library.label(operation.group));
            writeln!(
                text,
                "| {} | {} | {:.0} | {:.2} | {} | {} | {} | {} |",
                operation.name,
                cell.size,
                ours.median_ns,
                rate(cell, ours),
                best.unwrap_or_default(),
                ratio(|_| true),
                ratio(Library::is_ring),
                ratio(Library::is_rustcrypto),
            )
            .expect("writing to a string");
        }
    }
    text.push_str(&method(rounds));
    text
}

fn picture(operation: &Operation) -> String {
    format!("![{}, in GB/s]({})\n", operation.title, operation.file)
}

fn method(rounds: usize) -> String {
    if rounds == 0 {
        return "\nMedians of `cargo bench -p benches`.\n".to_owned();
    }
    format!("\nMedians of {rounds} rounds, in which all took turns on one core.\n")
}

/// In GB/s: bytes a nanosecond.
fn rate(cell: &Cell, series: &Series) -> f64 {
    cell.size as f64 / series.median_ns
}

/// Three digits, in a unit that suits.
fn time(ns: f64) -> String {
    let (value, unit) = if ns < 999.5 { (ns, "ns") } else { (ns / 1e3, "µs") };
    let digits = match value {
        ..9.995 if unit == "µs" => 2,
        ..99.95 if unit == "µs" => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let cases = [
            (97.6, "98 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (23_412.0, "23.4 µs"),
            (123_456.0, "123 µs"),
        ];
        for (ns, text) in cases {
            assert_eq!(time(ns), text);
        }
    }

    #[test]
    fn tables_name_the_best() {
        let series = |peer: &str, median_ns, rounds: [f64; 2]| Series {
            peer: peer.to_owned(),
            median_ns,
            round_ns: rounds.to_vec(),
        };
        let cell = Cell {
            group: "aead".to_owned(),
            op: "seal".to_owned(),
            size: 1024,
            peers: vec![
                series("ours", 512.0, [512.0, 512.0]),
                series("ring", 1024.0, [1024.0, 1024.0]),
                series("rc-old", 4096.0, [4096.0, 4096.0]),
                series("rc-new", 2048.0, [2048.0, 2048.0]),
            ],
        };
        let operation = &super::super::OPERATIONS[0];
        let text = details(&[(operation, vec![&cell])], 2);
        assert!(text.contains("| seal | 1024 | 512 | 2.00 | ring | 0.500 | 0.500 | 0.250 |"));
        let text = overview(operation, &[&cell], 2);
        assert!(text.contains("| **chacha20poly1305-esp** | 512 ns<br>2.00 |"), "{text}");
        assert_eq!(lines(operation, &[&cell]).len(), 4);
    }
}
