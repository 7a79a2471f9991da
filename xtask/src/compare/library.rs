//! Who takes part: libraries, by the names that a harness gives their interfaces.

use plotters::style::RGBColor;

use super::figures::{Cell, OURS, Series};
use crate::chart::{ACCENT, OTHERS};

/// A library, which may take part by more than one interface.
#[derive(PartialEq)]
pub(super) struct Library {
    /// How the names of its interfaces begin.
    prefix: &'static str,
    label: Label,
    pub(super) colour: RGBColor,
}

#[derive(PartialEq)]
enum Label {
    Plain(&'static str),
    /// Crates with a name, or with a version, of their own for each group: AEAD, cipher, MAC.
    PerGroup([&'static str; 3]),
}

const fn library(prefix: &'static str, label: Label, colour: RGBColor) -> Library {
    Library { prefix, label, colour }
}

/// In the order of a legend, ours first.
pub(super) const LIBRARIES: [Library; 11] = [
    library(
        OURS,
        Label::PerGroup(["chacha20poly1305-esp", "chacha20-simd", "poly1305-simd"]),
        ACCENT,
    ),
    library("ipsecmb", Label::Plain("Intel ipsec-mb"), OTHERS[7]),
    library("ring", Label::Plain("ring"), OTHERS[0]),
    library("aws-lc", Label::Plain("AWS-LC"), OTHERS[1]),
    library("openssl", Label::Plain("OpenSSL"), OTHERS[2]),
    library("sodium", Label::Plain("libsodium"), OTHERS[3]),
    library("graviola", Label::Plain("graviola"), OTHERS[4]),
    library("libcrux", Label::Plain("libcrux"), OTHERS[6]),
    library("orion", Label::Plain("orion"), OTHERS[7]),
    library(
        "rc-old",
        Label::PerGroup(["RustCrypto 0.10", "RustCrypto 0.9", "RustCrypto 0.8"]),
        OTHERS[6],
    ),
    library(
        "rc-new",
        Label::PerGroup(["RustCrypto 0.11", "RustCrypto 0.10", "RustCrypto 0.9"]),
        OTHERS[5],
    ),
];

impl Library {
    /// Its name in charts and tables of a group.
    pub(super) fn label(&self, group: &str) -> &'static str {
        match self.label {
            Label::Plain(label) => label,
            Label::PerGroup([aead, cipher, mac]) => match group {
                "aead" => aead,
                "chacha" => cipher,
                _ => mac,
            },
        }
    }

    pub(super) fn is_ours(&self) -> bool {
        self.prefix == OURS
    }

    pub(super) fn is_rustcrypto(&self) -> bool {
        self.prefix.starts_with("rc-")
    }

    pub(super) fn is_ring(&self) -> bool {
        self.prefix == "ring"
    }

    /// The fastest of its interfaces.
    pub(super) fn of<'c>(&self, cell: &'c Cell) -> Option<&'c Series> {
        let own = cell.peers.iter().filter(|series| series.peer.starts_with(self.prefix));
        own.min_by(|a, b| a.median_ns.total_cmp(&b.median_ns))
    }
}

/// The fastest of those libraries, not ours, that `which` picks.
pub(super) fn fastest(
    cell: &Cell,
    which: impl Fn(&Library) -> bool,
) -> Option<(&'static Library, &Series)> {
    let others = LIBRARIES.iter().filter(|library| !library.is_ours() && which(library));
    others
        .filter_map(|library| Some((library, library.of(cell)?)))
        .min_by(|a, b| a.1.median_ns.total_cmp(&b.1.median_ns))
}
