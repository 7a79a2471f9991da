//! Packets without the state of a security association.

use chacha20poly1305_esp::esp::{
    Error, Fields, HEADROOM, Iv, OpenOptions, PaddingPolicy, SequenceNumber, Spi, open_packet,
    open_packet_into, seal_packet, seal_packet_into,
};
use serde::Deserialize;

use super::{is, unexpected};
use crate::vectors::Kernels;
use crate::vectors::data::Bytes;
use crate::vectors::forced::{Salted, salted};
use crate::vectors::tally::{Check, Tally, ensure, same};

/// A packet, everything in it given.
#[derive(Clone, Deserialize)]
pub(crate) struct Packet {
    #[serde(default)]
    pub(super) keymat: Option<Bytes>,
    pub(super) spi: u32,
    pub(super) seq: u64,
    pub(super) esn: bool,
    #[serde(default)]
    pub(super) implicit_iv: bool,
    pub(super) iv: Bytes,
    pub(super) payload: Bytes,
    pub(super) next_header: u8,
    pub(super) packet: Bytes,
}

impl Packet {
    fn fields(&self) -> Result<Fields, Error> {
        let sequence = match self.esn {
            true => SequenceNumber::Extended(self.seq),
            false => SequenceNumber::Short(u32::try_from(self.seq).expect("32 bits without ESN")),
        };
        let iv = if self.implicit_iv { Iv::Implicit } else { Iv::Explicit(self.iv.array()) };
        let spi = Spi::new(self.spi)?;
        Ok(Fields { spi, sequence, iv, next_header: self.next_header, tfc_padding: 0 })
    }

    fn options(&self) -> OpenOptions {
        OpenOptions {
            sequence_high: self.esn.then_some((self.seq >> 32) as u32),
            implicit_iv: self.implicit_iv,
            padding: PaddingPolicy::Strict,
        }
    }

    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let keymat = self.keymat.as_ref().expect("keying material");
        self.check(&salted(keymat, kernels), t);
    }

    /// Sealed and opened, in place and between buffers.
    pub(super) fn check(&self, aead: &Salted, t: &mut Tally) {
        self.check_seal(aead, t);
        let options = self.options();
        t.check("open packet in place", || {
            let mut buffer = self.packet.0.clone();
            let opened = open_packet(aead, &mut buffer, &options).map_err(unexpected)?;
            same(&buffer[opened.payload], &self.payload)?;
            same(&[opened.next_header], &[self.next_header])
        });
        t.check("open packet between buffers", || {
            let mut out = vec![0xee; self.packet.len()];
            let opened =
                open_packet_into(aead, &self.packet, &options, &mut out).map_err(unexpected)?;
            same(&out[opened.payload], &self.payload)?;
            same(&[opened.next_header], &[self.next_header])
        });
    }

    fn check_seal(&self, aead: &Salted, t: &mut Tally) {
        t.check("seal packet in place", || {
            let mut buffer = vec![0xee; HEADROOM];
            buffer.extend_from_slice(&self.payload);
            buffer.resize(HEADROOM + self.packet.len(), 0xee);
            let payload = HEADROOM..HEADROOM + self.payload.len();
            let fields = self.fields().map_err(unexpected)?;
            let packet = seal_packet(aead, &fields, &mut buffer, payload).map_err(unexpected)?;
            same(&buffer[packet], &self.packet)
        });
        t.check("seal packet between buffers", || {
            let mut out = vec![0xee; self.packet.len()];
            let fields = self.fields().map_err(unexpected)?;
            let len = seal_packet_into(aead, &fields, &self.payload, &mut out);
            same(&out[..len.map_err(unexpected)?], &self.packet)
        });
    }
}

/// A buffer of `room` octets is enough; one octet less is refused and stays as it is.
pub(super) fn room_is(aead: &Salted, spi: u32, payload: usize, room: usize) -> Check {
    let fields = Fields {
        spi: Spi::new(spi).map_err(unexpected)?,
        sequence: SequenceNumber::Short(1),
        iv: Iv::Explicit(1u64.to_be_bytes()),
        next_header: 4,
        tfc_padding: 0,
    };
    let payload = vec![0x5a; payload];
    let mut out = vec![0xee; room];
    let len = seal_packet_into(aead, &fields, &payload, &mut out).map_err(unexpected)?;
    ensure(len == room, || format!("took {len} octets"))?;
    let mut short = vec![0xee; room - 1];
    is(&seal_packet_into(aead, &fields, &payload, &mut short), Error::BufferTooSmall)?;
    same(&short, &vec![0xee; room - 1])
}
