//! From a captured frame to the IP packet in it.

use etherparse::{
    EtherType, Ethernet2Slice, Ipv4HeaderSlice, Ipv6HeaderSlice, LinuxSllProtocolType,
    LinuxSllSlice, SingleVlanSlice,
};

/// What the frames of a capture begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// 4 octets of address family in the capturing host's byte order, or in network order.
    Loopback,
    Ethernet,
    /// Nothing: the IP header comes first.
    Raw,
    /// Linux's "any" device.
    LinuxCooked,
    /// Its second version.
    LinuxCooked2,
}

impl Type {
    /// The link type with this number in the list of tcpdump.org.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 | 108 => Self::Loopback,
            1 => Self::Ethernet,
            // 12 and 14: LINKTYPE_RAW as some BSDs number it; 228, 229: IPv4 or IPv6 only
            12 | 14 | 101 | 228 | 229 => Self::Raw,
            113 => Self::LinuxCooked,
            276 => Self::LinuxCooked2,
            _ => return None,
        })
    }
}

/// The IP packet in `frame`, without what the link adds before and behind; `None` if there is none or
/// the capture does not have all of it.
pub(crate) fn ip_packet(link: Type, frame: &[u8]) -> Option<&[u8]> {
    let packet = match link {
        Type::Raw => frame,
        // The version in the IP header tells the same as the address family, which differs by system.
        Type::Loopback => frame.get(4..)?,
        Type::Ethernet => {
            let ethernet = Ethernet2Slice::from_slice_without_fcs(frame).ok()?;
            behind_vlans(ethernet.ether_type(), ethernet.payload_slice())?
        }
        Type::LinuxCooked => {
            let cooked = LinuxSllSlice::from_slice(frame).ok()?;
            match cooked.protocol_type() {
                LinuxSllProtocolType::EtherType(t) => behind_vlans(t, cooked.payload_slice())?,
                _ => return None,
            }
        }
        Type::LinuxCooked2 => {
            let ether_type = u16::from_be_bytes(*frame.first_chunk()?);
            behind_vlans(EtherType(ether_type), frame.get(20..)?)?
        }
    };
    packet.get(..total_len(packet)?)
}

fn behind_vlans(mut ether_type: EtherType, mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        match ether_type {
            EtherType::IPV4 | EtherType::IPV6 => return Some(rest),
            EtherType::VLAN_TAGGED_FRAME
            | EtherType::PROVIDER_BRIDGING
            | EtherType::VLAN_DOUBLE_TAGGED_FRAME => {
                let vlan = SingleVlanSlice::from_slice(rest).ok()?;
                (ether_type, rest) = (vlan.ether_type(), vlan.payload_slice());
            }
            _ => return None,
        }
    }
}

/// Length of an IP packet by its own header.
fn total_len(packet: &[u8]) -> Option<usize> {
    match packet.first()? >> 4 {
        4 => Some(Ipv4HeaderSlice::from_slice(packet).ok()?.total_len().into()),
        6 => {
            let payload = Ipv6HeaderSlice::from_slice(packet).ok()?.payload_length();
            Some(etherparse::Ipv6Header::LEN + usize::from(payload))
        }
        _ => None,
    }
}
