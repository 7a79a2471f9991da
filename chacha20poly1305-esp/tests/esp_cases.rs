//! The published cases of security associations: what must be accepted, refused, sent.

mod esp_support;

use chacha20poly1305_esp::esp::{
    self, Error, InboundSa, OutboundSa, PaddingPolicy, Received, Rfc7539Esp, UdpPayload, Window,
};
use esp_support::*;
use serde_json::Value;

type Sa = InboundSa<Rfc7539Esp, Box<[u64]>>;

/// An SA that has received number `highest`, and only that.
fn inbound(case: &Value, highest: u64) -> Sa {
    let mut window = Window::boxed(number(&case["window"]) as u32).unwrap();
    if highest != 0 {
        window.commit(highest).unwrap();
    }
    let padding = match case["padding"].as_str() {
        Some("lax") => PaddingPolicy::Lenient,
        _ => PaddingPolicy::Strict,
    };
    InboundSa::<Rfc7539Esp>::builder(SPI, &unhex(KEYMAT))
        .unwrap()
        .esn(case["esn"] == true)
        .padding(padding)
        .build_with(window)
        .unwrap()
}

/// The word of the cases for what happened.
fn word(result: &Result<Received, Error>) -> &'static str {
    match result {
        Ok(Received::Payload(_)) => "accept",
        Ok(Received::Dummy(_)) => "dummy",
        Err(Error::Malformed) => "malformed",
        Err(Error::SequenceZero) => "seq_zero",
        Err(Error::TooOld) => "too_old",
        Err(Error::Replay) => "replay",
        Err(Error::AuthFailed) => "auth_failed",
        Err(Error::BadPadding) => "bad_padding",
        Err(error) => panic!("{error}"),
    }
}

fn expected(expect: &Value, word: &str) -> bool {
    match expect {
        Value::Array(any) => any.iter().any(|e| expected(e, word)),
        Value::String(e) if e == "reject" => !matches!(word, "accept" | "dummy"),
        e => e == word,
    }
}

/// Walks through the packets of a case, in place and between buffers.
fn walk(case: &Value, sa: &mut Sa, twin: &mut Sa) {
    let id = &case["id"];
    for (n, step) in case["packets"].as_array().unwrap().iter().enumerate() {
        let packet = octets(&step["packet"]);
        let mut buffer = packet.clone();
        let result = sa.open(&mut buffer);
        let word = word(&result);
        assert!(expected(&step["expect"], word), "{id}, packet {n}: {word}");
        assert_eq!(sa.highest(), number(&step["T"]), "{id}, packet {n}");

        let mut out = vec![0xee; packet.len()];
        let apart = twin.open_into(&packet, &mut out);
        assert_eq!(self::word(&apart), word, "{id}, packet {n}");
        assert_eq!(twin.highest(), sa.highest());

        match result {
            Ok(Received::Payload(opened)) => {
                let payload = octets(&step["payload"]);
                assert_eq!(u64::from(opened.next_header), number(&step["next_header"]));
                assert_eq!(buffer[opened.payload], payload, "{id}, packet {n}");
                assert_eq!(out[apart.unwrap().payload().unwrap().payload], payload);
                assert_eq!(buffer[..16], packet[..16], "{id}: the header is unchanged");
            }
            Ok(Received::Dummy(_)) => {}
            Err(Error::BadPadding) => {
                let text = 16..packet.len() - 16;
                assert!(buffer[text.clone()].iter().all(|&o| o == 0));
                assert_eq!(buffer[..16], packet[..16]);
                assert_eq!(buffer[text.end..], packet[text.end..]);
            }
            Err(_) => assert_eq!(buffer, packet, "{id}, packet {n}"),
        }
    }
}

#[test]
fn inbound_cases() {
    for case in cases("inbound") {
        let start = number(&case["start_T"]);
        walk(&case, &mut inbound(&case, start), &mut inbound(&case, start));

        // The same, led to its state by packets.
        let warmup = case["warmup"].as_array().unwrap();
        if !warmup.is_empty() {
            let mut sas = [inbound(&case, 0), inbound(&case, 0)];
            for sa in &mut sas {
                for packet in warmup {
                    sa.open(&mut octets(packet)).unwrap();
                }
                assert_eq!(sa.highest(), start);
            }
            let [sa, twin] = &mut sas;
            walk(&case, sa, twin);
        }
    }
}

fn packet(number: u64, esn: bool) -> Vec<u8> {
    let mut packet = vec![0; 44];
    OutboundSa::<Rfc7539Esp>::builder(SPI, &unhex(KEYMAT))
        .unwrap()
        .esn(esn)
        .first_number(number)
        .build()
        .unwrap()
        .seal_into(17, b"hello esp", &mut packet)
        .unwrap();
    packet
}

#[test]
fn walks_by_number() {
    for case in cases("numbers") {
        let (id, esn) = (&case["id"], case["esn"] == true);
        let mut by_packets = inbound(&case, 0);
        for warmup in case["warmup"].as_array().unwrap() {
            by_packets.open(&mut packet(number(warmup), esn)).unwrap();
        }
        let preset = inbound(&case, number(&case["start_T"]));
        assert_eq!(preset.highest(), by_packets.highest());
        for mut sa in [preset, by_packets] {
            for step in case["steps"].as_array().unwrap() {
                let result = sa.open(&mut packet(number(&step[0]), esn));
                assert!(expected(&step[1], word(&result)), "{id} {step}: {result:?}");
                assert_eq!(sa.highest(), number(&step[2]), "{id} {step}");
            }
        }
    }
}

