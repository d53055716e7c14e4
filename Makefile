# The one way to do things. Every target makes its own environment first.
.DEFAULT_GOAL := help
PYTHON ?= python3.11
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
# By a line in a .pth: with a finder in its place, Python started beside a checkout called `lexbeam` would
# take the folder itself for the package.
EDITABLE := --no-build-isolation --config-settings editable_mode=compat --editable
# Of nine thousand modules a run imports two: these alone are compiled, by importing them, even where Python
# is told to keep nothing that it compiles.
IMPORTED := apache_beam.runners.portability.fn_api_runner, apache_beam.runners.worker.sdk_worker_main, \
	gensim.models, HanTa.HanoverTagger, spacy
unexport UV_COMPILE_BYTECODE
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install run test suite test-fast test-soak sanitize lint format notebook api fixture lock audit extra-sizes bench bench-scale flink-jar flink-up flink-down test-flink prism s3-server runners java-runners go-runners clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(UV):
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.lock

LOOPS := $(wildcard transforms/embeddings/_*.c transforms/embeddings/_*.h)
$(VENV)/.core: requirements/core.lock setup.py $(LOOPS) | $(UV)
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/core.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps $(EDITABLE) .
	@$(BIN)/python -c 'import logging; logging.disable(); import $(IMPORTED)'
	@touch $@

$(VENV)/.run: requirements/run.lock $(VENV)/.core
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/run.lock
	@touch $@

$(VENV)/.all: requirements/all.lock $(VENV)/.core
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/all.lock
	@touch $@

install: $(VENV)/.core ## make the environment with the core; EXTRAS=NAME,NAME adds extras to it
ifdef EXTRAS
	$(UV) pip install --quiet --python $(BIN)/python --constraint requirements/all.lock $(EDITABLE) '.[$(EXTRAS)]'
endif

run: $(VENV)/.run ## real speeches of two periods: words that differ, uses of one, and a report, into out/
	$(BIN)/lexbeam run examples/sotu/config.yaml --out out/results --overwrite --runner-config direct_multiprocess
	$(BIN)/lexbeam show out/results --word debt
	$(BIN)/lexbeam report out/results

# Types are checked beside the suite, whose first tests wait for processes. The stubs are there before either.
test: ## lint, types and the whole suite, with every extra
	$(MAKE) --jobs 2 lint suite

suite: api
	$(BIN)/python -m pytest

test-fast: $(VENV)/.all ## the tests that take seconds, with fewer examples each
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -m "not slow and not soak"

test-soak: $(VENV)/.all ## the sweeps of which `make test` has samples, before a release
	$(BIN)/python -m pytest -m soak

# A copy of Lexbeam below build/, its C compiled with checks: the first read or write outside of an array, overflow of
# a signed number or wrong shift ends the tests.
SANITIZED := build/sanitized
# Installing goes on without loops that do not compile, and tests skip them: whether they are there is asked first.
WITH_CHECKS = LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(SANITIZED)/lib $(BIN)/python -P
sanitize: $(VENV)/.all ## the tests of what is in C, compiled with checks of addresses and of undefined behaviour
	rm -rf $(SANITIZED)
	CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=all" \
		$(BIN)/python setup.py --quiet build --build-base $(SANITIZED)/temporary --build-lib $(SANITIZED)/lib
	$(WITH_CHECKS) -c "from lexbeam.transforms.embeddings import _glove, _sgns; \
		assert all('$(SANITIZED)' in loops.__file__ for loops in (_glove, _sgns))"
	$(WITH_CHECKS) -m pytest -n 0 -k "not gensim" tests/embeddings/test_trainers.py tests/embeddings/test_starts.py \
		tests/embeddings/test_counted_vectors.py

lint: $(VENV)/.all api ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.all ## put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

notebook: $(VENV)/.all ## run the notebooks of docs/first-steps anew, and write python.ipynb from its page
	$(BIN)/jupytext --quiet --to ipynb --update --set-kernel python3 docs/reference/python.md
	$(BIN)/python tests/notebooks.py

api: $(VENV)/.all ## write the types of the Python interface, as installing does
	$(BIN)/python -m lexbeam._stubs

fixture: $(VENV)/.all ## folders as this release makes them, which later ones are to read and refresh
	$(BIN)/python tests/releases/release_folders.py

LOCK := $(UV) pip compile --quiet --generate-hashes --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
	--custom-compile-command "make lock" --upgrade setup.py

# In an environment of the core alone, as most have it: spaCy imports torch wherever it finds it.
# What needs extras is left out there, and measured where they are.
bench: $(VENV)/.all ## the benchmarks: tables, out/bench.json and out/bench-extras.json
	$(MAKE) VENV=$(VENV)-core $(VENV)-core/.core
	$(VENV)-core/bin/python -m benchmarks core --json out/bench.json
	$(BIN)/python -m benchmarks extras --json out/bench-extras.json

PART ?= tokens
SIZES ?= small
bench-scale: $(VENV)/.all ## how cost grows: PART=tokens|files|refresh|gather|merging|memory|cut|cluster|intake|nights, SIZES=small|full; PART=page; PART=sequences
ifeq ($(PART),sequences)
	$(BIN)/python -m pytest -m soak tests/integration/test_refresh_steps.py
else
	$(BIN)/python -m benchmarks.scale $(PART) --sizes $(SIZES)
endif

lock: | $(UV) ## renew the locked versions
	$(LOCK) -o requirements/core.lock
	$(LOCK) --extra report --extra frequency -c requirements/core.lock -o requirements/run.lock
	$(LOCK) --extra all --extra dev -c requirements/run.lock -o requirements/all.lock

