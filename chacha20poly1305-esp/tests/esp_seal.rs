//! Sealing packets: exact octets, sizes, room, refusals.

mod esp_support;

use chacha20poly1305_esp::esp::{
    self, Error, Fields, HEADROOM, Iv, OpenOptions, SequenceNumber, Spi, TAILROOM,
};
use esp_support::*;

fn case_fields(case: &serde_json::Value) -> Fields {
    let sequence = sequence(number(&case["seq"]), case["esn"] == true);
    Fields {
        iv: match case["implicit_iv"] == true {
            true => Iv::Implicit,
            false => Iv::Explicit(octets(&case["iv"]).try_into().unwrap()),
        },
        ..fields(
            number(&case["spi"]) as u32,
            sequence,
            number(&case["next_header"]).try_into().unwrap(),
        )
    }
}

#[test]
fn published_packets() {
    for case in cases("vector") {
        let (id, payload, packet) =
            (&case["id"], octets(&case["payload"]), octets(&case["packet"]));
        let fields = case_fields(&case);

        let mut out = vec![0xee; packet.len() + 1];
        let n = esp::seal_packet_into(&aead(), &fields, &payload, &mut out).unwrap();
        assert_eq!(hex::encode(&out[..n]), hex::encode(&packet), "{id}");
        assert_eq!(out[n], 0xee, "{id}");

        let start = 5 + packet.len() - payload.len();
        let mut buffer = vec![0xee; start + packet.len()];
        buffer[start..][..payload.len()].copy_from_slice(&payload);
        let range =
            esp::seal_packet(&aead(), &fields, &mut buffer, start..start + payload.len()).unwrap();
        assert_eq!(buffer[range.clone()], packet, "{id}");
        assert!(buffer[..range.start].iter().chain(&buffer[range.end..]).all(|&o| o == 0xee));

        let options = OpenOptions {
            sequence_high: match fields.sequence {
                SequenceNumber::Short(_) => None,
                SequenceNumber::Extended(n) => Some((n >> 32) as u32),
            },
            implicit_iv: fields.iv == Iv::Implicit,
            ..OpenOptions::default()
        };
        let opened = esp::open_packet(&aead(), &mut buffer[range.clone()], &options).unwrap();
        assert_eq!(buffer[range][opened.payload], payload, "{id}");
        assert_eq!((opened.spi, opened.sequence), (fields.spi, fields.sequence), "{id}");
        assert_eq!(opened.next_header, fields.next_header, "{id}");
    }
}

#[test]
fn published_sizes() {
    for case in cases("sizes") {
        for item in case["items"].as_array().unwrap() {
            let (payload, packet) = (number(&item[0]) as usize, number(&item[1]) as usize);
            assert_eq!(esp::sealed_len(payload), packet, "{payload}");
            assert!(packet <= HEADROOM + payload + TAILROOM);
            let mut out = vec![0; packet];
            let fields = fields(0x1001, SequenceNumber::Short(1), 4);
            let n = esp::seal_packet_into(&aead(), &fields, &pattern(payload), &mut out);
            assert_eq!(n, Ok(packet));
        }
    }
}

#[test]
fn published_room() {
    let fields = fields(0x1001, SequenceNumber::Short(1), 4);
    for case in cases("room") {
        for item in case["items"].as_array().unwrap() {
            let (len, packet) = (number(&item[0]) as usize, number(&item[1]) as usize);
            let payload = pattern(len);
            let in_place = |buffer: &mut [u8]| {
                esp::seal_packet(&aead(), &fields, buffer, HEADROOM..HEADROOM + len)
            };
            for (room, expected) in
                [(packet, Ok(0..packet)), (packet - 1, Err(Error::BufferTooSmall))]
            {
                let mut out = vec![0xee; room];
                let n = esp::seal_packet_into(&aead(), &fields, &payload, &mut out);
                assert_eq!(n, expected.clone().map(|r| r.end));
                assert!(n.is_ok() || out.iter().all(|&o| o == 0xee));

                let mut buffer = vec![0xee; room];
                buffer[HEADROOM..][..len].copy_from_slice(&payload);
                let before = buffer.clone();
                let result = in_place(&mut buffer);
                assert_eq!(result, expected);
                assert_eq!(result.is_err(), buffer == before);
                assert!(result.is_err() || buffer == out);
            }
        }
    }
}

