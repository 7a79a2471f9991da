"""scapy as an ESP peer: one JSON request a line on standard input, one answer a line on standard output.

usage: scapy_peer.py            needs scapy 2.6 or newer and cryptography
Requests have `do` (seal or open), `spi`, `keymat` (hex), `mode` (transport, tunnel or udp), `high` (high
half of the sequence number, or null without ESN) and:
  seal  `number` (low half), `ip` (hex, a whole packet), `iv` (hex, or null for a random one)
        -> `packet`: what the outer IPv4 header carries
  open  `packet`  -> `ip`, or `error`
"""
import json
import sys

from scapy.all import IP, UDP, conf, raw
from scapy.layers.ipsec import ESP, SecurityAssociation

OUTER = {"src": "192.0.2.1", "dst": "198.51.100.1"}
PROTO_ESP, PROTO_UDP = 50, 17


def association(ask):
    options = {}
    if ask["mode"] != "transport":
        options["tunnel_header"] = IP(**OUTER)
    if ask["mode"] == "udp":
        options["nat_t_header"] = UDP(sport=4500, dport=4500)
    if ask["high"] is not None:
        # Arguments of encrypt() and decrypt() count as not given when they are 0; those here do not.
        options |= {"esn_en": True, "esn": ask["high"]}
    return SecurityAssociation(
        ESP, spi=ask["spi"], crypt_algo="CHACHA20-POLY1305", crypt_key=bytes.fromhex(ask["keymat"]), **options
    )


def seal(ask):
    sa = association(ask)
    sa.seq_num = ask["number"]
    iv = ask["iv"] and bytes.fromhex(ask["iv"])
    return {"packet": raw(sa.encrypt(IP(bytes.fromhex(ask["ip"])), iv=iv).payload).hex()}


def opened(ask):
    carried = bytes.fromhex(ask["packet"])
    protocol = PROTO_UDP if ask["mode"] == "udp" else PROTO_ESP
    # As octets and back, so that lengths and layers are those of a packet from a wire.
    outer = IP(raw(IP(proto=protocol, **OUTER) / carried))
    try:
        return {"ip": raw(association(ask).decrypt(outer)).hex()}
    except Exception as error:  # scapy has its own, the AEAD another, a short packet a third
        return {"error": type(error).__name__}


conf.verb = 0
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"seal": seal, "open": opened}[request["do"]](request)), flush=True)
