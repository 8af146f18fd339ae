# The commands for people; CMake and Ninja do the work.
BUILD ?= build
# Minutes for make test-long.
BUDGET ?= 30
PREFIX ?= /usr/local

.PHONY: demo test test-long build setup bench format install dist wheel deb clean

demo: build
	@scripts/demo $(BUILD)/acausal

test: build
	@cmake --build $(BUILD)
	cd $(BUILD) && ctest --output-on-failure -j2

test-long: build
	@cmake --build $(BUILD)
	@CC=clang cmake -S . -B build-asan -G Ninja -DACAUSAL_SANITIZE=ON -DACAUSAL_FUZZ=ON >/dev/null
	@cmake --build build-asan --target fuzzers
	scripts/test-long --minutes $(BUDGET) --build $(BUILD) --fuzz-build build-asan

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

# The sources of the last commit as one archive, named after the version; its contents depend on the commit alone.
dist:
	@version=$$(sed -n 's/^project(acausal VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) && \
	git archive --format=tar --prefix=acausal-$$version/ HEAD | gzip -n9 > acausal-$$version.tar.gz && \
	echo acausal-$$version.tar.gz

# dist/acausal-*.whl: the Python package with the library and all that it needs.
wheel: build
	ACAUSAL_BUILD="$(abspath $(BUILD))" /usr/bin/python3 -m pip -q wheel --no-deps --no-build-isolation --no-index -w dist .
	@ls dist/*.whl

# dist/*.deb: the program, the library, what is needed to build with it, the Python package.
deb: build
	@scripts/package-deb $(BUILD) dist

clean:
	rm -rf $(BUILD) build-* dist
