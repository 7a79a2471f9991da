"""Writes examples/traffic.pcap: a few hundred frames of ordinary traffic, the same octets every time.

usage: make_traffic.py OUT.pcap         needs scapy
ARP, DNS, TCP with a handshake and a download, ping, IPv6 with neighbour discovery, UDP of all sizes up
to the MTU, a VLAN, IPv4 fragments. Addresses are those reserved for documentation.
"""
import random
import sys

from scapy.all import (
    ARP,
    DNS,
    DNSQR,
    DNSRR,
    ICMP,
    IP,
    TCP,
    UDP,
    Dot1Q,
    Ether,
    ICMPv6EchoReply,
    ICMPv6EchoRequest,
    ICMPv6ND_NS,
    IPv6,
    Raw,
    fragment,
    wrpcap,
)

rng = random.Random(7634)
A, B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"
HOST, WEB, RESOLVER = "192.0.2.10", "198.51.100.80", "203.0.113.53"
HOST6, WEB6 = "2001:db8::10", "2001:db8:1::80"
frames = []
ident = 0


def send(packet, reply=False, vlan=None):
    """One frame, a little later than the last one; identification numbers count up."""
    global ident
    if IP in packet:
        ident += 1
        packet[IP].id = ident
    ether = Ether(src=B, dst=A) if reply else Ether(src=A, dst=B)
    frame = ether / (Dot1Q(vlan=vlan) / packet if vlan else packet)
    frame.time = (frames[-1].time if frames else 1_700_000_000.0) + rng.randint(20, 4000) / 1e6
    frames.append(frame)


def text(size):
    words = b"the quick brown fox jumps over the lazy dog and runs on "
    return (words * (size // len(words) + 1))[:size]


def resolve(name, address, port):
    query = DNS(id=port & 0xFFF, rd=1, qd=DNSQR(qname=name))
    send(IP(src=HOST, dst=RESOLVER) / UDP(sport=port, dport=53) / query)
    answer = DNS(id=port & 0xFFF, qr=1, rd=1, ra=1, qd=DNSQR(qname=name), an=DNSRR(rrname=name, ttl=300, rdata=address))
    send(IP(src=RESOLVER, dst=HOST) / UDP(sport=53, dport=port) / answer, reply=True)


def download(net, a, b, port, size, mss, vlan=None):
    """Handshake, request, a response of `size` octets with an ACK for every second segment, FIN."""
    seq, ack = rng.getrandbits(32), rng.getrandbits(32)
    up = lambda flags, data=b"": send(net(src=a, dst=b) / TCP(sport=port, dport=80, seq=seq, ack=ack, flags=flags, window=64240) / data, vlan=vlan)
    down = lambda flags, data=b"": send(net(src=b, dst=a) / TCP(sport=80, dport=port, seq=ack, ack=seq, flags=flags, window=65160) / data, True, vlan)
    send(net(src=a, dst=b) / TCP(sport=port, dport=80, seq=seq, flags="S", window=64240, options=[("MSS", mss)]), vlan=vlan)
    seq = seq + 1 & 0xFFFFFFFF
    send(net(src=b, dst=a) / TCP(sport=80, dport=port, seq=ack, ack=seq, flags="SA", window=65160, options=[("MSS", mss)]), True, vlan)
    ack = ack + 1 & 0xFFFFFFFF
    up("A")
    request = b"GET /fox.txt HTTP/1.1\r\nHost: www.example.org\r\nAccept: text/plain\r\n\r\n"
    up("PA", Raw(request))
    seq = seq + len(request) & 0xFFFFFFFF
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % size + text(size)
    for n, start in enumerate(range(0, len(body), mss)):
        piece = body[start : start + mss]
        down("PA" if start + mss >= len(body) else "A", Raw(piece))
        ack = ack + len(piece) & 0xFFFFFFFF
        if n % 2:
            up("A")
    up("FA")
    down("FA")


send(ARP(psrc=HOST, pdst="192.0.2.1", hwsrc=A))
send(ARP(op=2, psrc="192.0.2.1", pdst=HOST, hwsrc=B, hwdst=A), reply=True)
for n, name in enumerate(["www.example.org", "mail.example.com", "a-rather-long-label-for-a-host.example.net"]):
    resolve(name, WEB, 40000 + 7 * n)
download(IP, HOST, WEB, 50001, 24_000, 1460)
for n in range(12):
    ping = bytes(range(0x10, 0x10 + 40 + n))
    send(IP(src=HOST, dst=WEB, ttl=64) / ICMP(id=77, seq=n) / Raw(ping))
    send(IP(src=WEB, dst=HOST, ttl=57) / ICMP(type=0, id=77, seq=n) / Raw(ping), reply=True)
send(IPv6(src=HOST6, dst="ff02::1:ff00:80") / ICMPv6ND_NS(tgt=WEB6))
for n in range(8):
    send(IPv6(src=HOST6, dst=WEB6) / ICMPv6EchoRequest(id=5, seq=n, data=text(56 + 3 * n)))
    send(IPv6(src=WEB6, dst=HOST6) / ICMPv6EchoReply(id=5, seq=n, data=text(56 + 3 * n)), reply=True)
download(IPv6, HOST6, WEB6, 50002, 12_000, 1440)
# UDP of many sizes: every small one, then steps up to a full 1500-octet packet
for size in [*range(0, 64), 100, 128, 200, 256, 333, 400, 512, 576, 700, 900, 1024, 1200, 1350, 1400, 1420, 1471, 1472]:
    send(IP(src=HOST, dst=WEB, tos=0xB8) / UDP(sport=6000, dport=6001) / Raw(rng.randbytes(size)), reply=size % 2 == 1)
# a call: 20 ms of sound in each packet
for n in range(40):
    send(IP(src=HOST, dst=WEB) / UDP(sport=7000, dport=7002) / Raw(bytes([0x80, 0, 0, n]) + rng.randbytes(168)), n % 2 == 1)
download(IP, HOST, WEB, 50003, 6_000, 1456, vlan=12)
for piece in fragment(IP(src=HOST, dst=WEB) / UDP(sport=9000, dport=9001) / Raw(rng.randbytes(3000)), fragsize=1480):
    send(piece)

wrpcap(sys.argv[1], frames, linktype=1)
print(len(frames), "frames,", sum(map(len, frames)), "octets")
