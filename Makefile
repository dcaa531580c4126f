# sotto - build, test, install.  "make help" lists what there is.
#
# Sources are found by folder: a new .c file anywhere below src/ or cmd/,
# tests/unit/**/test_<file>.c, tests/stat/test_<file>.c, tests/cli/<name>.t,
# bench/bench_<name>.c or fuzz/fuzz_<name>.c needs no change here.
#
# VARIANT=release (default) builds into build/, VARIANT=asan (clang with the
# address and undefined-behaviour sanitizers) into build/asan/, VARIANT=tsan (with
# the thread sanitizer) into build/tsan/.
#
# LP=0 leaves linear programs out: COIN-OR Clp is then never looked for.

VERSION := $(shell cat VERSION)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
VARIANT ?= release
LP ?= 1
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 30

# ---- compilers and flags ----------------------------------------------------

PKGS := libssl libcrypto sqlite3 yaml-0.1 jansson mpfr gmp zlib
WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wvla -Wwrite-strings -Wno-sign-conversion -Werror
BASE := -std=gnu11 -ffp-contract=off -fno-math-errno -fvisibility=hidden -fPIC -pthread \
	-D_GNU_SOURCE -DSOTTO_VERSION='"$(VERSION)"' -DSOTTO_PREFIX='"$(PREFIX)"' $(WARN) -MMD -MP

SO_DEFS := -z,defs,
ifeq ($(VARIANT),release)
  B := build
  CC := gcc
  TUNE := -O2 -g -fstack-protector-strong -D_FORTIFY_SOURCE=2
  BULK := -O3
else ifeq ($(VARIANT),asan)
  B := build/asan
  CC := clang
  TUNE := -O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
  BULK :=
  # The sanitizer's functions are in the program, not in the library.
  SO_DEFS :=
  # The engine is C++ loaded at run time: the sanitizer must know how C++ throws from the start.
  VARIANT_LIBS := -Wl,--no-as-needed -l:libstdc++.so.6 -Wl,--as-needed
else ifeq ($(VARIANT),fuzz)
  # For make fuzz: the fuzzer sees which branches of the library and the program an input takes.
  B := build/fuzz/instrumented
  CC := clang
  TUNE := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
  BULK :=
  SO_DEFS :=
  VARIANT_LIBS := -Wl,--no-as-needed -l:libstdc++.so.6 -Wl,--as-needed
else ifeq ($(VARIANT),tsan)
  # For the tests with threads, in make check-long.
  B := build/tsan
  CC := clang
  TUNE := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
  BULK :=
  SO_DEFS :=
  VARIANT_LIBS := -Wl,--no-as-needed -l:libstdc++.so.6 -Wl,--as-needed
else ifeq ($(VARIANT),clang)
  B := build/clang
  CC := clang
  TUNE := -O2 -g
  BULK := -O3
else ifeq ($(VARIANT),ct)
  # For valgrind (tests/ct): random bytes undefined, branches on them reported.
  CT_CC ?= gcc
  CT_OPT ?= -O2
  B := build/ct/$(CT_CC)$(CT_OPT)
  CC := $(CT_CC)
  TUNE := $(CT_OPT) -gdwarf-4 -DSOTTO_CTGRIND
  BULK :=
else ifeq ($(VARIANT),arm64)
  # For the tests under qemu, in make check-long; tools/setup-cross brings compiler and libraries.
  B := build/arm64
  CC := aarch64-linux-gnu-gcc
  TUNE := -O2 -g -fstack-protector-strong -D_FORTIFY_SOURCE=2
  BULK := -O3
  SYSROOT := .cache/cross/arm64/usr
  SYSROOT_LIB := $(SYSROOT)/lib/aarch64-linux-gnu
else
  $(error VARIANT is release, clang, asan, fuzz, tsan, ct or arm64)
endif
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

# clang makes a branch of a conditional move that it takes for predictable: where the
# condition is a secret, that branch tells it (tests/ct/constant_time.t).
ifeq ($(CC)-$(MACHINE),clang-x86_64)
  NO_BRANCHES := -mllvm -x86-cmov-converter=0
endif

