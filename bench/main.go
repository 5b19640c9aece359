// Command bench measures what a user of track waits for, and prints it as Markdown. It runs the built program and plain
// SQL, and knows nothing of how track stores its records. With -base, it measures another build of track in turns with
// the first, so that both meet the same load.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run: the programs under test, the data, and a folder to work in.
type bench struct {
	ctx      context.Context
	programs []program
	example  string // folder of the example data
	dir      string
	rounds   int
	largest  int // seeds in the largest database
}

// program is a build of track, with a folder for its databases.
type program struct{ name, path, dir string }

func (p program) file(name string) string { return filepath.Join(p.dir, name) }

func run(ctx context.Context) error {
	b := bench{ctx: ctx}
	track := flag.String("track", "bin/track", "the program to measure")
	base := flag.String("base", "", "another build, to measure in turns with it")
	flag.StringVar(&b.example, "examples", "examples/bam", "folder of the example data")
	flag.IntVar(&b.rounds, "rounds", 5, "rounds of each measurement")
	flag.IntVar(&b.largest, "largest", 100_000, "seeds in the largest database; up to 3 kB each on disk")
	only := flag.String("only", "", "measure this part alone: cold, batch, stability, growth, pages, merge or serve")
	bare := flag.Bool("bare", false, "copy the database of the first argument into the second with the bare driver, and print how long it took")
	flag.Parse()
	if *bare {
		return printBare(ctx, flag.Arg(0), flag.Arg(1))
	}
	dir, err := os.MkdirTemp("", "track-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b.dir = dir
	for name, path := range map[string]string{"track": *track, "base": *base} {
		if path == "" {
			continue
		}
		p := program{name: name, path: path, dir: filepath.Join(dir, name)}
		if p.path, err = filepath.Abs(path); err != nil {
			return err
		}
		if err := os.Mkdir(p.dir, 0o700); err != nil {
			return err
		}
		b.programs = append(b.programs, p)
	}
	slices.SortFunc(b.programs, func(a, b program) int { return strings.Compare(a.name, b.name) })
	return b.measure(*only)
}

// measure prints the parts, or the only one.
func (b bench) measure(only string) error {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown") // not Linux
	}
	fmt.Printf("%s, %s/%s, %d processors, load %s\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.TrimSpace(string(load)))
	found := false
	for _, part := range []struct {
		name    string
		measure func() error
	}{{"cold", b.cold}, {"batch", b.batch}, {"stability", b.stability}, {"growth", b.growth}, {"pages", b.pages}, {"merge", b.merge}, {"serve", b.serve}} {
		if only != "" && only != part.name {
			continue
		}
		found = true
		if err := part.measure(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	if !found {
		return fmt.Errorf("no part %q", only)
	}
	return nil
}
