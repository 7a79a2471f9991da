//! `compare`: charts and tables of the documentation, from measured figures.

mod figures;
mod library;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::workspace::target;
use crate::{chart, region};
use figures::Figures;

/// Render the charts and tables of README.md and docs/speed.md that compare us with others.
///
/// Without --from, the figures are those that `cargo bench -p benches` has left in the target
/// directory: ours beside RustCrypto's. Nothing is measured here.
#[derive(clap::Args)]
#[command(after_long_help = FORMAT)]
pub(crate) struct Args {
    /// A run of a comparison harness, in which all implementations take turns; see below.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

const FORMAT: &str = "\
The file of --from is JSON:

  {\"rounds\": 31,
   \"cells\": [{\"group\": \"aead\", \"op\": \"seal\", \"size\": 1420,
              \"peers\": [{\"peer\": \"ours\", \"median_ns\": 711.3, \"round_ns\": [711.0, 712.9]},
                        {\"peer\": \"ring\", \"median_ns\": 838.8, \"round_ns\": [838.1, 839.0]}]}]}

A cell is one operation at one size in bytes: seal or open of group aead, xor of group chacha, mac of
group poly. A peer's name begins with ours, ring, aws-lc, openssl, sodium, graviola, ipsecmb, libcrux,
orion, rc-old or rc-new (RustCrypto's two generations); of several with one beginning the fastest
counts. The n-th round of all peers was measured at the same time: ratios are medians of the rounds'
quotients.";

/// What is compared.
struct Operation {
    group: &'static str,
    op: &'static str,
    /// In tables.
    name: &'static str,
    /// Over the chart.
    title: &'static str,
    /// The chart's file.
    file: &'static str,
}

const OPERATIONS: [Operation; 4] = [
    Operation {
        group: "aead",
        op: "seal",
        name: "seal",
        title: "ChaCha20-Poly1305: sealing a message, 12 bytes of AAD",
        file: "docs/charts/seal.svg",
    },
    Operation {
        group: "aead",
        op: "open",
        name: "open",
        title: "ChaCha20-Poly1305: opening a message, 12 bytes of AAD",
        file: "docs/charts/open.svg",
    },
    Operation {
        group: "chacha",
        op: "xor",
        name: "ChaCha20",
        title: "ChaCha20, key and nonce set up for each message",
        file: "docs/charts/chacha20.svg",
    },
    Operation {
        group: "poly",
        op: "mac",
        name: "Poly1305",
        title: "Poly1305, key set up for each message",
        file: "docs/charts/poly1305.svg",
    },
];

/// Runs the verb.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let figures = match &args.from {
        Some(path) => Figures::read(path)?,
        None => Figures::of_criterion(&target().join("criterion"))?,
    };
    let mut drawn = Vec::new();
    for operation in &OPERATIONS {
        let cells = figures.of(operation.group, operation.op);
        if cells.is_empty() {
            println!("no figures of {}: its chart and table are left out", operation.name);
            continue;
        }
        ensure!(cells.len() > 1, "a line needs {} at two sizes", operation.name);
        let lines = report::lines(operation, &cells);
        region::file(operation.file, &chart::throughput(operation.title, &lines)?)?;
        drawn.push((operation, cells));
    }
    let readme: Vec<_> = drawn.iter().filter(|(operation, _)| operation.op == "seal").collect();
    if let Some((operation, cells)) = readme.first() {
        let text = report::overview(operation, cells, figures.rounds);
        region::write("README.md", "compare", &text)?;
    }
    region::write("docs/speed.md", "compare", &report::details(&drawn, figures.rounds))?;
    Ok(ExitCode::SUCCESS)
}
