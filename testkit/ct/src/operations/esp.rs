//! ESP packets: the keying material with its salt is secret, and the payload; header, IV and length
//! are not, nor, once the ICV was right, the trailer.

use chacha20poly1305_esp::esp::{
    self, Fields, HEADER_LEN, HEADROOM, ICV_LEN, Iv, OpenOptions, Rfc7539Esp, SequenceNumber, Spi,
};

use crate::check::{Run, lengths, public_key, public_text, require};

const SPI: u32 = 0x1001;

/// A packet of `payload`.
fn packet(aead: &Rfc7539Esp, payload: &[u8]) -> Vec<u8> {
    let fields = Fields {
        spi: Spi::new(SPI).expect("not reserved"),
        sequence: SequenceNumber::Extended(payload.len() as u64 + 1),
        iv: Iv::Explicit([0x1c; 8]),
        next_header: esp::NEXT_HEADER_IPV4,
        tfc_padding: payload.len() % 5,
    };
    let mut packet = vec![0; payload.len() + fields.tfc_padding + HEADROOM + esp::TAILROOM];
    let len = esp::seal_packet_into(aead, &fields, payload, &mut packet).expect("room");
    packet.truncate(len);
    packet
}

pub(crate) fn seal(run: &Run) {
    let known = Rfc7539Esp::with_backend(&public_key(), run.backend);
    let aead = Rfc7539Esp::with_backend(&run.key(), run.backend);
    for len in lengths() {
        let mut packet = packet(&aead, &run.text(len));
        run.in_clear(&packet[..HEADROOM], "header and IV");
        run.result(&mut packet[HEADROOM..], "text and ICV");
        require(packet == self::packet(&known, &public_text(len)), "with a known key", "differs");
    }
}

pub(crate) fn open(run: &Run) {
    let known = Rfc7539Esp::with_backend(&public_key(), run.backend);
    let aead = Rfc7539Esp::with_backend(&run.key(), run.backend);
    for len in lengths() {
        let sealed = packet(&known, &public_text(len));
        let options = OpenOptions { sequence_high: Some(0), ..OpenOptions::default() };

        let mut data = sealed.clone();
        let Ok(opened) = esp::open_packet(&aead, &mut data, &options) else {
            crate::check::fail("a good packet was refused")
        };
        run.in_clear(&data[..HEADROOM], "header and IV");
        let payload = &mut data[opened.payload];
        run.result(payload, "payload");
        require(payload[..len] == public_text(len), "in place", "is not the payload");

        let mut data = vec![0; sealed.len()];
        let opened = esp::open_packet_into(&aead, &sealed, &options, &mut data);
        require(opened.is_ok(), "a good packet", "refused");
        run.result(&mut data[..sealed.len() - HEADROOM - ICV_LEN], "between buffers");

        for at in [HEADER_LEN - 1, sealed.len() / 2, sealed.len() - 1] {
            let mut forged = sealed.clone();
            forged[at] ^= 1;
            let opened = esp::open_packet(&aead, &mut forged, &options);
            require(opened.is_err(), "a forged packet", "accepted");
        }
    }
}
