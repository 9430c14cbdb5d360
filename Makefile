# SPDX-License-Identifier: GPL-2.0-only
# The commands of the project. kbuild reads Kbuild, not this file.

.PHONY: help run check check-all bench modules clean

help:
	@echo 'make run        resize a live AVC in a guest, and see what it does'
	@echo 'make check      the tests: static checks, unit tests, self-tests in guests'
	@echo 'make check-all  the same over every series, architecture and debug build'
	@echo 'make bench      the benchmarks; results in build/bench'
	@echo 'make modules    the module for the running kernel'
	@echo 'make clean      remove what was built here (kernels stay in the cache)'

# What it takes to build for the other architectures, and to run that.
CROSS = --arch aarch64 --arch ppc64le

run:
	@scripts/setup
	@scripts/run

check:
	@scripts/setup $(CROSS)
	@scripts/check

check-all:
	@scripts/setup $(CROSS)
	@scripts/check --all

bench:
	@scripts/setup $(CROSS)
	@scripts/bench
	@scripts/bench-labels

KDIR ?= /lib/modules/$(shell uname -r)/build
modules:
	@[ -e $(KDIR)/Makefile ] || \
		{ echo 'no headers of a kernel in $(KDIR): install them, or say KDIR=' >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# What kbuild leaves beside the sources; no kernel is needed for that.
clean:
	rm -rf build
	find . -name .git -prune -o -type f \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' -o -name modules.order -o -name Module.symvers \) -exec rm -f {} +
	rm -rf .tmp_versions
