# Carom for people; CMake with presets works under it. `make help` lists the targets.
PREFIX ?= /usr/local
FLAGSHIP ?= nine-ball-break

.PHONY: build setup check run test bench bench-peers mpi stress stress-page elementary fuzz determinism lint format gallery validation golden \
	install uninstall package cross docs clean help

build: ## Build the command build/carom, optimised (the default); installs nothing
	@scripts/setup.sh check run
	@scripts/build.sh release carom_cli

setup: ## Install what building, testing and linting need (apt, with sudo)
	@scripts/setup.sh all

check: ## Quick look after a change, under a minute: build, short tests, format, layers
	@scripts/check.sh

run: ## Run the flagship scene and draw it; FLAGSHIP=NAME picks another
	@scripts/setup.sh run
	@scripts/build.sh release carom_cli
	@build/carom run $(FLAGSHIP) --plot build/$(FLAGSHIP).svg
	@echo
	@echo "The picture is build/$(FLAGSHIP).svg"

test: ## Build and test with gcc (optimised) and with clang (sanitizers)
	@scripts/setup.sh test
	@scripts/test.sh

bench: ## The table of speeds beside version 0.1 and a naive integrator, then the benchmarks of each part
	@scripts/setup.sh run
	@scripts/build.sh release
	@PYTHONDONTWRITEBYTECODE=1 scripts/bench.py
	@scripts/build.sh release bench

bench-peers: ## Run Newton's cradle and boxes with friction beside Siconos, ODE and Bullet
	@scripts/setup.sh peers
	@cmake --preset peers --log-level=WARNING >/dev/null # looks again for what was missing
	@scripts/build.sh peers bench-peers

mpi: ## Build build/mpi/carom-mpi for ensembles on many machines, and try it with mpirun
	@scripts/setup.sh mpi
	@scripts/build.sh mpi carom_mpi
	@PYTHONDONTWRITEBYTECODE=1 python3 tests/cluster/mpi.py build/mpi/carom build/mpi/carom-mpi

elementary: ## The elementary functions against MPFR at POINTS=10000000 points each (some 25 minutes of one core)
	@scripts/setup.sh test
	@scripts/build.sh release base_test_elementary
	@scripts/elementary.sh $(POINTS)

stress: ## A million random impacts, all random networks and breaks, 650 interrupted runs, 10,000 breaks killed five times; STRESS="--count N --seed S"
	@scripts/setup.sh run
	@scripts/build.sh release stress
	@scripts/build.sh release carom_cli
	@for test in impact_test_derivative impact_test_derivative_wild impact_test_friction_random impact_test_network_random impact_test_two_body_random \
		impact_test_hard_scenes impact_test_random_steps billiards_test_breaks world_test_pile_heaps; do scripts/build.sh release $$test || exit 1; done
	@CAROM_DERIVATIVE_CASES=500 build/tests/impact_test_derivative networks_with_friction
	@CAROM_DERIVATIVE_CASES=500 build/tests/impact_test_derivative compliant_networks
	@CAROM_DERIVATIVE_FIRST=0 CAROM_DERIVATIVE_CASES=13 build/tests/impact_test_derivative_wild wild_networks
	@for test in impact_test_friction_random impact_test_network_random impact_test_two_body_random \
		impact_test_hard_scenes impact_test_random_steps billiards_test_breaks world_test_pile_heaps; do CAROM_STRESS=1 build/tests/$$test || exit 1; done
	@build/tests/reliability/stress $(STRESS)
	@tests/reliability/interrupt.py build/carom 50
	@CAROM_COMMAND=build/carom CAROM_BREAKS=10000 CAROM_ONLY=killed_again_and_again python3 tests/cli/test_ensemble.py

stress-page: ## The million random impacts on all processors, and its figures into docs/reliability.md; STRESS="--count N --seed S"
	@scripts/setup.sh run
	@scripts/build.sh release stress
	@scripts/stress_page.py build/tests/reliability/stress $(STRESS)

fuzz: ## Fuzz scenes, mesh files, pickups and impacts with libFuzzer; FUZZ_SECONDS=60 each
	@scripts/setup.sh test
	@scripts/fuzz.sh

determinism: ## The same bytes from gcc and clang, with and without AVX and FMA, on arm64, as WebAssembly
	@scripts/setup.sh determinism
	@scripts/determinism.sh

lint: ## Check the format, clang-tidy and cppcheck (scripts/lint.sh --changed: changed files only)
	@scripts/setup.sh lint
	@scripts/lint.sh

format: ## Let clang-format lay out every C file
	@scripts/setup.sh lint
	@scripts/lint.sh --format

docs: ## Build the documentation site in build/site (mkdocs, doxygen, KaTeX; no network)
	@scripts/setup.sh docs
	@scripts/docs.py

gallery: build ## Draw docs/gallery.md anew
	@scripts/gallery.py

golden: build ## Write the results of the built-in scenes to tests/golden anew
	@scripts/golden.py

validation: build ## Compute docs/validation.md anew
	@scripts/validation.py

.PHONY: python
python: ## Build the Python package into the environment build/python (docs/python.md)
	@scripts/setup.sh python
	@scripts/build.sh release carom_plot
	@scripts/python.sh build build/python
	@echo "Try: build/python/bin/python -c 'import carom; print(carom.run(\"cradle\")[\"outcome\"])'"

.PHONY: web test-web
web: ## Build the playground, a static site in build/web
	@scripts/setup.sh web
	@scripts/web.sh

test-web: ## Build the playground and test it in Chromium
	@scripts/setup.sh browser
	@scripts/web.sh
	@scripts/test_web.sh

install: build ## Install under PREFIX=/usr/local (DESTDIR is honoured)
	@cmake --install build --prefix "$(PREFIX)"

uninstall: ## Remove what the last make install put there
	@cmake -D MANIFEST=build/install_manifest.txt -P cmake/uninstall.cmake

package: build ## Make a Debian package in build/packages
	@cd build && cpack --config CPackConfig.cmake

cross: ## Build the core and the command for Windows (mingw-w64), run them if wine is there
	@scripts/setup.sh cross
	@scripts/jansson_source.sh build/jansson
	@scripts/cross_windows.sh

clean: ## Remove build/
	@rm -rf build

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
