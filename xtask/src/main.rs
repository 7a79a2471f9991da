//! The workspace's tools: `cargo xtask <verb>`.

mod asm;
mod backends;
mod chart;
mod ci;
mod compare;
mod cpu;
mod ct;
mod drop_in;
mod fuzz;
mod interop;
mod no_std;
mod progress;
mod qemu;
mod region;
mod speed;
mod table;
mod test_vectors;
mod vectors;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The workspace's tools: vectors, speed, and everything that CI runs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    TestVectors(test_vectors::Args),
    Backends(backends::Args),
    Speed(speed::Args),
    Compare(compare::Args),
    NoStd(no_std::Args),
    Asm(asm::Args),
    Ct(ct::Args),
    Qemu(qemu::Args),
    Interop(interop::Args),
    Fuzz(fuzz::Args),
    DropIn(drop_in::Args),
    Ci(ci::Args),
}

fn main() -> ExitCode {
    let result = match Args::parse().verb {
        Verb::TestVectors(args) => test_vectors::run(&args),
        Verb::Backends(args) => backends::run(&args),
        Verb::Speed(args) => speed::run(&args),
        Verb::Compare(args) => compare::run(&args),
        Verb::NoStd(args) => no_std::run(&args),
        Verb::Asm(args) => asm::run(&args),
        Verb::Ct(args) => ct::run(&args),
        Verb::Qemu(args) => qemu::run(&args),
        Verb::Interop(args) => interop::run(&args),
        Verb::Fuzz(args) => fuzz::run(&args),
        Verb::DropIn(args) => drop_in::run(&args),
        Verb::Ci(args) => ci::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        super::Args::command().debug_assert();
    }
}
