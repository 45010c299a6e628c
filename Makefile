# rackrate: `make help` lists the targets. Needs GNU make; packages come from `sh .ci/deps` (Debian 12, Ubuntu).
SHELL = /bin/bash
VERSION = 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=
VARIANT ?= release
V ?= 0
JOBS ?= $(shell nproc)
Q = $(if $(filter 0,$(V)),@)
ifeq ($(origin CC),default)
CC = $(if $(filter clang fuzz,$(VARIANT)),clang,gcc)
endif

# Compiling: every variant in a folder of its own, build/VARIANT.
B = build/$(VARIANT)
PKGS = gsl libcjson sqlite3 nettle zlib libzstd
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null || echo -lgsl -lgslcblas -lcjson -lsqlite3 -lnettle -lz -lzstd)
WARN = -Wall -Wextra -Wconversion -Wshadow -Werror -Wno-sign-conversion
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined
OPT_release = -O2 -g
OPT_clang = $(OPT_release)
OPT_asan = -O1 -g $(SANITIZE) -fno-omit-frame-pointer -DRR_ARENA_MALLOC
OPT_fuzz = $(OPT_asan) -fsanitize=fuzzer-no-link
CFLAGS ?=
LDFLAGS ?=
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE $(WARN) -ffp-contract=off $(OPT_$(VARIANT)) -DRR_VERSION='"$(VERSION)"' \
             -DRR_DATADIR='"$(abspath $(PREFIX))/share/rackrate"' -I. $(PKG_CFLAGS) $(CFLAGS)
LINK = $(CC) $(OPT_$(VARIANT)) $(LDFLAGS)
LIBS = $(PKG_LIBS) -lglpk -lpthread -lm

