//! `backends`: what runs here.

use std::process::ExitCode;

use anyhow::Result;

use crate::cpu;
use crate::table::{Align, Table};

/// Show which backend each crate picks here, and what the CPU offers.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<ExitCode> {
    let chacha20: Vec<_> = chacha20_simd::Backend::available().map(|b| b.name()).collect();
    let poly1305: Vec<_> = poly1305_simd::Backend::available().map(|b| b.name()).collect();
    let aead: Vec<_> = chacha20poly1305_esp::Backend::available().map(|b| b.name()).collect();
    let picks = [
        ("chacha20-simd", chacha20_simd::Backend::detect().to_string(), chacha20),
        ("poly1305-simd", poly1305_simd::Backend::detect().to_string(), poly1305),
        ("chacha20poly1305-esp", chacha20poly1305_esp::Backend::detect().to_string(), aead),
    ];
    let mut table =
        Table::new([("crate", Align::Left), ("picks", Align::Left), ("can run here", Align::Left)]);
    for (name, pick, available) in picks {
        table.row([name.to_owned(), pick, available.join(" ")]);
    }
    println!("{table}");

    let mut table = Table::new([
        ("backend", Align::Left),
        ("here", Align::Left),
        ("features that this CPU lacks", Align::Left),
    ]);
    for name in chacha20poly1305_esp::Backend::NAMES {
        let here = match chacha20poly1305_esp::Backend::by_name(name) {
            Some(_) => "yes",
            None => cpu::absence(name),
        };
        table.row([name.to_owned(), here.to_owned(), cpu::missing(name).join(" ")]);
    }
    println!("{table}");

    let mut table = Table::new([("CPU feature", Align::Left), ("here", Align::Left)]);
    for (feature, has) in cpu::features() {
        table.row([feature.to_owned(), if has { "yes" } else { "no" }.to_owned()]);
    }
    print!("{table}");
    Ok(ExitCode::SUCCESS)
}