#[test]
fn outbound_cases() {
    for case in cases("outbound") {
        let builder = || {
            OutboundSa::<Rfc7539Esp>::builder(SPI, &unhex(KEYMAT))
                .unwrap()
                .esn(case["esn"] == true)
                .first_number(number(&case["next_seq"]))
        };
        let (mut sa, shared) = (builder().build().unwrap(), builder().build_shared().unwrap());
        let mut refused = 0;
        for seal in case["seals"].as_array().unwrap() {
            let (payload, next_header) = (octets(&seal["payload"]), number(&seal["next_header"]));
            let next_header = next_header as u8;
            let mut outs = [[0xee; 64]; 3];
            let [a, b, c] = &mut outs;
            c[20..20 + payload.len()].copy_from_slice(&payload);
            let before = *c;
            let (last, left) = (sa.last(), sa.remaining());
            if seal["expect"] == "packet" {
                let packet = octets(&seal["packet"]);
                assert_eq!(sa.seal_into(next_header, &payload, a), Ok(packet.len()));
                assert_eq!(a[..packet.len()], packet, "{}", case["id"]);
                let shared = shared.seal(next_header, c, 20..20 + payload.len()).unwrap();
                assert_eq!(c[shared], packet);
                assert_eq!((sa.last(), sa.remaining()), (last + 1, left - 1));
            } else {
                refused += 1;
                assert_eq!(seal["expect"], "seq_exhausted");
                let error = Err(Error::SequenceExhausted);
                assert_eq!(sa.seal_into(next_header, &payload, a), error);
                assert_eq!(shared.seal_into(next_header, &payload, b), error);
                let result = sa.seal(next_header, c, 20..20 + payload.len());
                assert_eq!(result, Err(Error::SequenceExhausted));
                assert_eq!((*a, *b, *c), ([0xee; 64], [0xee; 64], before));
                assert_eq!((sa.refused(), shared.refused()), (2 * refused, refused));
            }
        }
    }
}

#[test]
fn tfc_cases() {
    for case in cases("tfc") {
        for item in case["items"].as_array().unwrap() {
            let len = esp::inner_len(&octets(&item["payload"]), number(&item["next_header"]) as u8);
            let expected = (item["expect"] == "ok").then(|| number(&item["length"]) as usize);
            assert_eq!(len.ok(), expected);
        }
    }
}

#[test]
fn udp_cases() {
    for case in cases("classify") {
        for item in case["items"].as_array().unwrap() {
            let kind = match esp::classify(&octets(&item[0])) {
                Ok(UdpPayload::Esp) => "esp",
                Ok(UdpPayload::Ike) => "ike",
                Ok(UdpPayload::Keepalive) => "keepalive",
                Err(_) => "malformed",
            };
            assert_eq!(item[1], kind, "{item}");
        }
    }
    for case in cases("udp_header") {
        let port = |name: &str| number(&case[name]) as u16;
        let header =
            esp::udp_header(port("sport"), port("dport"), number(&case["esp_len"]) as usize);
        assert_eq!(header.unwrap()[..], octets(&case["header"]));
    }
    assert!(esp::udp_header(1, 2, 65527).is_ok());
    for too_long in [65528, usize::MAX] {
        assert_eq!(esp::udp_header(1, 2, too_long), Err(Error::TooLong));
    }
}

/// Misuse that types exclude is shown where the types are; this is what is left.
#[test]
fn rules() {
    assert_eq!(cases("rules")[0]["items"].as_array().unwrap().len(), 7);
    for len in 0..=64 {
        let keymat = vec![1; len];
        let expected = (len != 36).then_some(Error::KeyLength);
        assert_eq!(OutboundSa::<Rfc7539Esp>::new(1, &keymat).err(), expected);
        assert_eq!(InboundSa::<Rfc7539Esp>::new(1, &keymat).err(), expected);
    }
    assert_eq!(OutboundSa::<Rfc7539Esp>::new(0, &[1; 36]).err(), Some(Error::SpiZero));
    assert_eq!(InboundSa::<Rfc7539Esp>::new(0, &[1; 36]).err(), Some(Error::SpiZero));

    let builder = || InboundSa::<Rfc7539Esp>::builder(SPI, &unhex(KEYMAT)).unwrap();
    let without_window = builder().esn(true).build_with(Window::off());
    assert_eq!(without_window.err(), Some(Error::EsnWithoutWindow));
    let mut sa = builder().build_with(Window::off()).unwrap();
    for number in [7, 7, 1, 7] {
        assert!(sa.open(&mut packet(number, false)).is_ok());
    }
    let zero = fields(SPI, esp::SequenceNumber::Short(0), 17);
    let mut zero = raw_packet(&zero, &padded_text(b"", 2, 17));
    assert_eq!(sa.open(&mut zero), Err(Error::SequenceZero));
}
