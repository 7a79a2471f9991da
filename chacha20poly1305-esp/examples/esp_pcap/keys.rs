//! SPI and keying material, as the command line gives them.

use anyhow::{Context, Error, Result, ensure};
use std::str::FromStr;

/// One security association's secrets.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) spi: u32,
    /// Key, then salt.
    pub(crate) keymat: [u8; 36],
}

impl FromStr for Keys {
    type Err = Error;

    /// `SPI:KEYMAT`, the SPI decimal or with 0x, the keying material in 72 hex digits.
    fn from_str(s: &str) -> Result<Self> {
        let (spi, keymat) = s.split_once(':').context("expected SPI:KEYMAT")?;
        let spi = match spi.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => spi.parse(),
        }
        .context("SPI")?;
        ensure!(spi != 0, "SPI 0 is none");
        let octets = hex::decode(keymat.trim_start_matches("0x")).context("keying material")?;
        let keymat = octets.try_into().ok().context("keying material: 72 hex digits expected")?;
        Ok(Self { spi, keymat })
    }
}
