#!/bin/bash
# Two strongSwan daemons that do ESP in user space (kernel-libipsec), each in a network namespace of its own,
# with a tunnel between them. The first one is then killed, so that its place is free for another program that
# has its keys; the second one notices nothing.
#
# usage: strongswan.sh up DIR       leaves DIR/strongswan/a/{log,sas}: keys, SPIs
#        strongswan.sh down DIR
# Debian, root.
set -euo pipefail

verb=${1:-}
[ $# -eq 2 ] || verb=
mkdir -p "${2:-.}/strongswan"
cd "${2:-.}/strongswan"
charon=/usr/lib/ipsec/charon

# Number of a side: the last octet of its address on the wire, and of its network behind.
number() { [ "$1" = a ] && echo 1 || echo 2; }
other() { [ "$1" = a ] && echo b || echo a; }

down() {
  for side in a b; do
    [ ! -s $side/pid ] || kill "$(cat $side/pid)" 2>/dev/null || true
  done
  for side in a b; do
    for _ in $(seq 50); do # it says goodbye to its peer first
      kill -0 "$(cat $side/pid 2>/dev/null || echo none)" 2>/dev/null || break
      sleep 0.1
    done
    rm -f $side/pid
    ip netns del swan-$side 2>/dev/null || true
  done
}

configure() { # SIDE
  local here there
  here=$(number "$1") there=$(number "$(other "$1")")
  cat >"$1/strongswan.conf" <<CONF
charon {
  load = random nonce drbg sha1 sha2 hmac kdf chapoly curve25519 kernel-libipsec kernel-netlink socket-default vici
  plugins {
    vici {
      socket = unix://$PWD/$1/vici
    }
  }
  filelog {
    all {
      path = $PWD/$1/log
      flush_line = yes
      default = 1
      # The level at which the keys of the SAs are told.
      chd = 4
    }
  }
}
swanctl {
  load = random
}
CONF
  cat >"$1/swanctl.conf" <<CONF
connections {
  wire {
    version = 2
    local_addrs = 10.77.0.$here
    remote_addrs = 10.77.0.$there
    proposals = chacha20poly1305-prfsha256-x25519
    local {
      auth = psk
      id = $1
    }
    remote {
      auth = psk
    }
    children {
      tunnel {
        local_ts = 192.168.10$here.1/32
        remote_ts = 192.168.10$there.1/32
        esp_proposals = chacha20poly1305
      }
    }
  }
}
secrets {
  ike-both {
    secret = "known to everybody"
  }
}
CONF
}

start() { # SIDE
  # The file with the daemon's number has a fixed name in /run, so each has a /run of its own.
  STRONGSWAN_CONF=$PWD/$1/strongswan.conf ip netns exec "swan-$1" unshare --mount \
    bash -c 'mount -t tmpfs run /run && echo $$ >"$1/pid" && exec "$2"' _ "$1" $charon >"$1/out" 2>&1 </dev/null &
  # The socket is there some time before the daemon listens at it.
  for _ in $(seq 100); do
    ! control "$1" --stats >/dev/null 2>&1 || break
    sleep 0.1
  done
  control "$1" --load-all --file "$1/swanctl.conf"
}

control() { # SIDE WORDS..
  local side=$1
  shift
  # Its own settings, so that it does not look for the plugins of all others.
  STRONGSWAN_CONF=$PWD/$side/strongswan.conf swanctl "$@" --uri "unix://$PWD/$side/vici"
}

up() {
  if [ ! -x $charon ] || ! command -v swanctl ip ping >/dev/null; then
    apt-get install --yes --no-install-recommends strongswan-charon strongswan-swanctl libcharon-extra-plugins \
      libstrongswan-extra-plugins iproute2 iputils-ping >/dev/null
  fi
  down
  rm -rf a b
  mkdir a b
  ip netns add swan-a
  ip netns add swan-b
  ip link add wire netns swan-a type veth peer name wire netns swan-b
  for side in a b; do
    ip -n swan-$side link set lo up
    ip -n swan-$side addr add "10.77.0.$(number $side)/24" dev wire
    ip -n swan-$side link set wire up
    # A host in the network behind.
    ip -n swan-$side addr add "192.168.10$(number $side).1/32" dev lo
    configure $side
    start $side
  done
  control a --initiate --child tunnel --timeout 20
  ip netns exec swan-a ping -c 3 -i 0.2 -I 192.168.101.1 192.168.102.1
  control a --list-sas | tee a/sas
  kill -KILL "$(cat a/pid)"
}

case $verb in
  up) up ;;
  down) down ;;
  *) sed -n '6,7s/^# //p' "$0" >&2; exit 2 ;;
esac
