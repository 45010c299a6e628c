# rackrate: `make help` lists the targets. Needs GNU make; packages come from `make deps` (Debian 12, Ubuntu).
SHELL = /bin/bash
VERSION = 0.1.0
PREFIX ?= /usr/local
CC ?= gcc
VARIANT ?= release
V ?= 0
Q = $(if $(filter 0,$(V)),@)

B = build/$(VARIANT)
PKGS = gsl libcjson sqlite3 nettle zlib libzstd
CSTD = -std=c17 -D_GNU_SOURCE
WARN = -Wall -Wextra -Wconversion -Wshadow -Werror -Wno-sign-conversion
FP = -ffp-contract=off
OPT_release = -O2 -g
OPT_asan = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -DRR_ARENA_MALLOC
OPT_fuzz = $(OPT_asan) -fsanitize=fuzzer-no-link
CFLAGS ?=
ALL_CFLAGS = $(CSTD) $(WARN) $(FP) $(OPT_$(VARIANT)) -DRR_VERSION='"$(VERSION)"' -DRR_DATADIR='"$(abspath $(PREFIX))/share/rackrate"' -I. \
             $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
LIBS = $(shell pkg-config --libs $(PKGS) 2>/dev/null || echo -lgsl -lcjson -lsqlite3 -lnettle -lz -lzstd) -lpthread -lm

LIB_SRC = $(wildcard data/base/*.c data/*.c data/import/*.c models/price/*.c models/finance/*.c models/*.c \
            reports/*.c reports/section/*.c sim/engine/*.c sim/policy/*.c sim/study/*.c)
CLI_SRC = $(wildcard sim/cli/*.c)
LIB = $(B)/librackrate.a
LIB_OBJ = $(LIB_SRC:%.c=$(B)/%.o)
CLI_OBJ = $(CLI_SRC:%.c=$(B)/%.o)
TEST_SRC = $(wildcard tests/unit/test_*.c tests/law/test_*.c tests/validation/test_*.c)
TEST_BIN = $(TEST_SRC:%.c=$(B)/%)
BENCH_BIN = $(patsubst %.c,$(B)/%,$(wildcard tests/bench/bench_*.c))

.PHONY: all tests clean
.SECONDARY:
all: build/rackrate ## build build/rackrate

build/rackrate: $(B)/rackrate
	@ln -sf $(VARIANT)/rackrate $@
$(B)/rackrate: $(CLI_OBJ) $(LIB)
	@echo "  LD    $@"
	$(Q)$(CC) $(OPT_$(VARIANT)) -o $@ $(CLI_OBJ) $(LIB) $(LIBS)
$(LIB): $(LIB_OBJ)
	@echo "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $(LIB_OBJ)
$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/tests/%: $(B)/tests/%.o $(LIB)
	@echo "  LD    $@"
	$(Q)$(CC) $(OPT_$(VARIANT)) -o $@ $< $(LIB) -lcmocka $(LIBS)

tests: $(TEST_BIN)
clean: ## remove build/
	rm -rf build

-include $(shell find build -name '*.d' 2>/dev/null)
