"""Opens the ESP capture that the example esp_pcap wrote with scapy, and compares with what went in.

usage: scapy_pcap.py IN.pcap ESP.pcap KEYMAT [SPI [ESN_HIGH]]     needs scapy and cryptography
KEYMAT: 72 hex digits, key and salt; SPI: default 0x1001; ESN_HIGH: high half of the sequence number, if
the capture has extended ones. Last line: "N packets opened by scapy, all equal"; exit code 1 otherwise.
"""
import sys

from scapy.all import IP, RawPcapReader, conf, raw
from scapy.layers.ipsec import ESP, SecurityAssociation

ETHERNET, RAW, VLAN_TYPES = 1, 101, (b"\x81\x00", b"\x88\xa8")


def ip_packets(path):
    """The whole IP packets of a capture, as octets; the file is taken apart by hand, not by scapy's layers."""
    reader = RawPcapReader(path)
    for frame, _ in reader:
        if reader.linktype == ETHERNET:
            at = 12
            while frame[at : at + 2] in VLAN_TYPES:
                at += 4
            if frame[at : at + 2] not in (b"\x08\x00", b"\x86\xdd"):
                continue
            frame = frame[at + 2 :]
        elif reader.linktype != RAW:
            sys.exit(f"{path}: link type {reader.linktype}")
        version = frame[0] >> 4
        length = int.from_bytes(frame[2:4], "big") if version == 4 else 40 + int.from_bytes(frame[4:6], "big")
        if length <= len(frame):
            yield frame[:length]


def main():
    if len(sys.argv) not in (4, 5, 6):
        sys.exit(__doc__)
    source, sealed, keymat = sys.argv[1:4]
    spi = int(sys.argv[4], 0) if len(sys.argv) > 4 else 0x1001
    esn = {"esn_en": True, "esn": int(sys.argv[5], 0)} if len(sys.argv) > 5 else {}
    conf.verb = 0
    sa = SecurityAssociation(
        ESP,
        spi=spi,
        crypt_algo="CHACHA20-POLY1305",
        crypt_key=bytes.fromhex(keymat),
        tunnel_header=IP(src="192.0.2.1", dst="198.51.100.1"),
        **esn,
    )
    inner = list(ip_packets(source))
    outer = list(ip_packets(sealed))
    if not inner or len(inner) != len(outer):
        sys.exit(f"{len(inner)} packets went in, {len(outer)} came out")
    for n, (want, packet) in enumerate(zip(inner, outer), 1):
        parsed = IP(packet)
        if ESP not in parsed or parsed[ESP].seq != n & 0xFFFFFFFF:
            sys.exit(f"packet {n}: not ESP, or its number is not {n}")
        checksum, parsed.chksum = parsed.chksum, None
        if IP(raw(parsed)).chksum != checksum:
            sys.exit(f"packet {n}: wrong checksum in the outer header")
        # decrypt() changes its argument, checks the ICV and gives the inner packet
        got = raw(sa.decrypt(IP(packet)))
        if got != want:
            sys.exit(f"packet {n}: scapy has {got.hex()}, not {want.hex()}")
    print(f"{len(inner)} packets opened by scapy, all equal")


main()