/// Explicit and implicit IV, with and without ESN and TFC padding: as put together by hand.
#[test]
fn equals_the_aead_called_by_hand() {
    let mut out = [0; 400];
    for len in 0..=130 {
        let payload = pattern(len);
        for sequence in [1, u64::from(u32::MAX), 1 << 32, u64::MAX] {
            for esn in [false, true] {
                if !esn && sequence > u64::from(u32::MAX) {
                    continue;
                }
                let base = fields(0xfedc_ba98, esp_support::sequence(sequence, esn), len as u8);
                for iv in [Iv::Explicit(*b"any octs"), Iv::Implicit] {
                    for tfc_padding in [0, 1, 61] {
                        let fields = Fields { iv, tfc_padding, ..base };
                        let body = [&payload[..], &vec![0; tfc_padding]].concat();
                        let pad = (4 - (body.len() + 2) % 4) % 4;
                        let text = padded_text(&body, pad as u8, fields.next_header);
                        let n =
                            esp::seal_packet_into(&aead(), &fields, &payload, &mut out).unwrap();
                        assert_eq!(out[..n], raw_packet(&fields, &text));
                    }
                }
            }
        }
    }
}

#[test]
fn refusals_write_nothing() {
    let good = fields(7, SequenceNumber::Short(1), 4);
    let mut buffer = [0xee; 64];
    let mut refuse = |fields: &Fields, payload, error| {
        assert_eq!(esp::seal_packet(&aead(), fields, &mut buffer, payload), Err(error));
        assert_eq!(buffer, [0xee; 64]);
    };
    for sequence in [SequenceNumber::Short(0), SequenceNumber::Extended(0)] {
        refuse(&Fields { sequence, ..good }, 16..20, Error::SequenceZero);
    }
    // Low half 0 is a number like others if the high half is not 0.
    let extended = Fields { sequence: SequenceNumber::Extended(1 << 32), ..good };
    assert!(esp::seal_packet_into(&aead(), &extended, &[], &mut [0; 36]).is_ok());

    refuse(&good, 15..20, Error::BufferTooSmall);
    refuse(&good, 16..47, Error::BufferTooSmall);
    refuse(&good, 60..61, Error::BufferTooSmall);
    refuse(&good, 16..65, Error::BufferTooSmall);
    #[allow(clippy::reversed_empty_ranges)]
    refuse(&good, 20..16, Error::BufferTooSmall);
    refuse(&good, usize::MAX..usize::MAX, Error::BufferTooSmall);
    refuse(&Fields { tfc_padding: 27, ..good }, 16..20, Error::BufferTooSmall);
    refuse(&Fields { iv: Iv::Implicit, ..good }, 7..20, Error::BufferTooSmall);
    for tfc_padding in [usize::MAX, u32::MAX as usize] {
        refuse(&Fields { tfc_padding, ..good }, 16..20, Error::TooLong);
    }
    assert_eq!(Spi::new(0), Err(Error::SpiZero));
}

#[test]
fn dummy_packet() {
    for case in cases("outbound").iter().filter(|c| c["id"] == "out/dummy") {
        let mut packet = [0; 36];
        let fields = fields(0x1001, SequenceNumber::Short(1), esp::NEXT_HEADER_DUMMY);
        esp::seal_packet_into(&aead(), &fields, &[], &mut packet).unwrap();
        assert_eq!(packet[..], octets(&case["seals"][0]["packet"]));
        let opened = esp::open_packet(&aead(), &mut packet, &OpenOptions::default()).unwrap();
        assert!(opened.is_dummy());
    }
}
