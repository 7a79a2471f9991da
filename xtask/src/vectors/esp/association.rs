//! Security associations: what must be accepted, refused, sent.

use chacha20poly1305_esp::esp::{
    Error, HEADROOM, InboundSa, OutboundSa, PaddingPolicy, Received as Opened, TAILROOM, Window,
};
use serde::Deserialize;
use serde_json::Value;

use super::{is, unexpected};
use crate::vectors::Kernels;
use crate::vectors::data::Bytes;
use crate::vectors::forced::{self, Salted};
use crate::vectors::tally::{Check, Tally, ensure, same};

type Inbound = InboundSa<Salted, Box<[u64]>>;

/// What all associations of the file have in common.
pub(super) struct Keyed<'a> {
    pub(super) spi: u32,
    pub(super) keymat: &'a [u8],
    pub(super) kernels: &'a Kernels,
}

/// The state that a receiver starts in.
#[derive(Deserialize)]
pub(super) struct Start {
    window: u32,
    esn: bool,
    #[serde(rename = "start_T")]
    highest: u64,
    #[serde(default)]
    padding: String,
}

impl Start {
    /// A receiver that has got the number `highest`, and only that; 0 for none.
    fn receiver(&self, keyed: &Keyed<'_>, highest: u64) -> Result<Inbound, Error> {
        let mut window = Window::boxed(self.window)?;
        if highest != 0 {
            window.commit(highest)?;
        }
        let padding = match self.padding.as_str() {
            "lax" => PaddingPolicy::Lenient,
            _ => PaddingPolicy::Strict,
        };
        forced::set(keyed.kernels);
        InboundSa::<Salted>::builder(keyed.spi, keyed.keymat)?
            .esn(self.esn)
            .padding(padding)
            .build_with(window)
    }

    /// As above, but led there by packets.
    fn led(&self, keyed: &Keyed<'_>, packets: &[Vec<u8>]) -> Result<Inbound, Error> {
        let mut receiver = self.receiver(keyed, 0)?;
        for packet in packets {
            receiver.open(&mut packet.clone())?;
        }
        Ok(receiver)
    }
}

/// The cases' word for what happened.
fn word(result: &Result<Opened, Error>) -> &'static str {
    match result {
        Ok(Opened::Payload(_)) => "accept",
        Ok(Opened::Dummy(_)) => "dummy",
        Err(Error::Malformed) => "malformed",
        Err(Error::SequenceZero) => "seq_zero",
        Err(Error::TooOld) => "too_old",
        Err(Error::Replay) => "replay",
        Err(Error::AuthFailed) => "auth_failed",
        Err(Error::BadPadding) => "bad_padding",
        Err(_) => "another error",
    }
}

/// Whether `word` is, or is among, what is expected; `reject` stands for any error.
fn fits(expect: &Value, word: &str) -> bool {
    match expect {
        Value::Array(any) => any.iter().any(|expect| fits(expect, word)),
        Value::String(reject) if reject == "reject" => !matches!(word, "accept" | "dummy"),
        expect => expect == word,
    }
}

/// Packets that a receiver gets in order.
#[derive(Deserialize)]
pub(super) struct InboundCase {
    #[serde(flatten)]
    start: Start,
    warmup: Vec<Bytes>,
    packets: Vec<Packet>,
}

#[derive(Deserialize)]
struct Packet {
    packet: Bytes,
    expect: Value,
    #[serde(rename = "T")]
    highest: u64,
    payload: Option<Bytes>,
    next_header: Option<u8>,
}

impl InboundCase {
    /// Every packet in place and between buffers, from a preset state and from one led there.
    pub(super) fn run(&self, keyed: &Keyed<'_>, t: &mut Tally) {
        let preset = || self.start.receiver(keyed, self.start.highest);
        self.walk("preset", [preset(), preset()], t);
        if !self.warmup.is_empty() {
            let packets: Vec<_> = self.warmup.iter().map(|packet| packet.0.clone()).collect();
            let led = || self.start.led(keyed, &packets);
            self.walk("warmed up", [led(), led()], t);
        }
    }