# What is built: a new file in one of these folders is found by itself.
LIB_SRC = $(filter-out models/probe/%,$(wildcard models/*/*.c)) models/probe/layer.c $(wildcard data/base/*.c data/*.c data/import/*.c models/*.c \
            reports/*.c reports/section/*.c sim/engine/*.c sim/policy/*.c sim/autoscale/*.c sim/supply/*.c sim/study/*.c)
CLI_SRC = $(wildcard sim/cli/*.c)
TEST_SRC = $(wildcard tests/unit/test_*.c tests/law/test_*.c tests/validation/test_*.c)
FUZZ_SRC = $(wildcard tests/fuzz/fuzz_*.c)
BENCH_SRC = $(wildcard tests/bench/bench_*.c)
PROBE_SRC = $(wildcard models/probe/*.cu)
PROBE_C = $(wildcard models/probe/*.c)
BATS = $(wildcard tests/cli/*.bats)
LIB = $(B)/librackrate.a
LIB_OBJ = $(LIB_SRC:%.c=$(B)/%.o)
CLI_OBJ = $(CLI_SRC:%.c=$(B)/%.o)
TEST_BIN = $(TEST_SRC:%.c=$(B)/%)
VALIDATION_BIN = $(filter $(B)/tests/validation/%,$(TEST_BIN))
BENCH_BIN = $(BENCH_SRC:%.c=$(B)/%)
C_SRC = $(LIB_SRC) $(filter-out %/layer.c,$(PROBE_C)) $(CLI_SRC) $(TEST_SRC) $(FUZZ_SRC) $(BENCH_SRC)

# Optional parts, used when found, off with CUDA=0 or MPI=0.
CUDA ?= $(if $(NVCC),1,0)
MPI ?= $(if $(MPICC),1,0)
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
MPICC ?= $(shell command -v mpicc 2>/dev/null)
# Every target from sm_70 to sm_100 that this toolkit knows, and the last as PTX for what comes later.
PROBE_TARGETS = $(filter 70 72 75 80 86 87 89 90 100,$(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code)))
PTX = $(lastword $(PROBE_TARGETS))
PROBE_GENCODE = $(foreach t,$(PROBE_TARGETS),-gencode arch=compute_$(t),code=sm_$(t)) -gencode arch=compute_$(PTX),code=compute_$(PTX)
# The probe links no GPL library and of data/base only files marked MIT.
PROBE_BASE = $(addprefix data/base/,arena.c escape.c fmath.c number.c status.c text.c)
PROBE_LIB = $(B)/libprobe.a
# Where cublasLt and NCCL are looked for, after LD_LIBRARY_PATH and before the system's folders.
CUDA_LIB = $(abspath $(dir $(realpath $(NVCC)))../lib64)
PROBE = $(if $(and $(filter-out 0,$(CUDA)),$(NVCC),$(PROBE_SRC)),build/rackrate-probe)

.DEFAULT_GOAL = all
.PHONY: all help deps probe-gpu probe-files validate validate-training fit-training profiles demo demo-run check check-run picked check-long lint prefix bench asan tests golden-update install clean optional FORCE
.SECONDARY:
.DELETE_ON_ERROR:

all: $(if $(wildcard sim/cli/main.c),build/rackrate,$(LIB)) $(PROBE) optional ## build build/rackrate (and build/rackrate-probe where CUDA is found)

help: ## this list
	@echo "make [TARGET] [V=1] [JOBS=N] [CC=clang] [VARIANT=release|clang|asan] [CUDA=0] [MPI=0] [DEPS=0|1]"
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  \1|\2/p' Makefile | column -t -s '|'

SAY = @$(if $(SILENT),:,echo)
SILENT = $(findstring s,$(firstword -$(MAKEFLAGS)))
optional:
	$(if $(SILENT),,@echo "  CUDA  $(if $(filter 0,$(CUDA)),off,$(if $(PROBE),$(NVCC),not found: no rackrate-probe))")
	$(if $(SILENT),,@echo "  MPI   $(if $(filter 0,$(MPI)),off,not needed to build; rackrate-probe runs under mpirun)")

build/rackrate: $(B)/rackrate FORCE
	$(Q)[ "$$(readlink $@)" = $(VARIANT)/rackrate ] || ln -sf $(VARIANT)/rackrate $@
$(B)/rackrate: $(CLI_OBJ) $(LIB)
	$(SAY) "  LD    $@"
	$(Q)$(LINK) -o $@ $(CLI_OBJ) $(LIB) $(LIBS)
$(LIB): $(LIB_OBJ)
	$(SAY) "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $(LIB_OBJ)
$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(SAY) "  CC    $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(LIB)
	$(SAY) "  LD    $@"
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $< $(LIB) $(LIBS)
$(filter $(B)/tests/unit/test_probe%,$(TEST_BIN)): %: %.o $(PROBE_LIB) $(LIB)
	$(SAY) "  LD    $@"
	$(Q)$(LINK) -o $@ $< $(PROBE_LIB) $(LIB) -lcmocka $(LIBS)
$(PROBE_LIB): $(patsubst %.c,$(B)/%.o,$(filter-out %/main.c,$(PROBE_C)))
	$(SAY) "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $^
$(B)/tests/%: $(B)/tests/%.o $(LIB)
	$(SAY) "  LD    $@"
	$(Q)$(LINK) -o $@ $< $(LIB) -lcmocka $(LIBS)
build/probe/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(NVCC) $(PROBE_GENCODE)' | cmp -s - $@ || echo '$(NVCC) $(PROBE_GENCODE)' >$@
build/probe/%.o: models/probe/%.cu build/probe/flags $(wildcard models/probe/*.h models/probe/*.cuh)
	$(SAY) "  NVCC  $<"
	$(Q)$(NVCC) -O2 -std=c++17 -Werror all-warnings --threads $(JOBS) -I. $(PROBE_GENCODE) -c -o $@ $<
build/rackrate-probe: $(PROBE_SRC:models/%.cu=build/%.o) $(patsubst %.c,$(B)/%.o,$(PROBE_C) $(PROBE_BASE))
	$(SAY) "  LD    $@"
	$(Q)$(NVCC) -o $@ $^ -Xlinker -rpath,$(CUDA_LIB) -ldl -lm

probe-files:
	@echo $(PROBE_SRC) $(PROBE_C) $(PROBE_BASE)
probe-gpu: ## measure this machine's GPU in under 4 minutes: check every kernel, run the 60 s plan, fit, compare with the datasheet; exit not 0 where none is
	$(Q)[ -n "$(PROBE)" ] || { echo "skipped: no nvcc (CUDA 12 or 13) here, so no rackrate-probe" >&2; exit 5; }
	$(Q)[ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || { echo "skipped: no CUDA device here (/dev/nvidiactl is not there)" >&2; exit 5; }
	+$(Q)$(SUB) build/rackrate build/rackrate-probe
	@mkdir -p out
	$(Q)build/rackrate-probe --check -o out/probe-gpu.check.json
	$(Q)build/rackrate calibrate --budget 60s -o out/probe-gpu.json

# Other flags build anew; the install folder alone does not.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(filter-out -DRR_DATADIR%,$(ALL_CFLAGS))' | cmp -s - $@ || echo '$(CC) $(filter-out -DRR_DATADIR%,$(ALL_CFLAGS))' >$@

deps: ## install the missing packages (as root, with DEPS=1 or through sudo)
	$(Q)sh .ci/deps lint

demo: ## replay the shipped buy-or-rent scenario and show what it says
	$(Q)sh .ci/deps demo
	+$(Q)$(SUB) demo-run
demo-run: all
	$(Q)build/rackrate run data/scenarios/buy-vs-rent.json -o out/demo

# make check T=PATTERN picks tests by name. SUITE: what a plain run takes; tests/run starts the slow ones first.
PICK = $(if $(T),$(shell printf '%s\n' $(1) | grep -E -- '$(T)'),$(1))
ASAN_BIN = $(patsubst %.c,build/asan/%,$(filter tests/unit/%,$(TEST_SRC)))
FUZZ_BIN = $(FUZZ_SRC:%.c=build/fuzz/%)
SUITE = $(sort $(BATS)) $(TEST_SRC:%.c=build/release/%) $(ASAN_BIN) $(FUZZ_BIN)
HAVE_FUZZER = $(shell echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return !d + (n < 0); }' | \
                clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null && echo 1)
SUB = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
check: ## quick tests: unit, law, validation, command line, fuzz corpus, sanitizers (T=PATTERN picks)
	$(Q)sh .ci/deps check
	+$(Q)$(SUB) check-run
check-run:
	+$(Q)$(SUB) VARIANT=release all picked PICKED='$(call PICK,$(TEST_SRC:%.c=build/release/%))'
	+$(Q)$(if $(call PICK,$(ASAN_BIN)),$(SUB) VARIANT=asan picked PICKED='$(call PICK,$(ASAN_BIN))')
	+$(Q)$(if $(and $(call PICK,$(FUZZ_BIN)),$(HAVE_FUZZER)),$(SUB) VARIANT=fuzz CC=clang picked PICKED='$(call PICK,$(FUZZ_BIN))')
	$(Q)tests/run -j $(JOBS) $(if $(T),-t '$(T)') $(SUITE)
picked: $(PICKED)
check-long: ## the same with the long laws and the full validation
	+$(Q)RACKRATE_LONG=1 RR_TEST_TIMEOUT=7200 $(MAKE) --no-print-directory check

asan: ## build everything with address and undefined-behaviour checks and run the unit tests
	+$(Q)$(SUB) VARIANT=asan picked PICKED='build/asan/rackrate $(ASAN_BIN)'
	$(Q)tests/run -j $(JOBS) $(ASAN_BIN)
bench: ## build and run the speed tests
	$(Q)sh .ci/deps check
	+$(Q)$(SUB) all picked PICKED='$(BENCH_BIN)'
	$(Q)for b in $(BENCH_BIN); do echo "== $$b" && $$b || exit 1; done
validate: ## replay published results and print the table published / ours / difference / allowed
	$(Q)sh .ci/deps check
	+$(Q)$(SUB) all $(VALIDATION_BIN)
	@printf '%-58s %16s %16s %9s    %s\n' '' published ours difference allowed
	$(Q)rc=0; for t in $(VALIDATION_BIN); do RACKRATE_TABLE=1 $$t >build/validate.out 2>&1 || { rc=1; echo "FAILED: $$t"; }; \
	sed -n 's/^published: //p' build/validate.out; done; rm -f build/validate.out; exit $$rc
SHARED = $(or $(RACKRATE_SHARED),../shared)
FACTS = $(addprefix $(SHARED)/facts/,training_validation.csv mlperf_llm_layouts.csv memory_validation.csv)
validate-training: all ## predicted against published training times and memory, with cross-validation (minutes)
	$(Q)[ -r $(firstword $(FACTS)) ] || { echo "skipped: no $(firstword $(FACTS)); RACKRATE_SHARED names the folder"; exit 0; }; \
	build/rackrate validate training $(FACTS) --cross --table build/train_accuracy.csv --plot build/validate-training && \
	mv build/train_accuracy.csv data/facts/train_accuracy.csv && \
	echo "predicted against measured: build/validate-training/*.svg; errors by set: data/facts/train_accuracy.csv"
fit-training: all ## fit data/facts/train_coefficients.csv anew to the published rows (minutes)
	$(Q)build/rackrate fit training $(FACTS) >build/train_coefficients.csv && mv build/train_coefficients.csv data/facts/train_coefficients.csv
profiles: all ## fit the shipped profiles anew from the public logs and the facts (half a minute)
	$(Q)[ -r $(SHARED)/calibration ] || { echo "skipped: no $(SHARED)/calibration; RACKRATE_SHARED names the folder"; exit 0; }; \
	sh data/profiles/build.sh build/rackrate $(SHARED)/calibration data/profiles
tests: $(TEST_BIN)
golden-update: all ## rewrite the golden files of tests/cli and the schemas; read the diff
	$(Q)build/rackrate check --schema >data/schema/scenario.schema.json.tmp && mv data/schema/scenario.schema.json.tmp data/schema/scenario.schema.json
	$(Q)RACKRATE_GOLDEN=update bats $(BATS)

# Lint: form, habits, the arrows between folders, names, sizes.
TIDY = $(C_SRC:%.c=build/lint/%.tidy)
lint: ## clang-format, clang-tidy, include arrows, symbol prefixes, file sizes
	$(Q)sh .ci/deps lint
	+$(Q)$(SUB) $(LIB) prefix
	$(Q)bash tests/lint
	+$(Q)$(SUB) picked PICKED='$(TIDY)'
	@echo "lint: all clean"
prefix: $(LIB) ## every symbol that the library shows starts with rr_
	@! nm -g --defined-only $(LIB) | awk 'NF == 3 && $$3 !~ /^rr_/ { print "prefix: " $$3; bad = 1 } END { exit !bad }'
build/lint/%.tidy: $(B)/%.o .clang-tidy
	@mkdir -p $(@D)
	$(SAY) "  TIDY  $*.c"
	$(Q)clang-tidy --quiet $*.c -- $(ALL_CFLAGS) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

SHARE = $(DESTDIR)$(PREFIX)/share
install: all ## install under PREFIX (default /usr/local), with DESTDIR in front
	install -D build/rackrate $(DESTDIR)$(PREFIX)/bin/rackrate
	$(if $(PROBE),install -D $(PROBE) $(DESTDIR)$(PREFIX)/bin/rackrate-probe)
	cd data && find facts scenarios traces profiles schema -type f ! -name '*.sh' -exec install -D -m 644 {} $(abspath $(SHARE))/rackrate/{} \;
	install -D -m 644 sim/cli/rackrate.1 $(SHARE)/man/man1/rackrate.1
	install -D -m 644 README.md $(SHARE)/doc/rackrate/README.md
	install -D -m 644 LICENSE $(SHARE)/doc/rackrate/LICENSE
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	build/rackrate completion bash >$(SHARE)/bash-completion/completions/rackrate
	build/rackrate completion zsh >$(SHARE)/zsh/site-functions/_rackrate
	build/rackrate completion fish >$(SHARE)/fish/vendor_completions.d/rackrate.fish

clean: ## remove build/ and out/demo
	rm -rf build out/demo

-include $(shell find build -name '*.d' 2>/dev/null)