extra-sizes: $(VENV)/.all ## what each extra adds to the core, in MB
	$(BIN)/python .ci/extra_sizes.py

# No server is asked: the folder may be a checkout of PyPA's advisory database, or what OSV gives for PyPI.
audit: $(VENV)/.core ## known faults of the locked packages, by a folder of advisories: ADVISORIES=DIR
	$(BIN)/python .ci/audit.py requirements "$(ADVISORIES)"

# The runners' programs are of the locked Beam version, the job server of one that Maven can get.
BEAM_VERSION := $(shell sed -n 's/^apache-beam==\([^ ]*\).*/\1/p' requirements/core.lock)

build/flink/job-server.jar: runner_configs/flink/pom.xml
	mvn --quiet --batch-mode --file $< package

# Prism's job server takes jobs from whoever reaches it, and would listen on every interface: it is
# built from a copy of its source where it listens on this machine's own alone.
source_of = $(shell go mod download -json $(1) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
BEAM_GO = $(call source_of,github.com/apache/beam/sdks/v2@v$(BEAM_VERSION))
PRISM_SERVER := go/pkg/beam/runners/prism/internal/jobservices/server.go
OPEN := Sprintf(":%d", port)
CLOSED := Sprintf("localhost:%d", port)

build/prism/prism: requirements/core.lock
	rm -rf build/prism && mkdir -p build/prism
	cp -r $(BEAM_GO) build/prism/source && chmod -R u+w build/prism/source
	grep -qF '$(OPEN)' build/prism/source/$(PRISM_SERVER)
	sed -i 's/$(OPEN)/$(CLOSED)/' build/prism/source/$(PRISM_SERVER)
	cd build/prism/source && go build -o ../prism ./go/cmd/prism
	rm -rf build/prism/source

# Its schema of a FlinkDeployment, to check deploy/kubernetes/overlays/flink/flink.yaml.
build/flink/operator-api.jar:
	mvn --quiet --batch-mode dependency:copy -Dartifact=org.apache.flink:flink-kubernetes-operator-api:1.10.0 \
		-DoutputDirectory=build/flink -Dmdep.stripVersion=true
	mv build/flink/flink-kubernetes-operator-api.jar $@

# Beam's boot program, by which runners start Python workers.
build/flink/boot: requirements/core.lock
	mkdir -p build/flink
	go build -C "$(BEAM_GO)" -o "$(CURDIR)/$@" ./python/container

flink-jar: build/flink/job-server.jar ## the embedded Flink (needs Java 11 or later, and Maven)

CLUSTER := $(BIN)/python -m lexbeam.pipelines.runners.flink_cluster
CLUSTER_FOLDER := build/flink/cluster
flink-up: $(VENV)/.core build/flink/job-server.jar build/flink/boot ## test equipment: a Flink cluster on this machine (needs Java, Maven, Go)
	$(CLUSTER) up --folder $(CLUSTER_FOLDER) --jar build/flink/job-server.jar

flink-down: $(VENV)/.core ## test equipment: end that cluster, and leave nothing of it
	$(CLUSTER) down --folder $(CLUSTER_FOLDER)

test-flink: $(VENV)/.all build/flink/job-server.jar build/flink/boot ## the tests on such a cluster, with every kill
	$(BIN)/python -m pytest -n 0 -m "soak or not soak" -k cluster tests/pipelines/runners tests/integration

prism: build/prism/prism ## test equipment: Beam's portable runner (needs Go)

# The server of S3 that tests use: its writes can be conditional, as those of S3 are. Its command `test` is
# left out, with which a fifth more is to be compiled.
build/s3/versitygw:
	rm -rf build/s3 && mkdir -p build/s3
	cp -r $(call source_of,github.com/versity/versitygw@v1.8.0) build/s3/source && chmod -R u+w build/s3/source
	rm build/s3/source/cmd/versitygw/test.go
	sed -i '/testCommand(),/d' build/s3/source/cmd/versitygw/main.go
	cd build/s3/source && go build -o ../versitygw ./cmd/versitygw
	rm -rf build/s3/source

# Its keys are no secret: it listens on this machine alone. A folder in its own is a bucket.
S3_PORT ?= 7070
S3_FOLDER ?= build/s3/served
s3-server: build/s3/versitygw ## test equipment: a server of S3 on this machine, until Ctrl-C (needs Go)
	@mkdir -p $(S3_FOLDER)/bucket
	@echo "S3 on this machine alone, with the bucket s3://bucket in $(S3_FOLDER)/bucket. Ctrl-C ends it. In another shell:"
	@echo "  export AWS_ENDPOINT_URL=http://127.0.0.1:$(S3_PORT) AWS_REGION=us-east-1"
	@echo "  export AWS_ACCESS_KEY_ID=lexbeam AWS_SECRET_ACCESS_KEY=not-a-secret"
	@ROOT_ACCESS_KEY=lexbeam ROOT_SECRET_KEY=not-a-secret exec \
		build/s3/versitygw --quiet --port 127.0.0.1:$(S3_PORT) posix $(S3_FOLDER)

runners: java-runners go-runners ## what tests run on: all of these, each where its tools are there

# One after the other: two Mavens would fetch the same files into one place.
java-runners:
	@if command -v java >/dev/null && command -v mvn >/dev/null; then $(MAKE) --jobs 1 flink-jar build/flink/operator-api.jar; \
	else echo "no Java or no Maven: flink_local and flink_cluster will not be tested"; fi

go-runners:
	@if command -v go >/dev/null; then $(MAKE) prism build/s3/versitygw build/flink/boot; \
	else echo "no Go: prism, flink_cluster and S3 will not be tested"; fi

clean: ## remove what make made
	rm -rf $(VENV) $(VENV)-core out build *.egg-info
