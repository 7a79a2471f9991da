//! What an instance counted, and whether the counts of two of them leave a packet unaccounted for.

use anyhow::{Context, Result};
use std::fmt;

/// A packet is missing, or differs.
#[derive(Debug)]
pub(crate) struct Unaccounted(pub(crate) String);

impl fmt::Display for Unaccounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unaccounted {}

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The counters of an instance, in the order of a packet's way through two of them.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct Counts { $($(#[$doc])* pub(crate) $name: u64,)* }

        /// A line each: the name, a blank, the number.
        impl fmt::Display for Counts {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(writeln!(f, "{} {}", stringify!($name), self.$name)?;)*
                Ok(())
            }
        }

        impl Counts {
            pub(crate) fn parse(text: &str) -> Result<Self> {
                let mut counts = Self::default();
                for line in text.lines() {
                    let (name, number) = line.split_once(' ').context("no counter")?;
                    let number = number.parse().with_context(|| format!("counter {name}"))?;
                    match name {
                        $(stringify!($name) => counts.$name = number,)*
                        _ => anyhow::bail!("there is no counter {name}"),
                    }
                }
                Ok(counts)
            }

            /// Names and numbers.
            pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name),)*].into_iter()
            }
        }
    };
}

counts! {
    /// Packets that the kernel had for the tunnel and did not keep: the device's queue was full.
    tun_queue_drops,
    /// IP packets from the TUN device.
    tun_read,
    /// Of these, sealed.
    sealed,
    /// Of these, neither IPv4 nor IPv6, too long, or refused by the SA.
    not_sealed,
    /// Faults: sealed and not sent.
    fault_drops,
    /// Faults: sent twice.
    fault_duplicates,
    /// Faults: overtaken by later packets. They are not lost.
    fault_reorders,
    /// Datagrams sent.
    sent,
    /// Datagrams that the kernel refused to send.
    send_errors,
    /// Datagrams received.
    received,
    /// Datagrams that arrived when the socket's buffer was full.
    socket_drops,
    /// Of those received: keepalives, IKE, and what is neither ESP.
    not_esp,
    /// ESP of no SA, or too short to tell.
    unknown,
    /// Counters of the SA, as RFC 4303 has them audited.
    accepted,
    dummies,
    malformed,
    sequence_zero,
    too_old,
    replay,
    auth_failed,
    bad_padding,
    /// IP packets to the TUN device.
    tun_written,
    /// Payloads that the device did not take, or that are no IP.
    not_written,
}

/// Follows the packets from `a` to `b`.
///
/// # Errors
/// The first place where some are missing or too many.
pub(crate) fn account(a: &Counts, b: &Counts) -> Result<(), Unaccounted> {
    let audited = b.accepted
        + b.dummies
        + b.malformed
        + b.sequence_zero
        + b.too_old
        + b.replay
        + b.auth_failed
        + b.bad_padding;
    let steps = [
        ("TUN device to SA", a.tun_read, a.sealed + a.not_sealed),
        ("SA to network", a.sealed + a.fault_duplicates, a.fault_drops + a.sent + a.send_errors),
        ("network", a.sent, b.received + b.socket_drops),
        ("network to SA", b.received, b.not_esp + b.unknown + audited),
        ("SA to TUN device", b.accepted, b.tun_written + b.not_written),
    ];
    for (place, before, after) in steps {
        if before != after {
            return Err(Unaccounted(format!("{place}: {before} packets before, {after} after")));
        }
    }
    // Without other losses each number arrives once and each double is a replay.
    if a.send_errors + b.socket_drops + b.too_old == 0 && b.replay != a.fault_duplicates {
        let (made, seen) = (a.fault_duplicates, b.replay);
        return Err(Unaccounted(format!("{made} doubles were sent, {seen} seen as replays")));
    }
    let never = [
        ("not sealed", a.not_sealed),
        ("not ESP", b.not_esp),
        ("of no SA", b.unknown),
        ("malformed", b.malformed),
        ("numbered 0", b.sequence_zero),
        ("not authentic", b.auth_failed),
        ("badly padded", b.bad_padding),
        ("not written", b.not_written),
    ];
    match never.into_iter().find(|&(_, count)| count != 0) {
        Some((what, count)) => Err(Unaccounted(format!("{count} packets {what}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Counts, Counts) {
        let a = Counts {
            tun_read: 100,
            sealed: 100,
            fault_drops: 3,
            fault_duplicates: 5,
            sent: 102,
            ..Counts::default()
        };
        let b =
            Counts { received: 102, accepted: 97, replay: 5, tun_written: 97, ..Counts::default() };
        (a, b)
    }

    #[test]
    fn counts_survive_the_pipe() {
        let (a, _) = pair();
        assert_eq!(Counts::parse(&a.to_string()).unwrap(), a);
        assert!(Counts::parse("sealed").is_err() && Counts::parse("lost 1").is_err());
    }

    #[test]
    fn a_packet_cannot_vanish() {
        let (a, b) = pair();
        account(&a, &b).unwrap();
        let lost = Counts { received: 101, ..b.clone() };
        assert!(account(&a, &lost).unwrap_err().0.starts_with("network: 102"));
        let full = Counts { received: 101, socket_drops: 1, accepted: 96, tun_written: 96, ..b };
        account(&a, &full).unwrap();
        let forged = Counts { accepted: 95, tun_written: 95, auth_failed: 1, ..full };
        assert_eq!(account(&a, &forged).unwrap_err().0, "1 packets not authentic");
    }
}
