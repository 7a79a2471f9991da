//! The Debian kernel's own ESP, in a virtual machine: xfrm on a wire, and its AEAD through AF_ALG.

mod afalg;
mod cases;
mod echo;
mod guest;

use anyhow::Result;

use super::report::Report;
use super::{directory, shell};
use crate::workspace;
use guest::Guest;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The CPU that qemu emulates for the kernel.
    #[arg(long, value_name = "MODEL", default_value = "max")]
    cpu: String,
}

pub(super) fn run(options: &Options, report: &mut Report) -> Result<()> {
    workspace::run(&mut shell("kernel_guest.sh", "build"))?;
    let mut guest = Guest::boot(&directory().join("guest"), &options.cpu)?;
    afalg::run(&mut guest, report)?;
    echo::run(&mut guest, report)?;
    cases::run(&mut guest, report)
}
