# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
#
# A thin front: each target sets up what it needs, then calls meson or a script
# in tools/.

BUILD := build/meson
MESON_ARGS ?=
BENCH_ARGS ?=

.PHONY: help setup build demo check bench install clean

help:
	@echo 'make demo     find objects in a real video; pictures and video in build/demo/'
	@echo 'make check    build, then run every test'
	@echo 'make build    build the library, the plugin and the programs in $(BUILD)'
	@echo 'make bench    measure ours and every other runtime on this machine; results in build/bench/'
	@echo 'make install  install with meson (prefix /usr/local; MESON_ARGS=--prefix=DIR)'
	@echo 'make clean    remove what was built; keeps the Python environment'
	@echo
	@echo 'Each first installs what is missing (see docs/building.md).'

setup:
	@tools/setup

build: setup
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) $(MESON_ARGS)
	@ninja -C $(BUILD) --quiet

demo: build
	@tools/demo

check:
	@tools/setup check
	@tools/check

bench:
	@tools/setup bench
	@$(MAKE) -s build
	@tools/bench $(BENCH_ARGS)

install: build
	@meson install -C $(BUILD) --no-rebuild

clean:
	@find build -mindepth 1 -maxdepth 1 ! -name 'venv*' ! -name 'setup-*.stamp' ! -name debian13 \
	  -exec rm -rf {} + 2>/dev/null || true
