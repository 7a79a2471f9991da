//! The Debian kernel.

use anyhow::{Result, bail};

use super::report::Report;

#[derive(clap::Args)]
pub(crate) struct Options {}

pub(super) fn run(_: &Options, _: &mut Report) -> Result<()> {
    bail!("not here")
}
