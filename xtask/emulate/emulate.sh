#!/usr/bin/env bash
#
# Runs Linux programs on an emulated CPU that this machine need not have.
#
# The AVX-512 IFMA kernels run on few machines, and neither QEMU nor Valgrind
# executes AVX-512. Bochs does, so this script boots a small Linux in Bochs
# (Debian's kernel, BusyBox, the given binaries and nothing else), runs the
# binaries there and hands back their output and exit code. Detection is not
# faked: CPUID and XCR0 are the emulated CPU's, so a test can check that the
# right backend is chosen as well as that it computes the right bits.
#
#   emulate.sh build                 once: install what is missing (as root), unpack the kernel
#   emulate.sh run BINARY [ARG...]   boot, run BINARY, exit with its exit code
#   emulate.sh run-all BINARY...     one boot for all; exit with the first code that is not 0
#
# Options, before the command:
#   --work DIR        kernel and scratch files (default: target/emulate of this workspace)
#   --cpu MODEL       Bochs CPU model (default: corei3_cnl), see below
#   --env NAME[=VAL]  set NAME in the guest, or pass the caller's; may be repeated. Passed
#                     without asking: EXPECT_BACKENDS RUST_BACKTRACE RUST_TEST_THREADS
#                     PROPTEST_CASES CARGO_MANIFEST_DIR
#   --file PATH       copy a file or folder to the same absolute path in the guest; may be
#                     repeated
#   --cwd DIR         the guest's working directory (default: the caller's, made empty there)
#   --arg ARG         an argument for every binary of run-all; may be repeated
#   --timeout SECONDS stop after so long, exit code 124 (default: 1800)
#   --memory MIB      guest memory (default: 256)
#
# Models worth testing, by what the backends' detection sees (bochs -help cpu lists all):
#   corei3_cnl                AVX-512 F VL BW DQ CD IFMA VBMI (Cannon Lake)
#   corei7_skylake_x          AVX-512 F VL BW DQ CD, no IFMA (Skylake-X)
#   corei7_haswell_4770       AVX2, no AVX-512
#   core2_penryn_t9600        SSSE3 and SSE4.1, no AVX
#   p4_prescott_celeron_336   SSE2 and SSE3, no SSSE3
#   athlon64_clawhammer       SSE2 only
# Not usable in Bochs 2.7: the Ice Lake and Tiger Lake models do not get as far as the
# programs; on Sandy Bridge, Linux turns AVX off.
#
# Static and dynamic x86-64 binaries both work (shared libraries are copied along), and so
# does use as Cargo's runner:
#
#   CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="$PWD/xtask/emulate/emulate.sh run" \
#       cargo test --release
#
# Time, measured with Bochs 2.7 on one core of a Zen 3: 3 s for `build` on packages already
# installed, 11 s from start to the first program (650 million instructions), then about 60
# million instructions a second, that is, one second of native scalar code takes one to
# three minutes. Serial output passes at some 14 kB/s.
#
# Time inside the guest is instructions divided by a nominal rate: no benchmark means
# anything here.
#
# Exit codes of its own: 2 wrong usage, 70 the emulated machine failed (its console
# is shown), 124 timeout, 125 something needed is missing.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
# Nominal instructions per emulated second. Too high and each character on the serial
# port costs many instructions; too low and the timer interrupts do.
readonly ips=50000000

work=$here/../../target/emulate
cpu=corei3_cnl
cwd=$PWD
timeout=1800
memory=256
files=()
arguments=()
env_names=(EXPECT_BACKENDS RUST_BACKTRACE RUST_TEST_THREADS PROPTEST_CASES CARGO_MANIFEST_DIR)
env_pairs=()

# Set by `run_jobs`, removed by `clean_up`.
scratch=
bochs_pid=

die() {
    local code=$1
    shift
    printf 'emulate: %s\n' "$*" >&2
    exit "$code"
}

