//! Tunnel mode: where the inner packet ends and TFC padding begins (RFC 4303 section 2.7).

use super::{Error, NEXT_HEADER_IPV4, NEXT_HEADER_IPV6};

const IPV4_HEADER_LEN: usize = 20;
const IPV6_HEADER_LEN: usize = 40;

/// How many octets of an opened payload are the inner IP packet; what follows is TFC padding.
///
/// The two IP versions count differently: IPv4's total length includes its header, IPv6's payload length
/// does not. A payload of another protocol is returned in full length, since only that protocol can know.
/// So is an IPv6 jumbogram (payload length 0 and a hop-by-hop header), whose length is in an option.
///
/// ```
/// use chacha20poly1305_esp::esp::{NEXT_HEADER_IPV4, inner_len};
/// let mut payload = [0; 1400];
/// payload[0] = 0x45;
/// payload[3] = 30;
/// assert_eq!(inner_len(&payload, NEXT_HEADER_IPV4), Ok(30));
/// ```
///
/// # Errors
/// [`Error::Malformed`] if the header is not whole, is of the other version, or tells a length shorter than
/// itself or longer than `payload`.
pub fn inner_len(payload: &[u8], next_header: u8) -> Result<usize, Error> {
    let (len, shortest) = match (next_header, payload) {
        (NEXT_HEADER_IPV4, &[first @ 0x40..0x50, _, l0, l1, ..]) => {
            let header_len = usize::from(first & 0xf) * 4;
            (u16::from_be_bytes([l0, l1]).into(), header_len.max(IPV4_HEADER_LEN))
        }
        (NEXT_HEADER_IPV6, &[0x60..0x70, _, _, _, 0, 0, 0, ..]) => (payload.len(), IPV6_HEADER_LEN),
        (NEXT_HEADER_IPV6, &[0x60..0x70, _, _, _, l0, l1, ..]) => {
            (IPV6_HEADER_LEN + usize::from(u16::from_be_bytes([l0, l1])), IPV6_HEADER_LEN)
        }
        (NEXT_HEADER_IPV4 | NEXT_HEADER_IPV6, _) => return Err(Error::Malformed),
        _ => return Ok(payload.len()),
    };
    if (shortest..=payload.len()).contains(&len) { Ok(len) } else { Err(Error::Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ipv4(total: u16) -> [u8; 100] {
        let mut packet = [0; 100];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&total.to_be_bytes());
        packet
    }

    fn ipv6(payload: u16, next: u8) -> [u8; 100] {
        let mut packet = [0; 100];
        packet[0] = 0x60;
        packet[4..6].copy_from_slice(&payload.to_be_bytes());
        packet[6] = next;
        packet
    }

    #[test]
    fn ipv4_counts_its_header() {
        for (total, expected) in [(20, Ok(20)), (100, Ok(100)), (19, Err(())), (101, Err(()))] {
            assert_eq!(inner_len(&ipv4(total), 4).map_err(|_| ()), expected);
        }
        let mut options = ipv4(20);
        options[0] = 0x46;
        assert_eq!(inner_len(&options, 4), Err(Error::Malformed));
    }

    #[test]
    fn ipv6_does_not() {
        for (payload, expected) in [(0, Ok(40)), (30, Ok(70)), (60, Ok(100)), (61, Err(()))] {
            assert_eq!(inner_len(&ipv6(payload, 17), 41).map_err(|_| ()), expected);
        }
        assert_eq!(inner_len(&ipv6(0, 0), 41), Ok(100), "jumbogram");
    }

    #[test]
    fn versions_and_stumps() {
        assert_eq!(inner_len(&ipv4(50), 41), Err(Error::Malformed));
        assert_eq!(inner_len(&ipv6(50, 17), 4), Err(Error::Malformed));
        for len in 0..20 {
            assert_eq!(inner_len(&ipv4(len as u16)[..len], 4), Err(Error::Malformed));
        }
        for len in 0..40 {
            assert_eq!(inner_len(&ipv6(0, 59)[..len], 41), Err(Error::Malformed));
        }
        assert_eq!(inner_len(&[1, 2, 3], 17), Ok(3));
        assert_eq!(inner_len(&[], 59), Ok(0));
    }
}
