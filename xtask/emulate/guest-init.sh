#!/bin/busybox sh
# shellcheck shell=dash
# Process 1 of the emulated machine: runs the jobs that emulate.sh packed beside
# it and reports on two serial ports.
#
# ttyS0 carries the programs' standard output and standard error and nothing
# else, byte for byte; ttyS1 carries the kernel console and the lines that
# emulate.sh acts on ("emulate: ..."). Two ports, so that no program output can
# be mistaken for an exit code and none has to be filtered.

PATH=/bin
export PATH
/bin/busybox --install -s /bin

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev

# "raw": no CR before LF. The kernel sets only the console's port to full speed.
stty -F /dev/ttyS0 115200 raw -echo
stty -F /dev/ttyS1 115200

exec </dev/null >/dev/ttyS1 2>&1
echo "emulate: up $(cut -d' ' -f1 /proc/uptime)"
for job in /emulate/job.*; do
    # The port's last close, as the job ends, waits until its output is sent.
    sh "$job" >/dev/ttyS0 2>&1
    echo "emulate: exit ${job##*.} $?"
done
echo "emulate: done"
sync
# With reboot=t on the kernel command line this is a triple fault, at which the
# emulator stops.
reboot -f
