# SPDX-License-Identifier: GPL-2.0-only
# For gdb, see scripts/bench-functions: steps through security_transition_sid()
# until it returns, and counts instructions by the symbol that they are under.
# Set before: arch, kernel, stub, message (the class), out.
import bisect
import collections

import gdb

SKIP = 24

# How gdb calls it, its third argument, the stack pointer, and where the return
# address is. On ppc64le, two instructions lie before where local callers enter.
machine, third, sp, return_address, local_entry = {
    "x86_64": ("i386:x86-64", "rdx", "rsp", "*(unsigned long *)$rsp", 0),
    "aarch64": ("aarch64", "x2", "sp", "$x30", 0),
    "ppc64le": ("powerpc:common64", "r5", "r1", "$lr", 8),
}[arch]


def run(command):
    return gdb.execute(command, to_string=True)


def value(expression):
    return int(gdb.parse_and_eval("(unsigned long)" + expression)) & (2**64 - 1)


symbols = []
with open(kernel + "/System.map") as lines:
    for line in lines:
        address, kind, name = line.split()
        if kind in "tTwW":
            symbols.append((int(address, 16), name))
symbols.sort()
addresses = [address for address, name in symbols]
entries = set(addresses) | set(address + local_entry for address in addresses)
start = next(a for a, n in symbols if n == "security_transition_sid")

run("set pagination off")
run("set confirm off")
run("set architecture " + machine)
run("set endian little")
run("target remote " + stub)
run("hbreak *%#x if (unsigned short)$%s == %d" % (start, third, message))
run("ignore 1 %d" % SKIP)
run("continue")

count = collections.Counter()
calls = collections.Counter()
stack = value("$" + sp)
end = value(return_address)
pc = value("$pc")
while pc != end or value("$" + sp) < stack:
    name = symbols[bisect.bisect_right(addresses, pc) - 1][1]
    count[name] += 1
    calls[name] += pc in entries
    run("stepi")
    pc = value("$pc")

total = sum(count.values())
with open(out, "w") as table:
    for name, n in count.most_common():
        table.write("%6d %5.1f%% %3d  %s\n" % (n, 100 * n / total, calls[name], name))
    table.write("%6d 100.0%%      all\n" % total)
run("delete")
run("detach")
