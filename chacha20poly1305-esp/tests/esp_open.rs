//! Opening packets: every length, every pad length, every flipped bit, and what is left in the buffer.

mod esp_support;

use chacha20poly1305_esp::esp::{
    self, Error, Fields, Header, Iv, OpenOptions, Opened, PaddingPolicy, SequenceNumber,
};
use esp_support::*;

const STRICT: OpenOptions =
    OpenOptions { sequence_high: None, implicit_iv: false, padding: PaddingPolicy::Strict };
const LENIENT: OpenOptions = OpenOptions { padding: PaddingPolicy::Lenient, ..STRICT };

/// Opens in place and between buffers, and checks that both agree, and what an error leaves behind.
fn open(packet: &[u8], options: &OpenOptions) -> Result<(Vec<u8>, Opened), Error> {
    let head = if options.implicit_iv { 8 } else { 16 };
    let mut buffer = packet.to_vec();
    let in_place = esp::open_packet(&aead(), &mut buffer, options);
    let mut out = vec![0xee; packet.len()];
    let apart = esp::open_packet_into(&aead(), packet, options, &mut out);
    match (in_place, apart) {
        (Ok(a), Ok(b)) => {
            assert_eq!((a.spi, a.sequence, a.next_header), (b.spi, b.sequence, b.next_header));
            assert_eq!(buffer[a.payload.clone()], out[b.payload]);
            let text_end = packet.len() - 16;
            assert_eq!(buffer[..head], packet[..head]);
            assert_eq!(buffer[text_end..], packet[text_end..]);
            assert!(out[text_end - head..].iter().all(|&o| o == 0xee));
            Ok((buffer[a.payload.clone()].to_vec(), a))
        }
        (Err(a), Err(b)) => {
            assert_eq!(a, b);
            let icv = packet.len().saturating_sub(16);
            match a {
                Error::BadPadding => {
                    let zeros = vec![0; icv - head];
                    assert_eq!(buffer, [&packet[..head], &zeros, &packet[icv..]].concat());
                    assert_eq!(out[..icv - head], zeros);
                }
                Error::AuthFailed => {
                    assert_eq!(buffer, packet);
                    assert!(out[..icv - head].iter().all(|&o| o == 0));
                }
                _ => {
                    assert_eq!(buffer, packet);
                    assert!(out.iter().all(|&o| o == 0xee));
                }
            }
            Err(a)
        }
        (a, b) => panic!("in place {a:?}, apart {b:?}"),
    }
}

#[test]
fn every_length_of_garbage() {
    for len in 0..=80 {
        for fill in [1, 0x80, 0xff] {
            let packet = vec![fill; len];
            for (implicit_iv, shortest) in [(false, 34), (true, 26)] {
                for sequence_high in [None, Some(0), Some(u32::MAX)] {
                    let options = OpenOptions { implicit_iv, sequence_high, ..STRICT };
                    let expected =
                        if len < shortest { Error::Malformed } else { Error::AuthFailed };
                    assert_eq!(open(&packet, &options).unwrap_err(), expected, "{len}");
                }
            }
        }
        // SPI 0, at any length
        assert_eq!(open(&vec![0; len], &STRICT).unwrap_err(), Error::Malformed);
    }
}

#[test]
fn every_length_cut_from_a_packet() {
    let fields = fields(0x1001, SequenceNumber::Short(1), 17);
    let packet = raw_packet(&fields, &padded_text(&pattern(33), 1, 17));
    for len in 0..packet.len() {
        let expected = if len < 34 { Error::Malformed } else { Error::AuthFailed };
        assert_eq!(open(&packet[..len], &STRICT).unwrap_err(), expected);
    }
    assert_eq!(open(&[&packet[..], &[0]].concat(), &STRICT).unwrap_err(), Error::AuthFailed);
    assert_eq!(open(&packet, &STRICT).unwrap().0, pattern(33));
}

#[test]
fn every_pad_length() {
    let fields = fields(0x1001, SequenceNumber::Short(9), 41);
    for pad in 0..=255 {
        for len in [0, 1, 2, 3, 100] {
            let packet = raw_packet(&fields, &padded_text(&pattern(len), pad, 41));
            let (payload, opened) = open(&packet, &STRICT).unwrap();
            assert_eq!((payload, opened.next_header), (pattern(len), 41));
        }
    }
}

#[test]
fn pad_length_beyond_the_text() {
    let fields = fields(0x1001, SequenceNumber::Short(9), 41);
    for text_len in 2..=256usize {
        let mut text: Vec<u8> = (1..=254).chain(1..=2).take(text_len).collect();
        for pad in [text_len - 1, text_len, 255].map(|p| p.min(255)) {
            if pad + 2 <= text_len {
                continue;
            }
            text[text_len - 2] = pad as u8;
            let packet = raw_packet(&fields, &text);
            for options in [STRICT, LENIENT] {
                assert_eq!(open(&packet, &options).unwrap_err(), Error::BadPadding);
            }
        }
    }
}

