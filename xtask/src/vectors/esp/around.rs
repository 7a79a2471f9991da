//! What lies around a packet: UDP, and the inner packet that tells its own length.

use chacha20poly1305_esp::esp::{UdpPayload, classify, inner_len, udp_header};
use serde::Deserialize;

use super::unexpected;
use crate::vectors::data::Bytes;
use crate::vectors::tally::{Tally, ensure, same};

/// A payload with TFC padding behind it, and its own length.
#[derive(Deserialize)]
pub(super) struct Tfc {
    payload: Bytes,
    next_header: u8,
    expect: String,
    length: Option<usize>,
}

impl Tfc {
    pub(super) fn run(&self, t: &mut Tally) {
        let octets = self.payload.len();
        t.check(format_args!("inner length of {octets} octets"), || {
            let got = inner_len(&self.payload, self.next_header).ok();
            let want = self.length.filter(|_| self.expect == "ok");
            ensure(got == want, || format!("{got:?}, want {want:?}"))
        });
    }
}

/// What a datagram on port 4500 is.
pub(super) fn classified((datagram, want): &(Bytes, String), t: &mut Tally) {
    t.check(format_args!("datagram of {} octets: {want}", datagram.len()), || {
        let got = match classify(datagram) {
            Ok(UdpPayload::Esp) => "esp",
            Ok(UdpPayload::Ike) => "ike",
            Ok(UdpPayload::Keepalive) => "keepalive",
            Err(_) => "malformed",
        };
        ensure(got == want, || format!("{got}, want {want}"))
    });
}

/// The UDP header before a packet.
#[derive(Deserialize)]
pub(super) struct UdpHeader {
    sport: u16,
    dport: u16,
    esp_len: usize,
    header: Bytes,
}

impl UdpHeader {
    pub(super) fn run(&self, t: &mut Tally) {
        t.check("UDP header", || {
            let header = udp_header(self.sport, self.dport, self.esp_len).map_err(unexpected)?;
            same(&header, &self.header)
        });
    }
}
