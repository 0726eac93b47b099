# Everything a developer types. `make help` lists it; each target installs what it needs by tools/setup.

.DEFAULT_GOAL := help
.PHONY: help run build release dev asan tsan fuzz test test-long format lint \
        bench-memory clean setup setup-test

PYTHON := /usr/bin/python3
JOBS ?= $(shell nproc)
# To build with packages that are managed by other means: make SETUP=true.
SETUP ?= tools/setup
# WEBSHIP_UNITY=ON or OFF overrides what the preset says.
configure_options := $(if $(WEBSHIP_UNITY),-DWEBSHIP_UNITY=$(WEBSHIP_UNITY))

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup:
	@$(SETUP) run
setup-test:
	@$(SETUP) test

run: release ## serve examples/site on http://localhost:8080 and https://localhost:8443
	@tools/dev-certificate
	@echo "examples/site: http://localhost:8080 and https://localhost:8443 (Ctrl-C ends it)"
	@if [ "$$(id -u)" = 0 ]; then export WEBSHIP_USER="$$(stat -c %u .)"; fi; \
	exec build/release/webship run -c examples/development.yaml

build: release ## the release binary, build/release/webship

# Configured once; afterwards CMake sees by itself when it must run again.
define build_preset
	@[ -f build/$(1)/build.ninja ] || { cmake --preset $(1) $(configure_options) && \
	  echo "building build/$(1): minutes the first time, seconds after a change"; }
	@ninja -C build/$(1) -j $(JOBS) --quiet
endef

release: setup
	$(call build_preset,release)
dev: setup-test ## the development build: fast to compile, assertions on
	$(call build_preset,dev)
asan: setup-test ## with the address and undefined-behaviour sanitizers
	$(call build_preset,asan)
tsan: setup-test ## with the thread sanitizer
	$(call build_preset,tsan)
fuzz: setup-test ## the fuzzers of fuzz/
	$(call build_preset,fuzz)

test: setup-test ## everything that CI runs: plain, under asan, under tsan, and the fuzzers
	@$(PYTHON) tools/test

test-long: setup-test ## that, with long fuzzing, slow tests and clang-tidy over everything
	@$(PYTHON) tools/test --long

format: setup-test ## clang-format on all C++ files
	@git ls-files -co --exclude-standard -- '*.cc' '*.h' | xargs -r clang-format-19 -i

lint: setup-test ## layers, sizes, words, format
	@$(PYTHON) tools/lint

bench-memory: release ## memory per idle connection, against its limits
	@bench/memory

clean: ## remove what was built
	rm -rf build