    fn walk(&self, how: &str, receivers: [Result<Inbound, Error>; 2], t: &mut Tally) {
        let [Ok(mut receiver), Ok(mut twin)] = receivers else {
            return t.check(how, || ensure(false, || "no such receiver".into()));
        };
        for (i, packet) in self.packets.iter().enumerate() {
            t.check(format_args!("{how}: packet {i} in place"), || packet.in_place(&mut receiver));
            t.check(format_args!("{how}: packet {i} between buffers"), || {
                packet.between_buffers(&mut twin)
            });
        }
    }
}

impl Packet {
    fn judge(&self, result: &Result<Opened, Error>, highest: u64) -> Check {
        let word = word(result);
        ensure(fits(&self.expect, word), || format!("{word}, want {}", self.expect))?;
        let want = self.highest;
        ensure(highest == want, || format!("highest number {highest}, want {want}"))
    }

    fn payload(&self) -> &[u8] {
        self.payload.as_deref().unwrap_or_default()
    }

    fn in_place(&self, receiver: &mut Inbound) -> Check {
        let mut buffer = self.packet.0.clone();
        let result = receiver.open(&mut buffer);
        self.judge(&result, receiver.highest())?;
        match result {
            Ok(Opened::Payload(opened)) => {
                same(&buffer[opened.payload], self.payload())?;
                same(&[opened.next_header], &self.next_header.map_or(vec![], |n| vec![n]))?;
                same(&buffer[..16], &self.packet[..16])
            }
            Ok(Opened::Dummy(_)) => Ok(()),
            Err(Error::BadPadding) => {
                let text = &buffer[16..buffer.len() - 16];
                ensure(text.iter().all(|&octet| octet == 0), || "the text is left".into())
            }
            Err(_) => same(&buffer, &self.packet),
        }
    }

    fn between_buffers(&self, receiver: &mut Inbound) -> Check {
        let mut out = vec![0; self.packet.len()];
        let result = receiver.open_into(&self.packet, &mut out);
        self.judge(&result, receiver.highest())?;
        match result {
            Ok(Opened::Payload(opened)) => same(&out[opened.payload], self.payload()),
            Ok(Opened::Dummy(_)) => Ok(()),
            Err(_) => ensure(out.iter().all(|&octet| octet == 0), || "output written".into()),
        }
    }
}

/// The same by numbers alone: `[number sent, result, highest number afterwards]`.
#[derive(Deserialize)]
pub(super) struct NumbersCase {
    #[serde(flatten)]
    start: Start,
    warmup: Vec<u64>,
    steps: Vec<(u64, Value, u64)>,
}

impl NumbersCase {
    pub(super) fn run(&self, keyed: &Keyed<'_>, t: &mut Tally) {
        let esn = self.start.esn;
        let packet = |number| sent(keyed, esn, number).unwrap_or_default();
        let warmup: Vec<_> = self.warmup.iter().map(|&number| packet(number)).collect();
        let receivers = [
            ("preset", self.start.receiver(keyed, self.start.highest)),
            ("warmed up", self.start.led(keyed, &warmup)),
        ];
        for (how, receiver) in receivers {
            t.check(how, || {
                let mut receiver = receiver.map_err(unexpected)?;
                for (number, expect, highest) in &self.steps {
                    let result = receiver.open(&mut packet(*number));
                    let (word, now) = (word(&result), receiver.highest());
                    ensure(fits(expect, word) && now == *highest, || {
                        format!("{number}: {word}, highest {now}; want {expect}, {highest}")
                    })?;
                }
                Ok(())
            });
        }
    }
}

/// The packet with this number.
fn sent(keyed: &Keyed<'_>, esn: bool, number: u64) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; 44];
    let mut sender = sender(keyed, esn, number)?;
    let len = sender.seal_into(17, b"hello esp", &mut out)?;
    out.truncate(len);
    Ok(out)
}

/// A sender whose next number is `first`.
pub(super) fn sender(
    keyed: &Keyed<'_>,
    esn: bool,
    first: u64,
) -> Result<OutboundSa<Salted>, Error> {
    forced::set(keyed.kernels);
    OutboundSa::<Salted>::builder(keyed.spi, keyed.keymat)?.esn(esn).first_number(first).build()
}