#[test]
fn wrong_pad_octets() {
    let fields = fields(0x1001, SequenceNumber::Short(9), 4);
    let payload = pattern(21);
    for pad in [1, 2, 3, 7, 254, 255] {
        for wrong in [0, pad / 2, pad - 1] {
            for flip in [1, 0x80] {
                let mut text = padded_text(&payload, pad, 4);
                text[payload.len() + usize::from(wrong)] ^= flip;
                let packet = raw_packet(&fields, &text);
                assert_eq!(open(&packet, &STRICT).unwrap_err(), Error::BadPadding);
                assert_eq!(open(&packet, &LENIENT).unwrap().0, payload);
            }
        }
    }
}

/// RFC 4303 asks senders to align; a receiver that can open an unaligned packet need not refuse it.
#[test]
fn unaligned_text_is_opened() {
    let fields = fields(0x1001, SequenceNumber::Short(9), 4);
    for len in 0..9 {
        let packet = raw_packet(&fields, &padded_text(&pattern(len), 0, 4));
        assert_eq!(open(&packet, &STRICT).unwrap().0, pattern(len));
    }
}

#[test]
fn sequence_number_0() {
    let zero = fields(0x1001, SequenceNumber::Short(0), 4);
    let packet = raw_packet(&zero, &padded_text(b"x", 1, 4));
    let esn = |high| OpenOptions { sequence_high: Some(high), ..STRICT };
    assert_eq!(open(&packet, &STRICT).unwrap_err(), Error::SequenceZero);
    assert_eq!(open(&packet, &esn(0)).unwrap_err(), Error::SequenceZero);
    let extended = Fields { sequence: SequenceNumber::Extended(1 << 32), ..zero };
    let packet = raw_packet(&extended, &padded_text(b"x", 1, 4));
    assert_eq!(open(&packet, &esn(1)).unwrap().1.sequence, extended.sequence);
}

/// Every bit of a packet matters, and so does every bit of the high half that is not sent.
#[test]
fn every_flipped_bit() {
    let fields = fields(0x8000_1001, SequenceNumber::Extended(0x1_0000_0005), 17);
    let packet = raw_packet(&fields, &padded_text(b"hello esp", 1, 17));
    let options = OpenOptions { sequence_high: Some(1), ..STRICT };
    assert_eq!(open(&packet, &options).unwrap().0, b"hello esp");
    for bit in 0..packet.len() * 8 {
        let mut packet = packet.clone();
        packet[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(open(&packet, &options).unwrap_err(), Error::AuthFailed, "bit {bit}");
    }
    for bit in 0..32 {
        let options = OpenOptions { sequence_high: Some(1 ^ 1 << bit), ..STRICT };
        assert_eq!(open(&packet, &options).unwrap_err(), Error::AuthFailed, "bit {bit}");
    }
    assert_eq!(open(&packet, &STRICT).unwrap_err(), Error::AuthFailed, "without ESN");
}

#[test]
fn implicit_iv_is_the_number() {
    for sequence in
        [SequenceNumber::Short(0xffff_ffff), SequenceNumber::Extended(0xfedc_ba98_7654_3210)]
    {
        let fields = Fields { iv: Iv::Implicit, ..fields(5, sequence, 4) };
        let packet = raw_packet(&fields, &padded_text(&pattern(30), 0, 4));
        let options = OpenOptions {
            implicit_iv: true,
            sequence_high: match sequence {
                SequenceNumber::Short(_) => None,
                SequenceNumber::Extended(n) => Some((n >> 32) as u32),
            },
            ..STRICT
        };
        assert_eq!(open(&packet, &options).unwrap().0, pattern(30));
    }
}

#[test]
fn too_small_an_output_stays_untouched() {
    let fields = fields(0x1001, SequenceNumber::Short(1), 4);
    let packet = raw_packet(&fields, &padded_text(&pattern(10), 0, 4));
    let mut out = [0xee; 12];
    for len in 0..12 {
        let result = esp::open_packet_into(&aead(), &packet, &STRICT, &mut out[..len]);
        assert_eq!(result, Err(Error::BufferTooSmall));
        assert_eq!(out, [0xee; 12]);
    }
    assert!(esp::open_packet_into(&aead(), &packet, &STRICT, &mut out).is_ok());
}

#[test]
fn header_before_anything_else() {
    for len in 0..8 {
        assert_eq!(Header::parse(&vec![1; len]), Err(Error::Malformed));
    }
    let header = Header::parse(&[0xff, 0, 0, 1, 0x80, 0, 0, 0]).unwrap();
    assert_eq!((header.spi.get(), header.sequence), (0xff00_0001, 0x8000_0000));
    assert_eq!(Header::parse(&[0, 0, 0, 0, 0, 0, 0, 1, 2]), Err(Error::Malformed));
}
