# track: build, test, measure. Everything that is needed beyond Go, git and make is installed by these targets.

GO      ?= go
# One setting for programs and tests, so that the compiled SQLite is shared; only the race detector needs cgo.
export CGO_ENABLED = 0
TAGS    := urfave_cli_no_docs
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
TOOLS   := $(GO) tool -modfile=tools/go.mod
# go test -fuzz takes one target at a time.
# A number of inputs, not a time: at the end of a time Go 1.26 fails now and then with "context deadline exceeded" (go.dev/issue/75804).
FUZZTIME ?= 4000x

.PHONY: build test check race fuzz bench sim-policies demo clean

build: ## the program, as it is released: static, without cgo
	$(GO) build -tags $(TAGS) -ldflags '-s -w -X main.version=$(VERSION)' -o bin/track ./cmd/track

test: check ## everything
	$(GO) test -tags $(TAGS) ./...
	$(MAKE) race fuzz

check: ## format, vet, staticcheck, tidy
	@test -z "$$(gofmt -l .)" || { gofmt -d . ; echo "gofmt: run gofmt -w ."; exit 1; }
	$(GO) vet -tags $(TAGS) ./...
	$(TOOLS) staticcheck -tags $(TAGS) ./...
	$(GO) mod tidy -diff

race: ## the packages that do things at once, under the race detector
	CGO_ENABLED=1 $(GO) test -race -tags $(TAGS) . ./batch ./tracker ./store/... ./provenance

fuzz: ## every fuzz target for FUZZTIME
	@set -e; for package in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -tags $(TAGS) -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "fuzz $$package $$target $(FUZZTIME)"; \
	    $(GO) test -tags $(TAGS) -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 50x $$package; \
	  done; \
	done

bench: build ## ratios against sqlite3 and the bare driver, growth, size; takes several minutes
	$(GO) run -tags $(TAGS) ./bench -track bin/track

sim-policies: ## what the policies gain and let through, simulated: docs/policies.md; takes a few minutes
	$(GO) run -tags $(TAGS) ./bench/policies > docs/policies.md.new
	mv docs/policies.md.new docs/policies.md

demo: build ## real data in a fresh database: three stability tables
	@sh examples/bam/demo.sh bin/track

clean:
	rm -rf bin