usage() {
    # The comment at the top, up to the first line that is not one.
    awk 'NR > 1 && !/^#/ { exit } NR > 2 { sub(/^# ?/, ""); print }' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# Quotes a word for the guest's shell, which knows only the POSIX quotes.
quote() {
    printf "'%s'" "${1//\'/\'\\\'\'}"
}

clean_up() {
    # Bochs ignores SIGTERM.
    if [[ -n $bochs_pid ]]; then
        kill -KILL "$bochs_pid" 2>/dev/null || true
    fi
    if [[ -n $scratch ]]; then
        rm -rf "$scratch"
    fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The first of the given files that exists.
first_file() {
    local file
    for file; do
        if [[ -f $file ]]; then
            printf '%s\n' "$file"
            return
        fi
    done
    die 125 "none of these files exists, run 'emulate.sh build': $*"
}

build() {
    local packages=(bochs bochs-term bochsbios vgabios isolinux syslinux-common xorriso
        busybox-static cpio binutils)
    local missing=() package
    for package in "${packages[@]}"; do
        if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
            missing+=("$package")
        fi
    done
    if ((${#missing[@]})); then
        ((EUID == 0)) || die 125 "not root; please install: ${missing[*]}"
        if ! apt-cache show "${missing[@]}" >/dev/null 2>&1; then
            apt-get update -q
        fi
        DEBIAN_FRONTEND=noninteractive \
            apt-get install -q -y --no-install-recommends "${missing[@]}"
    fi

    if [[ -f $work/vmlinuz ]]; then
        return
    fi
    # The image is unpacked, not installed: this machine's own kernel stays as it is. The
    # "cloud" flavour has no drivers that the emulated machine lacks, and LZ4 compression,
    # the cheapest to undo.
    local image
    image=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null |
        awk '$1 == "Depends:" { print $2; exit }')
    if [[ -z $image ]]; then
        ((EUID == 0)) || die 125 "no package lists; please run apt-get update"
        apt-get update -q
        image=$(apt-cache depends linux-image-cloud-amd64 |
            awk '$1 == "Depends:" { print $2; exit }')
    fi
    scratch=$(mktemp -d "$work/build.XXXXXX")
    (cd "$scratch" && apt-get download -q "$image" 2>/dev/null) ||
        die 125 "cannot download $image; are the package lists up to date (apt-get update)?"
    dpkg-deb --fsys-tarfile "$scratch"/linux-image-*.deb |
        tar -x -C "$scratch" --wildcards './boot/vmlinuz-*'
    mv "$scratch"/boot/vmlinuz-* "$work/vmlinuz"
    echo "emulate: ready ($image)" >&2
}

# Copies a binary and the shared libraries it names into the guest's file tree.
#
# $1: the tree, $2: the binary on this machine, $3: its absolute path in the guest.
install_binary() {
    local root=$1 binary=$2 target=$3 library
    mkdir -p "$root$(dirname "$target")"
    # Debug information is most of a test binary, and every byte passes the emulated
    # CD-ROM drive.
    strip --strip-debug -o "$root$target" "$binary" 2>/dev/null || cp -L "$binary" "$root$target"
    chmod 755 "$root$target"
    while read -r library; do
        if [[ ! -e $root$library ]]; then
            mkdir -p "$root$(dirname "$library")"
            cp -L "$library" "$root$library"
        fi
    done < <(ldd "$binary" 2>/dev/null | grep -o '/[^ ]*' || true)
}

# Writes the guest's file tree: BusyBox, /init, the binaries, and one job script for each.
#
# $1: the tree, then the binaries; their arguments are in `arguments`. Job scripts have
# numbers of three digits, so that the guest's glob sorts them.
make_tree() {
    local root=$1 index=0 file binary target name word
    shift
    mkdir -p "$root"/{bin,dev,proc,sys,tmp,emulate}
    cp "$(first_file /bin/busybox /usr/bin/busybox)" "$root/bin/busybox"
    install -m 755 "$here/guest-init.sh" "$root/init"
    for file in ${files[@]+"${files[@]}"}; do
        file=$(realpath "$file")
        mkdir -p "$root$(dirname "$file")"
        cp -rL "$file" "$root$(dirname "$file")/"
    done
    for binary; do
        target=$(printf '/emulate/%03d/%s' "$index" "$(basename "$binary")")
        install_binary "$root" "$binary" "$target"
        {
            for name in "${env_names[@]}"; do
                if [[ -n ${!name+set} ]]; then
                    printf 'export %s=%s\n' "$name" "$(quote "${!name}")"
                fi
            done
            for name in ${env_pairs[@]+"${env_pairs[@]}"}; do
                printf 'export %s=%s\n' "${name%%=*}" "$(quote "${name#*=}")"
            done
            printf 'mkdir -p %s && cd %s || exit 125\n' "$(quote "$cwd")" "$(quote "$cwd")"
            printf 'exec %s' "$(quote "$target")"
            for word in ${arguments[@]+"${arguments[@]}"}; do
                printf ' %s' "$(quote "$word")"
            done
            printf '\n'
        } >"$root/emulate/$(printf 'job.%03d' "$index")"
        index=$((index + 1))
    done
}

# Writes the bootable CD-ROM image with the kernel and the file tree.
make_medium() {
    local root=$1 medium=$2 disc
    disc=$scratch/disc
    mkdir "$disc"
    # Uncompressed: the host reads faster than the guest decompresses.
    (cd "$root" && find . -print0 | cpio --null --create --format=newc --quiet) >"$disc/initrd"
    cp "$work/vmlinuz" "$disc/vmlinuz"
    cp "$(first_file /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/isolinux.bin)" \
        "$(first_file /usr/lib/syslinux/modules/bios/ldlinux.c32)" "$disc/"
    # clearcpuid: Bochs 2.7 misreports three things about the XSAVE area, for each of which
    # Linux would turn XSAVE off, and AVX and AVX-512 with it: the place of PKRU (bit 515)
    # and the size of the compacted forms of XSAVEC and XSAVES (321, 323).
    # tsc_early_khz: the rate in CPUID is the real CPU's; delays timed by it would take some
    # fifty times the instructions. The others leave out what only costs time.
    cat >"$disc/isolinux.cfg" <<CONFIG
DEFAULT linux
PROMPT 0
LABEL linux
KERNEL vmlinuz
INITRD initrd
APPEND console=ttyS1,115200 quiet panic=-1 reboot=t clearcpuid=515,321,323 tsc=reliable tsc_early_khz=$((ips / 1000)) lpj=$((ips / 250)) nokaslr mitigations=off acpi=off cryptomgr.notests initcall_blacklist=load_system_certificate_list
CONFIG
    xorriso -as mkisofs -quiet -o "$medium" -b isolinux.bin -c boot.cat \
        -no-emul-boot -boot-load-size 4 -boot-info-table "$disc" 2>"$scratch/xorriso.log" ||
        die 125 "xorriso failed: $(tail -n 3 "$scratch/xorriso.log")"
    rm -rf "$disc" "$root"
}

# Starts Bochs on the medium; sets `bochs_pid`.
start_bochs() {
    local medium=$1
    # The "term" display without a terminal is the only one that needs neither a window
    # nor a listening port. A triple fault is how the guest, rebooting, says it is over.
    cat >"$scratch/bochsrc" <<CONFIG
config_interface: textconfig
display_library: term
memory: guest=$memory, host=$memory
romimage: file=$(first_file /usr/share/bochs/BIOS-bochs-latest)
vgaromimage: file=$(first_file /usr/share/vgabios/vgabios.bin)
cpu: model=$cpu, count=1, ips=$ips, reset_on_triple_fault=0
clock: sync=none, time0=utc
ata0-master: type=cdrom, path=$medium, status=inserted
boot: cdrom
log: $scratch/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
com1: enabled=1, mode=file, dev=$scratch/output
com2: enabled=1, mode=file, dev=$scratch/console
CONFIG
    : >"$scratch/output"
    : >"$scratch/console"
    # Debian builds Bochs with its debugger, which waits for "c" (continue) first.
    echo c >"$scratch/commands"
    TERM=vt100 nice bochs -q -f "$scratch/bochsrc" \
        <"$scratch/commands" >"$scratch/bochs.out" 2>&1 &
    bochs_pid=$!
}

# Waits until the guest is done, has failed or has used up its time.
wait_for_guest() {
    local deadline=$((SECONDS + timeout))
    while kill -0 "$bochs_pid" 2>/dev/null; do
        if grep -q -e '^emulate: done' -e 'Kernel panic' "$scratch/console"; then
            break
        fi
        if ((SECONDS >= deadline)); then
            timed_out=1
            break
        fi
        sleep 0.5
    done
    kill -KILL "$bochs_pid" 2>/dev/null || true
    wait "$bochs_pid" 2>/dev/null || true
    bochs_pid=
}

# Boots once, runs the given binaries one after the other, streams their output, and exits.
run_jobs() {
    local binary code first_bad=0 index=0 timed_out="" tail_pid
    for binary; do
        [[ -f $binary ]] || die 2 "no such binary: $binary"
    done
    if [[ ! -f $work/vmlinuz ]]; then
        build >&2
    fi
    scratch=$(mktemp -d "$work/run.XXXXXX")
    make_tree "$scratch/tree" "$@"
    make_medium "$scratch/tree" "$scratch/medium.iso"
    start_bochs "$scratch/medium.iso"
    tail -c +1 -s 0.2 -f --pid="$bochs_pid" "$scratch/output" &
    tail_pid=$!
    wait_for_guest
    wait "$tail_pid" || true

    for binary; do
        code=$(tr -d '\r' <"$scratch/console" |
            awk -v job="$(printf '%03d' "$index")" \
                '$1 == "emulate:" && $2 == "exit" && $3 == job { print $4 }')
        if [[ -z $code ]]; then
            if [[ -n $timed_out ]] && grep -q '^emulate: up' "$scratch/console"; then
                die 124 "$binary: no result after $timeout seconds"
            fi
            tail -q -n 30 "$scratch/console" "$scratch/bochs.out" >&2
            if [[ -n $timed_out ]]; then
                die 124 "$binary: no boot within $timeout seconds, see the console above"
            fi
            die 70 "$binary: the emulated machine failed, see its console above"
        fi
        if (($# > 1)); then
            printf 'emulate: exit code %s: %s\n' "$code" "$binary" >&2
        fi
        if ((first_bad == 0)); then
            first_bad=$code
        fi
        index=$((index + 1))
    done
    exit "$first_bad"
}

while (($#)); do
    case $1 in
    --work | --cpu | --env | --file | --cwd | --arg | --timeout | --memory)
        (($# >= 2)) || usage
        case $1 in
        --work) work=$2 ;;
        --cpu) cpu=$2 ;;
        --env) if [[ $2 == *=* ]]; then env_pairs+=("$2"); else env_names+=("$2"); fi ;;
        --file) files+=("$2") ;;
        --cwd) cwd=$2 ;;
        --arg) arguments+=("$2") ;;
        --timeout) timeout=$2 ;;
        --memory) memory=$2 ;;
        esac
        shift 2
        ;;
    *) break ;;
    esac
done
(($#)) || usage
command=$1
shift
mkdir -p "$work"
work=$(cd "$work" && pwd)
case $command in
build)
    build
    ;;
run)
    (($#)) || usage
    binary=$1
    shift
    arguments+=("$@")
    run_jobs "$binary"
    ;;
run-all)
    (($#)) || usage
    run_jobs "$@"
    ;;
*) usage ;;
esac
