//! The kernel's AEAD on its own, through AF_ALG: the same octets as ours.

use anyhow::{Context, Result};
use chacha20poly1305_esp::aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::esp::{HEADER_LEN, HEADROOM, Rfc7539Esp};
use serde_json::Value;

use super::Guest;
use crate::interop::net::TO_PEER;
use crate::interop::report::Report;

/// EBADMSG of Linux: the tag is wrong.
const BAD_MESSAGE: i32 = 74;
const ROUNDS: usize = 300;
const LONGEST: u64 = 2000;

pub(super) fn run(guest: &mut Guest, report: &mut Report) -> Result<()> {
    published(guest, report)?;
    random(guest, report)
}

/// What the published packets hide, sealed by the kernel.
fn published(guest: &mut Guest, report: &mut Report) -> Result<()> {
    let file: Value = serde_json::from_str(include_str!("../../../../vectors/esp.json"))?;
    let (mut good, mut all) = (0, 0);
    for case in file["cases"].as_array().context("cases")? {
        if case["kind"] != "vector" {
            continue;
        }
        let octets = |name: &str| hex::decode(case[name].as_str().unwrap_or_default());
        let (iv, packet) = (octets("iv")?, octets("packet")?);
        let number = case["seq"].as_u64().context("number")?;
        let spi = (case["spi"].as_u64().context("SPI")? as u32).to_be_bytes();
        let aad = match case["esn"] == true {
            true => [&spi[..], &number.to_be_bytes()].concat(),
            false => [&spi[..], &(number as u32).to_be_bytes()].concat(),
        };
        let implicit = case["implicit_iv"] == true;
        let sealed = &packet[if implicit { HEADER_LEN } else { HEADROOM }..];
        let keymat = &TO_PEER;
        // The kernel opens, and seals again what it found.
        let opened = guest.aead("open", keymat, &iv, &aad, sealed)?;
        let again = match &opened {
            Ok(text) => guest.aead("seal", keymat, &iv, &aad, text)?,
            Err(number) => Err(*number),
        };
        good += usize::from(again.is_ok_and(|again| again == sealed));
        all += 1;
    }
    report.count("AF_ALG: published packets opened and sealed", good, all);
    Ok(())
}

/// Random ones, both ways.
fn random(guest: &mut Guest, report: &mut Report) -> Result<()> {
    let mut random = Random(0x7539);
    let (mut sealed, mut opened, mut refused) = (0, 0, 0);
    for _ in 0..ROUNDS {
        let keymat = random.octets(36);
        let iv = random.octets(8);
        let aad_len = if random.below(2) == 0 { 8 } else { 12 };
        let aad = random.octets(aad_len);
        let len = random.below(LONGEST);
        let text = random.octets(len);

        let aead = Rfc7539Esp::new_from_slice(&keymat).ok().context("36 octets")?;
        let iv_array = iv[..].into();
        let mut ours = text.clone();
        let tag = aead.encrypt_in_place_detached(iv_array, &aad, &mut ours);
        ours.extend(tag.ok().context("short enough")?);

        let theirs = guest.aead("seal", &keymat, &iv, &aad, &text)?;
        sealed += usize::from(theirs.as_ref() == Ok(&ours));
        opened += usize::from(guest.aead("open", &keymat, &iv, &aad, &ours)? == Ok(text));

        // One wrong bit, in the text or in the tag.
        let at = random.below(ours.len() as u64) as usize;
        ours[at] ^= 1 << (at % 8);
        let theirs = guest.aead("open", &keymat, &iv, &aad, &ours)?;
        let (text, tag) = ours.split_at_mut(len as usize);
        let us = aead.decrypt_in_place_detached(iv_array, &aad, text, (&*tag).into());
        refused += usize::from(us.is_err() && theirs == Err(BAD_MESSAGE));
    }
    report.count("AF_ALG: random messages equal to the kernel's", sealed, ROUNDS);
    report.count("AF_ALG: ours opened by the kernel", opened, ROUNDS);
    report.count("AF_ALG: one wrong bit, refused by both", refused, ROUNDS);
    Ok(())
}

/// Steele, Lea and Flood's SplitMix64: the same cases every time.
struct Random(u64);

impl Random {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }

    fn octets(&mut self, len: u64) -> Vec<u8> {
        (0..len).map(|_| self.draw() as u8).collect()
    }
}