/// A receiver with the default window that has got nothing.
pub(super) fn receiver(keyed: &Keyed<'_>, esn: bool) -> Result<InboundSa<Salted>, Error> {
    forced::set(keyed.kernels);
    InboundSa::<Salted>::builder(keyed.spi, keyed.keymat)?.esn(esn).build()
}

/// Packets that a sender makes in order.
#[derive(Deserialize)]
pub(super) struct OutboundCase {
    esn: bool,
    next_seq: u64,
    seals: Vec<Seal>,
}

#[derive(Deserialize)]
struct Seal {
    payload: Bytes,
    next_header: u8,
    expect: String,
    packet: Option<Bytes>,
}

impl OutboundCase {
    pub(super) fn run(&self, keyed: &Keyed<'_>, t: &mut Tally) {
        let new = || sender(keyed, self.esn, self.next_seq);
        let (Ok(mut sender), Ok(mut twin)) = (new(), new()) else {
            return t.check("sender", || ensure(false, || "no such sender".into()));
        };
        for (i, seal) in self.seals.iter().enumerate() {
            t.check(format_args!("packet {i} in place"), || seal.in_place(&mut sender));
            t.check(format_args!("packet {i} between buffers"), || seal.between_buffers(&mut twin));
        }
    }
}

impl Seal {
    fn judge<T: std::fmt::Debug>(&self, result: &Result<T, Error>) -> Check {
        match self.expect.as_str() {
            "packet" => ensure(result.is_ok(), || format!("{result:?}")),
            "seq_exhausted" => is(result, Error::SequenceExhausted),
            other => panic!("no sender gives {other}"),
        }
    }

    fn in_place(&self, sender: &mut OutboundSa<Salted>) -> Check {
        let mut buffer = vec![0xee; HEADROOM];
        buffer.extend_from_slice(&self.payload);
        buffer.resize(buffer.len() + TAILROOM, 0xee);
        let before = buffer.clone();
        let payload = HEADROOM..HEADROOM + self.payload.len();
        let result = sender.seal(self.next_header, &mut buffer, payload);
        self.judge(&result)?;
        match (result, &self.packet) {
            (Ok(packet), Some(want)) => same(&buffer[packet], want),
            _ => same(&buffer, &before),
        }
    }

    fn between_buffers(&self, sender: &mut OutboundSa<Salted>) -> Check {
        let before = vec![0xee; HEADROOM + self.payload.len() + TAILROOM];
        let mut out = before.clone();
        let result = sender.seal_into(self.next_header, &self.payload, &mut out);
        self.judge(&result)?;
        match (result, &self.packet) {
            (Ok(len), Some(want)) => same(&out[..len], want),
            _ => same(&out, &before),
        }
    }
}

/// Rules that hold at run time; the types exclude the rest, so there is nothing to call.
pub(super) fn rules(keyed: &Keyed<'_>, t: &mut Tally) {
    forced::set(keyed.kernels);
    t.check("keying material of 36 octets only", || {
        (0..=64).try_for_each(|len| {
            let keymat = vec![1; len];
            let inbound = InboundSa::<Salted>::new(1, &keymat).err();
            let outbound = OutboundSa::<Salted>::new(1, &keymat).err();
            let want = (len != 36).then_some(Error::KeyLength);
            ensure(inbound == want && outbound == want, || {
                format!("{len} octets: {inbound:?}, {outbound:?}")
            })
        })
    });
    let builder = || InboundSa::<Salted>::builder(keyed.spi, keyed.keymat).map_err(unexpected);
    t.check("ESN without a window is refused", || {
        let result = builder()?.esn(true).build_with(Window::off());
        is(&result.map(|_| ()), Error::EsnWithoutWindow)
    });
    t.check("without a window every number but 0 passes, twice too", || {
        let mut receiver = builder()?.build_with(Window::off()).map_err(unexpected)?;
        [7, 7, 1, 7].into_iter().try_for_each(|number| {
            let mut packet = sent(keyed, false, number).map_err(unexpected)?;
            receiver.open(&mut packet).map(|_| ()).map_err(unexpected)
        })?;
        let mut zero = sent(keyed, false, 7).map_err(unexpected)?;
        zero[4..8].fill(0);
        is(&receiver.open(&mut zero), Error::SequenceZero)
    });
}
