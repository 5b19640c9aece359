package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"track"
	"track/answer"
	"track/internal/keptfiles"
	"track/scoring/format"
	"track/sweep"
)

// keptFiles returns the files to keep with a seed. A file that is named must exist; a pattern that nothing matches is a
// notice.
func (p *program) keptFiles(o recordSeedOptions) ([]track.Artifact, error) {
	rules := keptfiles.Rules{Patterns: o.keepFiles.Value(), Largest: o.largestFile, RefuseName: p.refuseName}
	for _, pattern := range rules.Patterns {
		if err := keptfiles.CheckPattern(pattern); err != nil {
			return nil, usage("--keep-file %v", err)
		}
	}
	if err := keptfiles.CheckLargest(rules.Largest); err != nil {
		return nil, usage("--max-file-size %v", err)
	}
	kept, err := rules.Find(".")
	if err != nil {
		return nil, err
	}
	for _, pattern := range kept.Unmatched {
		if !strings.ContainsAny(pattern, "*?[") {
			return nil, fmt.Errorf("--keep-file %s: %w", pattern, track.ErrNotFound)
		}
		p.notice("no file matches --keep-file %s", pattern)
	}
	if kept.NUnnamed > 0 {
		p.notice("%s not kept, because of their names or their number", format.Counted(kept.NUnnamed, "file"))
	}
	return kept.Artifacts, nil
}

// refuseName returns why a name of a file must not be recorded.
func (p *program) refuseName(name string) error {
	if problem := p.texts().Name("artifacts", name); problem != nil {
		return problem
	}
	return nil
}

// keptTally counts what was found of the files to keep of the runs of a sweep.
type keptTally struct {
	mu       sync.Mutex
	missed   map[string]int // runs by the pattern that nothing matched
	leftOut  int
	nUnnamed int
}

// tallyKept makes a runner tell a tally of the files that it keeps.
func (p *program) tallyKept(r *sweep.Runner) *keptTally {
	t := &keptTally{missed: map[string]int{}}
	r.KeepFiles.RefuseName = p.refuseName
	r.Kept = func(k keptfiles.Kept) {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, pattern := range k.Unmatched {
			t.missed[pattern]++
		}
		for _, a := range k.Artifacts {
			if a.LeftOut != "" {
				t.leftOut++
			}
		}
		t.nUnnamed += k.NUnnamed
	}
	return t
}

// addTo adds the tally to what became of a sweep.
func (t *keptTally) addTo(a *answer.SweepResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a.NFilesLeftOut, a.NFilesUnnamed = t.leftOut, t.nUnnamed
	for _, pattern := range slices.Sorted(maps.Keys(t.missed)) {
		a.MissedFiles = append(a.MissedFiles, answer.MissedFile{Pattern: pattern, NRuns: t.missed[pattern]})
	}
}
