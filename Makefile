# The commands for people; CMake and Ninja do the work.
BUILD ?= build
PREFIX ?= /usr/local

.PHONY: demo test build setup bench format install clean

demo: build
	@scripts/demo $(BUILD)/acausal

test: build
	@cmake --build $(BUILD)
	cd $(BUILD) && ctest --output-on-failure -j2

build: setup
	@cmake -S . -B $(BUILD) -G Ninja >/dev/null
	@cmake --build $(BUILD) --target product

setup:
	@scripts/setup

bench: build
	$(BUILD)/acausal bench parse $(if $(ACAUSAL_MSL),--lib "$(ACAUSAL_MSL)")

format:
	scripts/check-format --fix

install: build
	cmake --install $(BUILD) --prefix "$(PREFIX)"
	@[ "$$(id -u)" != 0 ] || ldconfig

clean:
	rm -rf $(BUILD) build-*