# libpq and libmicrohttpd are loaded at run time, when they are asked for: only their headers
# are needed.  pkg-config is asked once, when the first file is compiled: make setup runs without it.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) libpq libmicrohttpd))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $(shell pkg-config --libs $(PKGS)) -lpg_query -lm -ldl $(VARIANT_LIBS))$(PKG_LIBS)
ifdef SYSROOT
  PKG_CFLAGS = -isystem $(SYSROOT)/include -isystem $(SYSROOT)/include/aarch64-linux-gnu \
	-isystem $(SYSROOT)/include/postgresql
  PKG_LIBS = -L$(SYSROOT_LIB) -Wl,-rpath-link,$(SYSROOT_LIB) \
	-lssl -lcrypto -lsqlite3 -lyaml -ljansson -lmpfr -lgmp -lz -lpg_query -lm -ldl
endif
CFLAGS_ALL = $(BASE) $(TUNE) $(CFLAGS) $(PKG_CFLAGS)
BANNED := -include src/core/base/banned.h
# The library and its tests see into two public structs: a fraction and an exact value.
INSIDE := -DSOTTO_INSIDE -include gmp.h
LIB_CFLAGS = $(CFLAGS_ALL) $(INSIDE) $(NO_BRANCHES) -Iinclude -Isrc -isystem .cache/duckdb $(BANNED)
CMD_CFLAGS = $(CFLAGS_ALL) -Iinclude -Icmd $(BANNED)
TEST_CFLAGS = $(CFLAGS_ALL) $(INSIDE) -Iinclude -Isrc -Icmd -Itests -isystem .cache/duckdb -Wno-missing-prototypes
ISA_avx2 := -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt
ISA_avx512 := $(ISA_avx2) -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi -maes -mvaes -mprefer-vector-width=512

# ---- what is built -----------------------------------------------------------

SMALL_SRC := src/central/engine/worker/worker_main.c
LIB_SRC := $(filter-out $(SMALL_SRC),$(sort $(shell find src -name '*.c' ! -path '*/freestanding/*')))
ifneq ($(MACHINE),x86_64)
  LIB_SRC := $(filter-out %_avx2.c %_avx512.c,$(LIB_SRC))
endif
LIB_OBJ = $(LIB_SRC:%.c=$(B)/obj/%.o)
CMD_SRC := $(sort $(shell find cmd -name '*.c'))
CMD_OBJ := $(CMD_SRC:%.c=$(B)/obj/%.o)
TESTLIB_SRC := $(sort $(shell find tests/testlib -name '*.c'))
TESTLIB_OBJ = $(TESTLIB_SRC:%.c=$(B)/obj/%.o)
UNIT_SRC := $(sort $(shell find tests/unit tests/crash -name 'test_*.c'))
STAT_SRC := $(sort $(wildcard tests/stat/test_*.c))
# These read the clock, so they run in the long set alone.
TIMING_SRC := $(sort $(wildcard tests/ct/test_*.c))
# For the thread sanitizer, which cannot follow three of them: one forks while another thread draws, and the child is
# taken for that thread; one limits the memory of its own engine below what the sanitizer needs; one counts the
# processes that it has started, and the sanitizer starts another.
THREAD_SRC := $(filter-out %/test_rng_children.c %/engine/test_worker.c %/session/test_limits.c, \
	$(sort $(shell grep -lrE '<pthread[.]h>|[.]threads = crew' tests/unit --include='test_*.c')))
