//! `interop`: ESP with other implementations of it.

mod kernel;
mod net;
mod report;
mod scapy;
mod strongswan;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::workspace;
use report::Report;

/// Run ESP against other implementations, in both directions.
///
/// The counterparts' side is in `interop/`; what it needs is made in `target/interop` on the first
/// run. `scapy` needs Python and network access for its packages; `kernel` and `strongswan` are for
/// Debian and need root, and install packages with apt-get where some are missing.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which ones.
    #[arg(value_enum)]
    peer: Peer,
    #[command(flatten)]
    kernel: kernel::Options,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Peer {
    /// scapy's ESP layer.
    Scapy,
    /// The Debian kernel's xfrm and its rfc7539esp, emulated by qemu.
    Kernel,
    /// strongSwan's ESP in user space.
    Strongswan,
    /// All of them.
    All,
    /// In strongSwan's namespace, in the place of one of its daemons.
    #[value(hide = true)]
    Takeover,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.peer == Peer::Takeover {
        return strongswan::takeover();
    }
    let wanted = |peer| args.peer == peer || args.peer == Peer::All;
    let mut passed = true;
    if wanted(Peer::Scapy) {
        passed &= conclude("scapy", scapy::run);
    }
    if wanted(Peer::Kernel) {
        passed &= conclude("kernel", |report| kernel::run(&args.kernel, report));
    }
    if wanted(Peer::Strongswan) {
        passed &= conclude("strongswan", strongswan::run);
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One counterpart; an error ends its checks, not those of the others.
fn conclude(name: &str, checks: impl FnOnce(&mut Report) -> Result<()>) -> bool {
    println!("==> {name}");
    let mut report = Report::default();
    if let Err(error) = checks(&mut report) {
        report.check("to the end", false, format_args!("{error:#}"));
    }
    println!("{name}: {report}");
    report.all_passed()
}

/// Where the counterparts' things are made.
fn directory() -> PathBuf {
    workspace::root().join("target/interop")
}

/// A program of `interop/`.
fn script(name: &str) -> PathBuf {
    workspace::root().join("interop").join(name)
}

/// The same, to be run by a shell with the directory as its argument behind `verb`.
fn shell(name: &str, verb: &str) -> Command {
    let mut command = Command::new("bash");
    command.arg(script(name)).arg(verb).arg(directory()).current_dir(workspace::root());
    command
}
