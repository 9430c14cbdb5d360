# SPDX-License-Identifier: GPL-2.0-only
# For gdb, see scripts/bench-functions: steps through security_transition_sid()
# until it returns, and counts instructions by the symbol that they are under.
# Set before: kernel, stub, message (the class), out.
import bisect
import collections

import gdb

SKIP = 24


def run(command):
    return gdb.execute(command, to_string=True)


def register(name):
    return int(gdb.parse_and_eval("(unsigned long)$" + name)) & (2**64 - 1)


symbols = []
with open(kernel + "/System.map") as lines:
    for line in lines:
        address, kind, name = line.split()
        if kind in "tTwW":
            symbols.append((int(address, 16), name))
symbols.sort()
addresses = [address for address, name in symbols]
entries = set(addresses)
start = next(a for a, n in symbols if n == "security_transition_sid")

run("set pagination off")
run("set confirm off")
run("set architecture i386:x86-64")
run("target remote " + stub)
# The class is the third argument.
run("hbreak *%#x if (unsigned short)$rdx == %d" % (start, message))
run("ignore 1 %d" % SKIP)
run("continue")

count = collections.Counter()
calls = collections.Counter()
stack = register("rsp")
while register("rsp") <= stack:
    pc = register("pc")
    name = symbols[bisect.bisect_right(addresses, pc) - 1][1]
    count[name] += 1
    calls[name] += pc in entries
    run("stepi")

total = sum(count.values())
with open(out, "w") as table:
    for name, n in count.most_common():
        table.write("%6d %5.1f%% %3d  %s\n" % (n, 100 * n / total, calls[name], name))
    table.write("%6d 100.0%%      all\n" % total)
run("delete")
run("detach")
