//! Cases of ESP, as far as the packet layer reaches.
//!
//! What needs a security association (windows, counters, demultiplexing) is listed as not yet; the
//! packets of such a case are checked one by one where their fate does not hang on the state.

use anyhow::{Context, Result};
use chacha20poly1305_esp::esp::{
    Error, Fields, HEADROOM, Iv, OpenOptions, PaddingPolicy, SequenceNumber, Spi, open_packet,
    open_packet_into, seal_packet, seal_packet_into, sealed_len,
};
use serde::Deserialize;

use super::aead::Run;
use super::ciphers::AeadAlg;
use super::data::{Bytes, Flips};
use super::forced::{Salted, salted};
use super::tally::{Check, Mismatch, Tally, ensure, same};
use super::{Entry, Kernels};

/// A packet, everything in it given.
#[derive(Clone, Deserialize)]
pub(crate) struct Packet {
    #[serde(default)]
    keymat: Option<Bytes>,
    spi: u32,
    seq: u64,
    esn: bool,
    #[serde(default)]
    implicit_iv: bool,
    iv: Bytes,
    payload: Bytes,
    next_header: u8,
    packet: Bytes,
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
    fn check(&self, aead: &Salted, t: &mut Tally) {
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

fn unexpected(error: Error) -> Mismatch {
    Mismatch::Other(format!("refused: {error}"))
}

#[derive(Deserialize)]
struct File {
    keymat: Bytes,
    spi: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Kind {
    Vector(Packet),
    Aead(Aead),
    Sizes { items: Vec<(usize, usize)> },
    Room { items: Vec<(usize, usize)> },
    Inbound(Inbound),
    Outbound(Outbound),
    Segments(Segments),
    Numbers {},
    Classify {},
    Tfc {},
    UdpHeader {},
    Rules {},
}

#[derive(Deserialize)]
struct Aead {
    key: Bytes,
    nonce: Bytes,
    aad: Bytes,
    pt: Bytes,
    ct: Bytes,
    tag: Bytes,
}

/// Packets that a receiver gets in order.
#[derive(Deserialize)]
struct Inbound {
    esn: bool,
    padding: String,
    packets: Vec<Received>,
}

#[derive(Deserialize)]
struct Received {
    packet: Bytes,
    expect: serde_json::Value,
    payload: Option<Bytes>,
    next_header: Option<u8>,
}

impl Inbound {
    /// A packet's own fate, where neither a window nor an inferred high half decides it.
    fn run(&self, aead: &Salted, t: &mut Tally) {
        if self.esn {
            return;
        }
        let padding =
            if self.padding == "lax" { PaddingPolicy::Lenient } else { PaddingPolicy::Strict };
        let options = OpenOptions { padding, ..OpenOptions::default() };
        for (i, received) in self.packets.iter().enumerate() {
            let Some(expect) = received.expect.as_str() else { continue };
            let mut buffer = received.packet.0.clone();
            let result = open_packet(aead, &mut buffer, &options);
            let unchanged = || same(&buffer, &received.packet);
            let check: Box<dyn FnOnce() -> Check> = match expect {
                "accept" => Box::new(|| {
                    let opened = result.map_err(unexpected)?;
                    same(&buffer[opened.payload], received.payload.as_ref().expect("payload"))?;
                    same(&[opened.next_header], &[received.next_header.expect("next header")])
                }),
                "dummy" => Box::new(|| {
                    let opened = result.map_err(unexpected)?;
                    ensure(opened.is_dummy(), || "not a dummy".into())
                }),
                "auth_failed" => {
                    Box::new(|| is(&result, Error::AuthFailed).and_then(|()| unchanged()))
                }
                "malformed" => Box::new(|| is_malformed(&result)),
                "bad_padding" => Box::new(|| is(&result, Error::BadPadding)),
                _ => continue,
            };
            t.check(format_args!("packet {i} alone: {expect}"), check);
        }
    }
}

fn is<T: std::fmt::Debug>(result: &Result<T, Error>, want: Error) -> Check {
    ensure(matches!(result, Err(error) if *error == want), || format!("{result:?}, want {want:?}"))
}

/// A pad length beyond the text is as malformed as a packet that is too short, but only after its
/// ICV was right: the packet layer calls it bad padding.
fn is_malformed<T: std::fmt::Debug>(result: &Result<T, Error>) -> Check {
    let fits = matches!(result, Err(Error::Malformed | Error::BadPadding));
    ensure(fits, || format!("{result:?}, want Malformed"))
}

/// Packets that a sender makes in order.
#[derive(Deserialize)]
struct Outbound {
    esn: bool,
    next_seq: u64,
    seals: Vec<Sealed>,
}

#[derive(Deserialize)]
struct Sealed {
    payload: Bytes,
    next_header: u8,
    expect: String,
    packet: Option<Bytes>,
}

impl Outbound {
    /// The packets, with the numbers that the association will count for itself.
    fn run(&self, aead: &Salted, spi: u32, t: &mut Tally) {
        let made = self.seals.iter().filter(|sealed| sealed.expect == "packet");
        for (sealed, seq) in made.zip(self.next_seq..) {
            let packet = Packet {
                keymat: None,
                spi,
                seq,
                esn: self.esn,
                implicit_iv: false,
                iv: Bytes(seq.to_be_bytes().to_vec()),
                payload: sealed.payload.clone(),
                next_header: sealed.next_header,
                packet: sealed.packet.clone().expect("packet"),
            };
            packet.check_seal(aead, t);
        }
    }
}

/// A payload in pieces.
#[derive(Deserialize)]
struct Segments {
    esn: bool,
    seq: u64,
    payload: Bytes,
    next_header: u8,
    packet: Bytes,
}

impl Case {
    fn not_yet(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Vector(_) | Kind::Aead(_) | Kind::Sizes { .. } | Kind::Room { .. } => None,
            Kind::Inbound(_) | Kind::Numbers {} => Some("inbound security association"),
            Kind::Outbound(_) => Some("outbound security association"),
            Kind::Segments(_) => Some("payload in segments"),
            Kind::Classify {} | Kind::UdpHeader {} => Some("UDP encapsulation"),
            Kind::Tfc {} => Some("trimming of TFC padding"),
            Kind::Rules {} => Some("rules for the types of security associations"),
        }
    }

    fn run(&self, keymat: &Bytes, spi: u32, kernels: &Kernels, t: &mut Tally) {
        let aead = || salted(keymat, kernels);
        match &self.kind {
            Kind::Vector(packet) => packet.check(&aead(), t),
            Kind::Aead(Aead { key, nonce, aad, pt, ct, tag }) => {
                let [key, nonce, aad, pt, ct, tag] =
                    [key, nonce, aad, pt, ct, tag].map(Bytes::clone);
                let run = Run { alg: AeadAlg::ChaCha20Poly1305, key, nonce, aad, pt, ct, tag };
                run.run(Flips::All, kernels, t);
            }
            Kind::Sizes { items } => t.check("packet lengths", || {
                items.iter().try_for_each(|&(payload, want)| {
                    let got = sealed_len(payload);
                    ensure(got == want, || format!("{payload} makes {got}, want {want}"))
                })
            }),
            Kind::Room { items } => {
                for &(payload, room) in items {
                    t.check(format_args!("room for {payload}"), || {
                        room_is(&aead(), spi, payload, room)
                    });
                }
            }
            Kind::Inbound(inbound) => inbound.run(&aead(), t),
            Kind::Outbound(outbound) => outbound.run(&aead(), spi, t),
            Kind::Segments(whole) => {
                let packet = Packet {
                    keymat: None,
                    spi,
                    seq: whole.seq,
                    esn: whole.esn,
                    implicit_iv: false,
                    iv: Bytes(whole.seq.to_be_bytes().to_vec()),
                    payload: whole.payload.clone(),
                    next_header: whole.next_header,
                    packet: whole.packet.clone(),
                };
                packet.check(&aead(), t);
            }
            Kind::Numbers {}
            | Kind::Classify {}
            | Kind::Tfc {}
            | Kind::UdpHeader {}
            | Kind::Rules {} => {}
        }
    }
}

/// A buffer of `room` octets is enough; one octet less is refused and stays as it is.
fn room_is(aead: &Salted, spi: u32, payload: usize, room: usize) -> Check {
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

/// All cases of the file.
pub(crate) fn entries(json: &str) -> Result<Vec<Entry>> {
    let File { keymat, spi, cases } = serde_json::from_str(json).context("vector file")?;
    let entry = |case: Case| {
        let (id, not_yet, keymat) = (case.id.clone(), case.not_yet(), keymat.clone());
        let run = move |kernels: &Kernels, t: &mut Tally| case.run(&keymat, spi, kernels, t);
        Entry { not_yet, ..Entry::new(id, run) }
    };
    Ok(cases.into_iter().map(entry).collect())
}
