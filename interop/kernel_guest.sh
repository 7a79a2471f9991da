#!/bin/bash
# Makes a small virtual machine out of Debian's kernel: xfrm, ESP, AF_ALG, and the agent that xtask talks to.
#
# usage: kernel_guest.sh build DIR        writes DIR/guest/{vmlinuz,initrd.gz}
# Runs on Debian; as root it installs what is missing with apt-get. The kernel package is downloaded, not
# installed.
set -euo pipefail

[ "${1:-}" = build ] && [ $# -eq 2 ] || { sed -n '4,6s/^# //p' "$0" >&2; exit 2; }
sources=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cd "$2"

# What each program is good for: the machine, archives, modules, configuration of xfrm, the guest's shell.
declare -A packages=(
  [qemu-system-x86_64]=qemu-system-x86 [cpio]=cpio [modprobe]=kmod [ip]=iproute2 [busybox]=busybox-static
)
missing=()
for program in "${!packages[@]}"; do
  command -v "$program" >/dev/null || missing+=("${packages[$program]}")
done
# The guest has no libraries but those of ip, so its shell must not need any.
ldd "$(command -v busybox || echo /none)" 2>/dev/null | grep -q '=>' && missing+=(busybox-static)
[ ${#missing[@]} -eq 0 ] || apt-get install --yes --no-install-recommends "${missing[@]}" >/dev/null

# linux-image-amd64 is an empty package that depends on the current kernel.
release=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: linux-image-//p' | head -n 1)
[ -n "$release" ] || { echo "apt knows no kernel; apt-get update?" >&2; exit 1; }
if [ ! -d "kernel/lib/modules/$release" ]; then
  rm -rf kernel
  apt-get -o APT::Sandbox::User=root download "linux-image-$release"
  dpkg-deb --extract "linux-image-${release}"_*.deb kernel
  rm "linux-image-${release}"_*.deb
  depmod --basedir kernel "$release"
fi

mkdir -p guest
root=$PWD/guest/root
rm -rf "$root"
mkdir -p "$root"/{bin,dev,etc,lib/modules,proc,sys}
rustc --edition 2024 -O -C target-feature=+crt-static -C strip=symbols "$sources/kernel_agent.rs" -o "$root/bin/agent"
cp -L "$(command -v busybox)" "$root/bin/busybox"
# The shell would take its own ip for the real one if that were called ip; and what is called ip and more works
# on one kind of object only.
cp -L "$(command -v ip)" "$root/bin/netconf"
ldd "$root/bin/netconf" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root${library%/*}"
  cp -L "$library" "$root$library"
done

# The network card; ESP, and who configures it; the AEAD with its kernels; the random numbers of its IVs;
# the AEAD for programs.
modules="virtio_pci virtio_net esp4 esp6 xfrm_user chacha20poly1305 chacha_generic chacha-x86_64
  poly1305_generic poly1305-x86_64 ctr aes_generic hmac sha512_generic drbg seqiv echainiv algif_aead"
for module in $modules; do
  modprobe --dirname "$PWD/kernel" --set-version "$release" --show-depends "$module" 2>/dev/null || true
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
  cp "$file" "$root/lib/modules/"
  echo "${file##*/}" >>"$root/etc/modules"
done

cat >"$root/init" <<'INIT'
#!/bin/busybox sh
# Runs as process 1: modules, two network cards told apart by their addresses, then the agent.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
while read -r module; do insmod "/lib/modules/$module" || echo "module $module failed"; done </etc/modules
card() { # NAME ADDRESS OF THE CARD
  for device in /sys/class/net/*; do
    [ "$(cat "$device/address")" = "$2" ] && netconf link set "${device##*/}" name "$1"
  done
  netconf link set "$1" up
}
netconf link set lo up
card control 52:54:00:00:00:01
netconf address add 10.0.2.15/24 dev control
card wire 52:54:00:00:00:02
netconf address add 10.9.0.2/24 dev wire
netconf -6 address add fd09::2/64 dev wire nodad
# The other end of the wire is no host and does not answer who it is.
netconf neighbour replace 10.9.0.1 lladdr 52:54:00:00:00:fe dev wire nud permanent
netconf -6 neighbour replace fd09::1 lladdr 52:54:00:00:00:fe dev wire nud permanent
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
echo "kernel $(uname -r)"
exec agent
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio --create --format=newc --quiet | gzip --fast) >guest/initrd.gz
cp "kernel/boot/vmlinuz-$release" guest/vmlinuz
echo "guest with kernel $release, $(wc -l <"$root/etc/modules") modules"
