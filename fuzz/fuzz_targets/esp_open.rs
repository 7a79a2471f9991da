//! Datagrams from anybody: nothing panics, and all ways to open a packet agree about it.
//!
//! Octets alone never become authentic, so some of the packets are sealed by a peer first, whose
//! text is as arbitrary as everything else, and may then be damaged.

#![no_main]

use arbitrary::Arbitrary;
use chacha20poly1305_esp::aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::esp::{
    self, InboundSa, Opened, PaddingPolicy, Received, Resync, Rfc7539Esp, UdpPayload, Window,
};
use libfuzzer_sys::fuzz_target;

const SPI: u32 = 0x1001;
const KEYMAT: [u8; 36] = [0x42; 36];

#[derive(Arbitrary, Debug)]
struct Input {
    esn: bool,
    implicit_iv: bool,
    lenient: bool,
    aligned: bool,
    resync: bool,
    window: u16,
    highest: u64,
    datagrams: Vec<Datagram>,
}

#[derive(Arbitrary, Debug)]
enum Datagram {
    Octets(Vec<u8>),
    /// With the SPI of the SA.
    Addressed(Vec<u8>),
    Sealed {
        number: u64,
        iv: [u8; 8],
        text: Vec<u8>,
        flip: Option<u16>,
        cut: u16,
    },
}

type Sa = InboundSa<Rfc7539Esp, Box<[u64]>>;

impl Input {
    fn receiver(&self) -> Option<Sa> {
        let mut window = Window::boxed(u32::from(self.window)).ok()?;
        if self.highest > 0 {
            window.commit(self.highest).ok()?;
        }
        let policy = if self.lenient { PaddingPolicy::Lenient } else { PaddingPolicy::Strict };
        let mut builder = InboundSa::<Rfc7539Esp>::builder(SPI, &KEYMAT)
            .ok()?
            .esn(self.esn)
            .implicit_iv(self.implicit_iv)
            .require_alignment(self.aligned)
            .padding(policy);
        if self.resync {
            builder = builder.resync(Resync { failures: 2, halves: 3 });
        }
        builder.build_with(window).ok()
    }

    /// As a peer would send it, whatever it means by it.
    fn octets(&self, datagram: &Datagram) -> Vec<u8> {
        match datagram {
            Datagram::Octets(octets) => octets.clone(),
            Datagram::Addressed(octets) => [&SPI.to_be_bytes()[..], octets].concat(),
            Datagram::Sealed { number, iv, text, flip, .. } => {
                let spi = SPI.to_be_bytes();
                let low = (*number as u32).to_be_bytes();
                let (full, short) = (number.to_be_bytes(), u64::from(*number as u32).to_be_bytes());
                let number = if self.esn { full } else { short };
                let aad = [&spi[..], if self.esn { &full[..] } else { &low[..] }].concat();
                let (iv, sent) = if self.implicit_iv { (&number, &[][..]) } else { (iv, &iv[..]) };
                let aead = Rfc7539Esp::new(&KEYMAT.into());
                let mut text = text.clone();
                let tag = aead.encrypt_in_place_detached(iv.into(), &aad, &mut text);
                let tag = tag.expect("short enough");
                let mut packet = [&spi[..], &low, sent, &text, &tag].concat();
                if let Some(flip) = flip {
                    let at = usize::from(*flip) % packet.len();
                    packet[at] ^= 1 << (flip >> 13);
                }
                packet
            }
        }
    }
}

/// What was found, apart from where it lies.
fn found<'a>(
    result: &Result<Received, esp::Error>,
    buffer: &'a [u8],
) -> Result<Option<(u8, &'a [u8])>, esp::Error> {
    match result {
        Ok(Received::Payload(Opened { payload, next_header, .. })) => {
            Ok(Some((*next_header, &buffer[payload.clone()])))
        }
        Ok(Received::Dummy(_)) => Ok(None),
        Err(error) => Err(*error),
    }
}

fuzz_target!(|input: Input| {
    let [Some(mut in_place), Some(mut between), Some(mut in_slices)] =
        [input.receiver(), input.receiver(), input.receiver()]
    else {
        return;
    };
    for datagram in &input.datagrams {
        let packet = input.octets(datagram);
        let is_esp = esp::classify(&packet) == Ok(UdpPayload::Esp);

        let mut buffer = packet.clone();
        let result = in_place.open(&mut buffer);
        let got = found(&result, &buffer);
        assert!(is_esp || got.is_err(), "no datagram that is not ESP is opened");
        match got {
            Ok(Some((next_header, payload))) => {
                assert!(
                    esp::inner_len(payload, next_header).is_ok_and(|len| len <= payload.len())
                        || matches!(next_header, 4 | 41)
                );
            }
            Err(esp::Error::BadPadding) | Ok(None) => {}
            Err(_) => assert_eq!(buffer, packet, "a refused packet is as it was"),
        }

        let mut out = vec![0; packet.len()];
        let result = between.open_into(&packet, &mut out);
        assert_eq!(found(&result, &out), got);

        let mut several = packet.clone();
        let cut = match datagram {
            Datagram::Sealed { cut, .. } => usize::from(*cut) % (packet.len() + 1),
            _ => packet.len() / 2,
        };
        let (a, b) = several.split_at_mut(cut);
        let result = in_slices.open_segments(&mut [a, b]);
        assert_eq!(found(&result, &several), got);

        assert_eq!(in_place.highest(), between.highest());
        assert_eq!(in_place.counters(), between.counters());
        assert_eq!(in_place.counters(), in_slices.counters());
    }
});
