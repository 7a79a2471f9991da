//! A packet whose payload lies in several slices.

use chacha20poly1305_esp::esp::{HEADROOM, Received, TAILROOM};
use serde::Deserialize;

use super::association::{self, Keyed};
use super::{Packet, unexpected};
use crate::vectors::data::Bytes;
use crate::vectors::forced::salted;
use crate::vectors::tally::{Check, Mismatch, Tally, same};

/// A payload, the ways to cut it, and the packet that each of them makes.
#[derive(Deserialize)]
pub(super) struct Segments {
    esn: bool,
    seq: u64,
    payload: Bytes,
    next_header: u8,
    splits: Vec<Vec<usize>>,
    packet: Bytes,
}

impl Segments {
    pub(super) fn run(&self, keyed: &Keyed<'_>, t: &mut Tally) {
        let whole = Packet {
            keymat: None,
            spi: keyed.spi,
            seq: self.seq,
            esn: self.esn,
            implicit_iv: false,
            iv: Bytes(self.seq.to_be_bytes().to_vec()),
            payload: self.payload.clone(),
            next_header: self.next_header,
            packet: self.packet.clone(),
        };
        whole.check(&salted(keyed.keymat, keyed.kernels), t);
        for splits in &self.splits {
            t.check(format_args!("seal, cut at {splits:?}"), || self.seal(keyed, splits));
            t.check(format_args!("open, cut at {splits:?}"), || self.open(keyed, splits));
        }
    }

    /// Room for the header, the pieces of the payload, room for the trailer: a slice each.
    fn seal(&self, keyed: &Keyed<'_>, splits: &[usize]) -> Check {
        let mut buffer = vec![0xee; HEADROOM + self.payload.len() + TAILROOM];
        let payload = HEADROOM..HEADROOM + self.payload.len();
        buffer[payload.clone()].copy_from_slice(&self.payload);
        let mut sender = association::sender(keyed, self.esn, self.seq).map_err(unexpected)?;
        let cuts = [&[0][..], splits, &[self.payload.len()]].concat();
        let mut slices = cut(&mut buffer, cuts.iter().map(|at| HEADROOM + at));
        let packet = sender.seal_segments(self.next_header, &mut slices, payload);
        same(&buffer[packet.map_err(unexpected)?], &self.packet)
    }

    /// The packet with its payload cut in the same places.
    fn open(&self, keyed: &Keyed<'_>, splits: &[usize]) -> Check {
        let mut buffer = self.packet.0.clone();
        let mut receiver = association::receiver(keyed, self.esn).map_err(unexpected)?;
        let mut slices = cut(&mut buffer, splits.iter().map(|at| HEADROOM + at));
        match receiver.open_segments(&mut slices).map_err(unexpected)? {
            Received::Payload(opened) => same(&buffer[opened.payload], &self.payload),
            Received::Dummy(_) => Err(Mismatch::Other("a dummy".into())),
        }
    }
}

/// `buffer` cut at rising offsets; slices between equal ones are empty.
fn cut(buffer: &mut [u8], offsets: impl Iterator<Item = usize>) -> Vec<&mut [u8]> {
    let (mut slices, mut rest, mut start) = (Vec::new(), buffer, 0);
    for offset in offsets {
        let (head, tail) = rest.split_at_mut(offset - start);
        slices.push(head);
        (rest, start) = (tail, offset);
    }
    slices.push(rest);
    slices
}
