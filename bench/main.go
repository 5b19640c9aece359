// Command bench measures track against the programs and the driver it stands on, and prints what it measured as
// Markdown. All figures of a table are taken in one run, in turns; read the ratios, not the milliseconds.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run: the program under test, the data, and a folder to work in.
type bench struct {
	ctx     context.Context
	track   string
	example string // folder of the example data
	dir     string
	largest int // seeds in the largest database
	rounds  int
	// seriesDir is a folder of series as CSV.
	seriesDir string
	// transcript is the size of the large transcript, in MiB.
	transcript int
	load       time.Duration // of a server
	pageSeeds  int           // in the database for pages
	mutations  int           // of its lineage
	database   string        // for pages, that is kept; empty for none
}

func run() error {
	debug.SetGCPercent(400) // as track itself does
	b := bench{ctx: context.Background()}
	flag.StringVar(&b.track, "track", "bin/track", "the program to measure")
	flag.StringVar(&b.example, "examples", "examples/bam", "folder of the example data")
	flag.IntVar(&b.largest, "largest", 1_000_000, "seeds, or executions, in the largest database; about 3 kB each on disk")
	flag.StringVar(&b.seriesDir, "series", "../shared/data/bam/series/growth_plus", "folder of series seed_0000.csv")
	flag.IntVar(&b.rounds, "rounds", 5, "rounds of each measurement")
	flag.IntVar(&b.transcript, "transcript", 200, "MiB of the large transcript that is imported")
	flag.DurationVar(&b.load, "for", time.Hour, "how long a server is under load, for -only serve-load")
	flag.IntVar(&b.pageSeeds, "page-seeds", 100_000, "seeds in the database for pages; the figures of the documents have 1000000")
	flag.IntVar(&b.mutations, "page-mutations", 1000, "mutations in the database for pages; the figures of the documents have 10000")
	flag.StringVar(&b.database, "page-database", "", "keep the database for pages in this file, and use it again")
	only := flag.String("only", "", "one of memory, import, cold, hook, size, series, growth, one, executions, ledger, sweep, batch, merge, compare, postgres, serve, and alone: serve-requests, serve-load, pages")
	large := flag.Bool("ten-million", false, "measure a database of 10⁷ seeds and nothing else: half an hour, 5 GB on disk")
	bare := flag.String("bare", "", "serve as a bare handler, for the measurement of a server")
	flag.Parse()
	if *bare != "" {
		return runBare(b.ctx, *bare)
	}
	dir, err := os.MkdirTemp("", "track-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b.dir = dir
	if b.track, err = b.install(b.track); err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d processors, GOMAXPROCS %d\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.GOMAXPROCS(0))
	// Linux counts what a process had before it became another program: memory comes first, while this one is small.
	parts := []struct {
		name    string
		measure func() error
		isAlone bool // measured only if it is named
	}{
		{"memory", b.memory, false}, {"import", b.imports, false}, {"cold", b.cold, false}, {"hook", b.hook, false}, {"size", b.size, false}, {"series", b.series, false}, {"growth", b.growth, false},
		{"one", b.oneConfiguration, false}, {"executions", b.executions, false}, {"ledger", b.ledger, false}, {"sweep", b.sweep, false}, {"batch", b.batch, false}, {"merge", b.merge, false},
		{"compare", b.compare, false}, {"postgres", b.postgres, false}, {"serve", b.serve, false}, {"serve-requests", b.serveRequests, true}, {"serve-load", b.serveLoad, true}, {"pages", b.pages, true},
	}
	if *large {
		return b.large()
	}
	for _, part := range parts {
		if *only != part.name && (*only != "" || part.isAlone) {
			continue
		}
		if err := part.measure(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// timings are the durations of one thing, measured again and again.
type timings []time.Duration

func (t timings) median() time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[len(sorted)/2]
}

// percentile returns the duration that so many percent do not exceed.
func (t timings) percentile(percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

func (t timings) String() string {
	return fmt.Sprintf("%.2f ms", milliseconds(t.median()))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ratio(a, b timings) string {
	return fmt.Sprintf("%.2f", float64(a.median())/float64(b.median()))
}

func heading(title string, columns ...string) {
	fmt.Printf("\n## %s\n\n| %s |\n|%s\n", title, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

func row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = fmt.Sprint(cell)
	}
	fmt.Printf("| %s |\n", strings.Join(texts, " | "))
}