THREAD_BIN := $(THREAD_SRC:%.c=$(B)/%)
UNIT_BIN := $(UNIT_SRC:%.c=$(B)/%)
STAT_BIN := $(STAT_SRC:%.c=$(B)/%)
TIMING_BIN := $(TIMING_SRC:%.c=$(B)/%)
BENCH_BIN := $(patsubst %.c,$(B)/%,$(sort $(wildcard bench/bench_*.c)))
FUZZ_NAMES := $(patsubst fuzz/fuzz_%.c,%,$(sort $(wildcard fuzz/fuzz_*.c)))
REPLAY_BIN := $(FUZZ_NAMES:%=$(B)/fuzz/replay_%)
SHELL_TESTS := $(sort $(wildcard tests/cli/*.t tests/install/*.t))
MAN_PAGES := $(sort $(wildcard man/*.1 man/*.3 man/*.5 man/*.7))

ifeq ($(VARIANT),ct)
  LIB_SRC := $(sort $(shell find src/core/base src/core/number src/core/random src/core/mechanism -name '*.c')) \
	src/core/account/cost/cost.c src/core/account/theorem/renyi/renyi_convert.c src/core/account/cost/rho.c src/core/account/integral/real.c
  TESTLIB_SRC := tests/testlib/tap.c tests/testlib/tape.c
  CMD_OBJ :=
endif

A := $(B)/libsotto.a
# The program without main, for its unit tests.
CMD_A := $(B)/libcmd.a
TESTLIB_A := $(B)/libtest.a
SO := $(B)/libsotto.so.$(VERSION)
# Where make install puts libduckdb, seen from the library and from the program.
PRIVATE_LIB := lib/sotto
SO_PATH := -Wl,-rpath,'$$ORIGIN/sotto'
PROGRAM_PATH := -Wl,-rpath,'$$ORIGIN/../$(PRIVATE_LIB)'
PROGRAM := $(B)/sotto
SMALL_PATH := -Wl,-rpath,'$$ORIGIN'
SMALL := $(B)/sotto-worker

.PHONY: all lib help setup demo check check-static check-long bench fuzz install uninstall docs \
	symbols format clean distclean tests
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

# One short line a step; V=1 shows the commands, BRIEF=1 one line in all that tells how far
# it is, on a terminal, and nothing elsewhere.
Q := $(if $(V),,@)
said = printf '  %-5s %s\n' '$(1)' '$(2)'
said_brief = if [ -t 1 ]; then printf '\r\033[K  %-5s %s' '$(1)' '$(2)'; fi
say = $(if $(V),,@$(if $(BRIEF),$(said_brief),$(said)))
build = @$(MAKE) --no-print-directory -s -j$(JOBS) BRIEF=1 $(1) && if [ -t 1 ]; then printf '\r\033[K'; fi

all: lib $(PROGRAM) $(SMALL)
lib: $(A) $(B)/libsotto.so $(B)/sotto.pc

# Files named _avx2.c and _avx512.c are compiled for those instructions and
# called only after a look at the CPU; they and *_block*, *_bulk* files hold hot loops.
isa = $(foreach i,avx2 avx512,$(if $(findstring _$(i).c,$<),$(ISA_$(i))))
bulk = $(if $(findstring _block,$<)$(findstring _bulk,$<)$(findstring _avx,$<),$(BULK))

# The engine's header is the system's, or comes with make setup; the ct build has no engine.
ifeq ($(filter ct,$(VARIANT))$(wildcard /usr/include/duckdb.h),)
  ENGINE_HEADER := .cache/duckdb/duckdb.h
endif

.cache/duckdb/duckdb.h:
	@echo 'duckdb.h is not there: run "make setup" once, which fetches what building needs' >&2; exit 1

$(B)/obj/src/%.o: src/%.c | $(ENGINE_HEADER)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(LIB_CFLAGS) $(bulk) $(isa) -c $< -o $@

# Changing LP compiles the one file that asks for it again.
$(B)/obj/src/channel/optimal/program/channel_clp.o: LIB_CFLAGS += -DSOTTO_LP=$(LP)
$(B)/obj/src/channel/optimal/program/channel_clp.o: $(B)/obj/lp
.PHONY: ask-lp
$(B)/obj/lp: ask-lp
	@mkdir -p $(@D)
	@echo $(LP) | cmp -s - $@ || echo $(LP) > $@

$(B)/obj/cmd/%.o: cmd/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CMD_CFLAGS) -c $< -o $@

$(B)/obj/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TEST_CFLAGS) $(isa) -c $< -o $@

# ---- the encoder for devices ---------------------------------------------------

include src/local/client/client.mk

# ---- the web console: TypeScript into scripts, and all its files into the library ----------

WEB_SRC := $(shell find web -type f)
CONSOLE := $(B)/obj/console_list

$(B)/web/app.js: $(WEB_SRC) tools/build-web $(CLIENT_WASM)
	$(call say,WEB,$(@D))
	$(Q)tools/build-web $(@D) $(CLIENT_WASM)

$(CONSOLE).c: $(B)/web/app.js tools/embed
	@mkdir -p $(@D)
	$(Q)tools/embed $(B)/web > $@

$(CONSOLE).o: $(CONSOLE).c
	$(Q)$(CC) $(LIB_CFLAGS) -c $< -o $@

LIB_OBJ += $(CONSOLE).o

$(A): $(LIB_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

$(CMD_A): $(filter-out %/main.o,$(CMD_OBJ))
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

$(SO): $(LIB_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TUNE) -shared -pthread -Wl,-soname,libsotto.so.$(SOVERSION) -Wl,$(SO_DEFS)-z,relro,-z,now \
		$(SO_PATH) -o $@ $^ $(PKG_LIBS)

$(B)/libsotto.so: $(SO)
	$(Q)ln -sf $(<F) $(B)/libsotto.so.$(SOVERSION)
	$(Q)ln -sf $(<F) $@

$(B)/sotto.pc: tools/sotto.pc.in VERSION Makefile
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@PKGS@|$(PKGS)|' $< > $@

$(PROGRAM): $(CMD_OBJ) $(A)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TUNE) -pthread $(PROGRAM_PATH) -o $@ $(CMD_OBJ) $(A) $(PKG_LIBS)

# The worker alone: of the libraries only those that the engine's side needs.
$(SMALL): $(B)/obj/$(SMALL_SRC:.c=.o) $(A)
	$(call say,LINK,$@)
	$(Q)$(CC) $(TUNE) -pthread $(SMALL_PATH) -o $@ $< $(A) -Wl,--as-needed $(PKG_LIBS)

# Both sides of the worker's socket have to be made of the same sources.
ENGINE_SRC := $(sort $(shell find src/central/engine src/core/base -name '*.[ch]'))
$(B)/obj/src/central/engine/worker/worker_build.o: $(ENGINE_SRC)
$(B)/obj/src/central/engine/worker/worker_build.o: LIB_CFLAGS += \
	-DSOTTO_ENGINE_DIGEST='"$(shell cat $(ENGINE_SRC) | sha256sum | cut -c 1-12)"'

# ---- the Python package ---------------------------------------------------------

include python/python.mk

# ---- tests -------------------------------------------------------------------

# The engine runs in a process of the program: tests that ask it need that too.
ifneq ($(VARIANT),ct)
  WORKER := $(PROGRAM) $(SMALL)
endif

# Hundreds of programs are linked for the tests, which takes lld half as long.
ifneq ($(filter release asan,$(VARIANT)),)
  TEST_LINKER := $(if $(shell command -v ld.lld),-fuse-ld=lld)
endif

# An archive, so that a test is linked with no more than it uses.
$(TESTLIB_A): $(TESTLIB_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

$(B)/tests/%: tests/%.c $(A) $(CMD_A) $(TESTLIB_A) | $(WORKER)
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(TEST_CFLAGS) $(bulk) -MF $@.d -o $@ $< $(TESTLIB_A) $(CMD_A) $(A) $(PKG_LIBS) $(TEST_LINKER)

# Every exported function, called with nothing.
$(B)/api/calls.h: tools/api-calls $(wildcard include/sotto/*.h)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)tools/api-calls include/sotto/*.h > $@

$(B)/tests/unit/api/test_api: $(B)/api/calls.h
$(B)/tests/unit/api/test_api: TEST_CFLAGS += -I$(B)

$(B)/bench/%: bench/%.c $(A) $(TESTLIB_A) | $(WORKER)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)
	$(Q)$(CC) $(TEST_CFLAGS) -MF $@.d -o $@ $< $(TESTLIB_A) $(A) $(PKG_LIBS) $(TEST_LINKER)

$(B)/fuzz/replay_%: fuzz/fuzz_%.c fuzz/replay.c $(A) $(CMD_A)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)$(CC) $(TEST_CFLAGS) -MF $@.d -o $@ fuzz/fuzz_$*.c fuzz/replay.c \
		$(CMD_A) $(A) $(PKG_LIBS) $(TEST_LINKER)

# Benchmarks are built, not run: they have to compile.  The sanitizers do not run statistical tests.
.PHONY: thread-tests
thread-tests: $(THREAD_BIN)
tests: $(UNIT_BIN) $(REPLAY_BIN) $(if $(filter release,$(VARIANT)),$(STAT_BIN) $(TIMING_BIN) $(BENCH_BIN))

setup:
	@tools/setup

# Warnings are errors in both compilers: release is gcc, asan is clang.
check: setup
	@tools/setup-adbc
	@printf 'build: with gcc, and with clang and the sanitizers; minutes the first time\n'
	$(call build,all tests)
	$(call build,VARIANT=asan tests build/asan/sotto build/asan/sotto-worker)
	@$(MAKE) --no-print-directory check-static
	@tools/run-tests release short
	@$(MAKE) --no-print-directory check-python > $(B)/python.log 2>&1 & python=$$!; \
	tools/run-tests asan short; asan=$$?; \
	wait $$python; python=$$?; cat $(B)/python.log; test $$asan = 0 && test $$python = 0

# Side by side, the slowest first.
STATIC := check-headers check-documents check-format check-layers check-symbols check-executable
.PHONY: $(STATIC)
check-static:
	@$(MAKE) --no-print-directory -j$(JOBS) --output-sync=target $(STATIC)

check-headers:
	tools/headers

check-documents:
	tools/check-docs $(PROGRAM)
	tools/check-options

check-format:
	tools/format

check-layers:
	tools/layers

check-symbols:
	tools/symbols $(B)/libsotto.so

check-executable:
	@! find tests -name '*.t' ! -perm -u+x | grep . || { echo "make these tests executable" >&2; exit 1; }

check-long: setup
	@tools/setup-cross
	$(call build,all tests)
	$(call build,VARIANT=arm64 all)
	$(call build,VARIANT=tsan thread-tests build/tsan/sotto)
	$(call build,VARIANT=asan tests build/asan/sotto build/asan/sotto-worker)
	@tools/run-tests release long
	@tools/run-tests asan long
	@tools/run-tests tsan threads $(THREAD_SRC:%.c=build/tsan/%)

# A real Spark cluster of two workers on loopback; fetches pyspark once.
.PHONY: check-spark
check-spark: setup
	$(call build,all build/tests/unit/central/session/test_spread_golden)
	@tools/check-spark

symbols: $(B)/libsotto.so
	tools/symbols $< --write

format:
	tools/format --write

# ---- sample data ---------------------------------------------------------------

# 50,000 invented patients and 200,000 visits beside a copy of their policy.
HOSPITAL := build/hospital

build/examples/hospital/generate: examples/hospital/generate.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)gcc -std=gnu11 -O2 $(WARN) -o $@ $< -lm

$(HOSPITAL)/visits.csv: build/examples/hospital/generate
	@mkdir -p $(@D)
	$(call say,DATA,$(HOSPITAL))
	$(Q)$< 50000 1 $(HOSPITAL)

$(HOSPITAL)/sotto.yaml: examples/hospital/sotto.yaml $(HOSPITAL)/visits.csv
	$(Q)cp $< $@

# Sealed, so that its questions can be asked at once.
$(HOSPITAL)/sotto-sealed/manifest.json: $(HOSPITAL)/sotto.yaml $(PROGRAM)
	$(call say,SEAL,$(HOSPITAL))
	$(Q)$(PROGRAM) seal --policy $< > /dev/null
	$(Q)$(PROGRAM) policy accept --policy $< > /dev/null 2>&1 || $(PROGRAM) ledger create --policy $< > /dev/null
	$(Q)touch $@

.PHONY: hospital
hospital: $(HOSPITAL)/sotto-sealed/manifest.json

# ---- the rest ----------------------------------------------------------------

demo: setup
	@$(MAKE) --no-print-directory -q all hospital || printf 'build: about a minute, once\n'
	$(call build,all hospital)
	@examples/demo/run

bench: setup
	$(call build,all $(BENCH_BIN))
	@bench/run $(BENCH)

bench-%:
	@$(MAKE) --no-print-directory bench BENCH=$*

FUZZ_CC := clang -std=gnu11 $(INSIDE) -O1 -g -D_GNU_SOURCE -DSOTTO_VERSION='"$(VERSION)"' -pthread \
	-Iinclude -Isrc -Icmd -Itests -isystem .cache/duckdb -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all

fuzz: setup
	@$(MAKE) --no-print-directory -j$(JOBS) VARIANT=fuzz build/fuzz/instrumented/libsotto.a build/fuzz/instrumented/libcmd.a
	@mkdir -p build/fuzz
	@set -e; for name in $(FUZZ_NAMES); do \
		$(FUZZ_CC) $(PKG_CFLAGS) -o build/fuzz/$$name fuzz/fuzz_$$name.c \
			build/fuzz/instrumented/libcmd.a build/fuzz/instrumented/libsotto.a $(PKG_LIBS); \
		mkdir -p build/fuzz/corpus/$$name; \
		echo "fuzzing $$name for $(FUZZ_SECONDS) s"; \
		dict=; if [ -s fuzz/$$name.dict ]; then dict=-dict=fuzz/$$name.dict; fi; \
		build/fuzz/$$name -max_total_time=$(FUZZ_SECONDS) -print_final_stats=0 -verbosity=0 -timeout=10 \
			$$dict \
			build/fuzz/corpus/$$name fuzz/corpus/$$name; \
	done

# The engine lies in a folder of ours: nobody else finds it, and no other version is found instead.
ENGINE := $(wildcard .cache/duckdb/libduckdb.so)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include/sotto $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/sotto
	install -D -m 755 $(SMALL) $(DESTDIR)$(PREFIX)/$(PRIVATE_LIB)/sotto-worker
	install -m 644 include/sotto/*.h $(DESTDIR)$(PREFIX)/include/sotto/
	install -m 644 $(A) $(CLIENT_A) $(CLIENT_WASM) $(DESTDIR)$(PREFIX)/lib/
	install -m 755 $(SO) $(DESTDIR)$(PREFIX)/lib/
	ln -sf $(notdir $(SO)) $(DESTDIR)$(PREFIX)/lib/libsotto.so.$(SOVERSION)
	ln -sf $(notdir $(SO)) $(DESTDIR)$(PREFIX)/lib/libsotto.so
	sed 's|^prefix=.*|prefix=$(PREFIX)|' $(B)/sotto.pc > $(DESTDIR)$(PREFIX)/lib/pkgconfig/sotto.pc
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(PROGRAM) completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sotto
	$(PROGRAM) completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sotto
	$(PROGRAM) completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sotto.fish
	install -D -m 644 src/central/spread/launcher/spark_driver.py $(DESTDIR)$(PREFIX)/share/sotto/spark_driver.py
	install -d $(DESTDIR)$(PREFIX)/share/doc/sotto/schema
	install -m 644 docs/schema/* $(DESTDIR)$(PREFIX)/share/doc/sotto/schema/
	$(if $(ENGINE),install -D -m 644 $(ENGINE) $(DESTDIR)$(PREFIX)/$(PRIVATE_LIB)/libduckdb.so, \
		@echo "libduckdb is the system's: sotto uses that one")
	for page in $(MAN_PAGES); do \
		install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; \
	done

uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/include/sotto $(DESTDIR)$(PREFIX)/lib/libsotto.* \
		$(DESTDIR)$(PREFIX)/lib/libsotto-client.a $(DESTDIR)$(PREFIX)/lib/sotto-client.wasm \
		$(DESTDIR)$(PREFIX)/lib/pkgconfig/sotto.pc $(DESTDIR)$(PREFIX)/bin/sotto $(DESTDIR)$(PREFIX)/$(PRIVATE_LIB)
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/sotto $(DESTDIR)$(PREFIX)/share/sotto
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sotto $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sotto \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sotto.fish
	for page in $(MAN_PAGES); do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; done

# A package for Debian 12.
.PHONY: deb
deb: all
	@tools/make-deb

docs: all
	@mkdir -p build/docs
	@for page in $(MAN_PAGES); do mandoc -T html -O style=mandoc.css $$page > build/docs/$${page##*/}.html; done
	@echo "manual pages are in build/docs"

help:
	@printf '%s\n' \
		'make               library and program; LP=0: without linear programs (COIN-OR Clp)' \
		'make setup         install and fetch what is missing; the next four do it themselves' \
		'make demo          build, and answer a first private question' \
		'make check         build, and run the tests (what CI runs)' \
		'make bench         benchmarks; BENCH=name for one of them' \
		'make fuzz          fuzz every parser, FUZZ_SECONDS=30 each' \
		'make check-static  format, layers, manual, exported symbols: about a minute' \
		'make check-long    the same tests as check at full sample size, and those with threads' \
		'make check-spark   questions on a real Spark cluster of two workers on loopback' \
		'make python        the Python package as a wheel; make check-python tests it' \
		'make install       PREFIX=/usr/local DESTDIR=; uninstall removes it' \
		'make deb           a package for Debian 12' \
		'make docs          manual pages as HTML' \
		'make format        clang-format in place' \
		'make symbols       rewrite the list of exported symbols' \
		'make clean         remove build/; distclean also the download cache'

clean:
	rm -rf build

distclean: clean
	rm -rf .cache

-include $(shell find build -name '*.d' 2>/dev/null)
