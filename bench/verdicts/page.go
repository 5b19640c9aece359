package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
)

// page prints one section.
type page struct {
	w       io.Writer
	runs    int // repetitions for each figure
	section string
}

func (p *page) text(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// table prints the head of a table: columns whose name ends in "|" are text, the others numbers.
func (p *page) table(columns ...string) {
	p.text("")
	rule := make([]string, len(columns))
	for i, c := range columns {
		if rule[i] = "---:"; strings.HasSuffix(c, "|") {
			columns[i], rule[i] = strings.TrimSuffix(c, "|"), "---"
		}
	}
	p.row(columns...)
	p.row(rule...)
}

func (p *page) row(cells ...string) { p.text("| %s |", strings.Join(cells, " | ")) }

// chunks are the streams of random numbers of one figure. Their number is fixed, so that figures do not depend on the
// number of processors.
const chunks = 8

// count says in how many of the repetitions event happens. The figure's name, which is unlike any other in the
// section, chooses the random numbers: adding a figure leaves the others as they are. Event is called by several
// goroutines.
func (p *page) count(figure string, runs int, event func(*rand.Rand) bool) int {
	counts := make([]int, chunks)
	p.each(figure, runs, func(chunk int, r *rand.Rand) {
		if event(r) {
			counts[chunk]++
		}
	})
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}

// share is count as a share of the repetitions.
func (p *page) share(figure string, runs int, event func(*rand.Rand) bool) float64 {
	return float64(p.count(figure, runs, event)) / float64(runs)
}

// shares are those of two events in the same repetitions.
func (p *page) shares(figure string, runs int, events func(*rand.Rand) (bool, bool)) (share [2]float64) {
	var counts [chunks][2]int
	p.each(figure, runs, func(chunk int, r *rand.Rand) {
		first, second := events(r)
		counts[chunk][0] += oneIf(first)
		counts[chunk][1] += oneIf(second)
	})
	for _, c := range counts {
		share[0], share[1] = share[0]+float64(c[0])/float64(runs), share[1]+float64(c[1])/float64(runs)
	}
	return share
}

// rootOf is the square root of a number of repetitions.
func rootOf(runs int) float64 { return math.Sqrt(float64(runs)) }

// each repeats something; the chunk, below [chunks], says which of the goroutines it runs in.
func (p *page) each(figure string, runs int, repeat func(chunk int, r *rand.Rand)) {
	name := fnv.New64a()
	io.WriteString(name, p.section+"/"+figure)
	var done sync.WaitGroup
	for chunk := range chunks {
		done.Go(func() {
			r := rand.New(rand.NewPCG(name.Sum64(), uint64(chunk)))
			for k := chunk; k < runs; k += chunks {
				repeat(chunk, r)
			}
		})
	}
	done.Wait()
}

// percent prints a share with one decimal.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
