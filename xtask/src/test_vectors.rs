//! `test-vectors`: published vectors on every backend.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::table::{Align, Table};
use crate::vectors::{Entry, Kernels, SUITES, Suite, tally::Tally};
use crate::{cpu, progress};

/// Run the published test vectors on every backend.
///
/// A check is one way through the interface for one vector: sealed in place, sealed between two
/// buffers, opened, hashed at once, hashed in all pieces and so on; a loop over cuts, offsets or
/// flipped bits is one check. The table counts the checks that passed. `no cpu`: this CPU lacks
/// the backend's instructions; `not built`: the crates do not have that backend. The exit status
/// is 1 if any check failed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The backend to run on: soft, sse2, ssse3, avx2, avx512 or all.
    #[arg(long, value_name = "NAME", default_value = "all")]
    backend: String,
    /// Run one suite only; see --list.
    #[arg(long, value_name = "NAME")]
    suite: Option<String>,
    /// List the suites, their entries and what is not yet reached, and run nothing.
    #[arg(long)]
    list: bool,
}

/// A suite with its entries, and what each backend made of them.
struct Loaded {
    suite: &'static Suite,
    entries: Vec<Entry>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let suites = load(args.suite.as_deref())?;
    if args.list {
        list(&suites);
        return Ok(ExitCode::SUCCESS);
    }
    let names = names(&args.backend)?;
    let columns: Vec<_> = names.iter().map(|&name| (name, Kernels::by_name(name))).collect();
    if let [(name, None)] = columns[..] {
        bail!("the backend {name} cannot run here: {}", cpu::absence(name));
    }

    let steps: usize = suites.iter().map(|loaded| loaded.entries.len()).sum();
    let bar =
        progress::bar(steps * columns.iter().filter(|(_, kernels)| kernels.is_some()).count());
    let mut header = vec![("suite", Align::Left), ("entries", Align::Right)];
    header.extend(names.iter().map(|&name| (name, Align::Right)));
    let mut table = Table::new(header);
    let mut total = Tally::default();
    let mut failures = Vec::new();
    // A failing check may panic; it is reported below, with its vector's name.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for Loaded { suite, entries } in &suites {
        let mut row = vec![suite.name.to_owned(), entries.len().to_string()];
        for (name, kernels) in &columns {
            let Some(kernels) = kernels else {
                row.push(cpu::absence(name).to_owned());
                continue;
            };
            bar.set_message(format!("{} on {name}", suite.name));
            let mut tally = Tally::default();
            for entry in entries {
                tally.enter(&entry.id);
                (entry.run)(kernels, &mut tally);
                bar.inc(1);
            }
            row.push(match tally.failures.len() {
                0 => tally.passed.to_string(),
                failed => format!("{failed} FAILED"),
            });
            let shown = |failure| format!("{} on {name}: {failure}", suite.name);
            failures.extend(tally.failures.iter().map(shown));
            total.absorb(tally);
        }
        table.row(row);
    }
    std::panic::set_hook(hook);
    bar.finish_and_clear();

    print!("{table}");
    print_not_yet(&suites);
    for failure in &failures {
        println!("FAILED {failure}");
    }
    println!("{} passed, {} failed", total.passed, failures.len());
    let good = failures.is_empty() && total.passed > 0;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn load(only: Option<&str>) -> Result<Vec<Loaded>> {
    let wanted = |suite: &&Suite| only.is_none_or(|name| name == suite.name);
    let suites: Vec<_> = SUITES
        .iter()
        .filter(wanted)
        .map(|suite| Ok(Loaded { suite, entries: suite.load()? }))
        .collect::<Result<_>>()?;
    if let (Some(name), true) = (only, suites.is_empty()) {
        let names: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
        bail!("there is no suite {name}; there are {}", names.join(", "));
    }
    Ok(suites)
}

fn names(backend: &str) -> Result<Vec<&str>> {
    match backend {
        "all" => Ok(Kernels::NAMES.to_vec()),
        name if Kernels::NAMES.contains(&name) => Ok(vec![name]),
        name => bail!("there is no backend {name}; there are {}, all", Kernels::NAMES.join(", ")),
    }
}

fn list(suites: &[Loaded]) {
    for Loaded { suite, entries } in suites {
        println!("{}: {} ({} entries)", suite.name, suite.about, entries.len());
        for entry in entries {
            match entry.not_yet {
                Some(what) => println!("    {} (not yet: {what})", entry.id),
                None => println!("    {}", entry.id),
            }
        }
    }
}

/// What no interface reaches yet, by reason.
fn print_not_yet(suites: &[Loaded]) {
    let mut reasons = std::collections::BTreeMap::<&str, usize>::new();
    let entries = suites.iter().flat_map(|loaded| &loaded.entries);
    for reason in entries.filter_map(|entry| entry.not_yet) {
        *reasons.entry(reason).or_default() += 1;
    }
    let count: usize = reasons.values().sum();
    let reasons: Vec<_> = reasons.iter().map(|(what, n)| format!(", {what} {n}")).collect();
    println!("not yet: {count} cases{}", reasons.concat());
}
