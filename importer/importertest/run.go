package importertest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track"
	"track/importer"
)

// RealRuns returns the folder of the real runs of evolvers. Where it is missing, the test is skipped.
func RealRuns(t testing.TB) string {
	t.Helper()
	return realFolder(t, "evolution")
}

// Failing is what a check needs of a test, of package testing or of a property.
type Failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

// CheckRun holds a run against what every reader of runs promises.
func CheckRun(t Failing, run importer.Run) {
	t.Helper()
	there, earlier, lost := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range run.Programs {
		if track.CheckName(p.ID) != nil || there[p.ID] {
			t.Fatalf("program %q: no name, or there twice", p.ID)
		}
		there[p.ID] = true
	}
	for _, p := range run.Programs {
		checkProgram(t, p)
		for i, id := range p.Parents {
			if id == p.ID || slices.Contains(p.Parents[:i], id) || there[id] && !earlier[id] {
				t.Fatalf("program %q: parent %q is itself, there twice, or comes later", p.ID, id)
			}
			lost[id] = lost[id] || !there[id]
		}
		earlier[p.ID] = true
	}
	maps.DeleteFunc(lost, func(_ string, is bool) bool { return !is })
	if want := slices.Sorted(maps.Keys(lost)); !slices.Equal(want, run.Lost) || slices.ContainsFunc(run.Lost, func(id string) bool { return there[id] }) {
		t.Fatalf("lost %q, want %q", run.Lost, want)
	}
	for _, s := range run.Skips {
		if s.File == "" || s.Reason == "" || len(s.Reason) > 1000 {
			t.Fatalf("a skip that says nothing, or too much: %+v", s)
		}
	}
}

func checkProgram(t Failing, p importer.Program) {
	t.Helper()
	if (p.Score == nil) == (p.Failed == "") || p.Partial != nil && p.Failed == "" {
		t.Fatalf("program %q: score %v, partial %v, failed %q", p.ID, p.Score, p.Partial, p.Failed)
	}
	for _, number := range append(slices.Collect(maps.Values(p.Metrics)), deref(p.Score), deref(p.Partial)) {
		if math.IsNaN(number) || math.IsInf(number, 0) {
			t.Fatalf("program %q: a number that is none", p.ID)
		}
	}
	for _, text := range append(slices.Collect(maps.Keys(p.Metrics)), cmp.Or(p.Title, "-"), cmp.Or(p.Message, "-"), cmp.Or(p.Operator, "-")) {
		if err := track.CheckName(text); err != nil {
			t.Fatalf("program %q: %q %v", p.ID, text, err)
		}
	}
	if strings.ContainsAny(p.Operator, " \t") || p.File == "" {
		t.Fatalf("program %q: operator %q, file %q, %d bytes of code", p.ID, p.Operator, p.File, len(p.Content))
	}
}

func deref(number *float64) float64 {
	if number == nil {
		return 0
	}
	return *number
}

// RenderRun writes a run as text, for people and for comparing.
func RenderRun(run importer.Run) string {
	var b strings.Builder
	for _, p := range run.Programs {
		renderProgram(&b, p)
		if m, found := run.Minibatches[p.ID]; found {
			fmt.Fprintf(&b, " %s\n", batch(&m))
		}
	}
	fmt.Fprintf(&b, "run: %d programs, lost %q\n", len(run.Programs), run.Lost)
	fmt.Fprintf(&b, "  left_out %d checkpoints %d repeated %d differing %d ambiguous %d picked %d second_unknown %d\n",
		run.LeftOut, run.Checkpoints, run.Repeated, run.Differing, run.Ambiguous, run.Picked, run.SecondUnknown)
	for _, r := range run.Rejected {
		fmt.Fprintf(&b, "rejected %s parents %q by %q iteration %d%s %q\n", r.ID, r.Parents, r.Operator, r.Iteration, batch(r.Minibatch), r.Feedback)
	}
	for _, s := range run.Skips {
		fmt.Fprintf(&b, "skip %s\n", s)
	}
	return b.String()
}

func renderProgram(b *strings.Builder, p importer.Program) {
	fmt.Fprintf(b, "program %s parents %q", p.ID, p.Parents)
	fmt.Fprintf(b, " by %q %q\n", p.Operator, p.Title)
	fmt.Fprintf(b, "  made%s%s at %s best %v in %s:%d content %q\n", value(" generation ", p.Generation), value(" iteration ", p.Iteration), stamp(p.At), p.Best, filepath.Base(p.File), p.Line, p.Content)
	fmt.Fprintf(b, " %s failed %q%s %q", value(" score ", p.Score), p.Failed, value(" partial ", p.Partial), p.Message)
	for _, name := range slices.Sorted(maps.Keys(p.Metrics)) {
		fmt.Fprintf(b, " %s=%v", name, p.Metrics[name])
	}
	b.WriteString("\n")
	for _, t := range p.Trials {
		fmt.Fprintf(b, "  trial %s%s\n", t.Task, value(" score ", t.Score))
	}
	if p.Island != nil || p.Cell != "" || p.Feedback != "" || p.Digest != "" {
		fmt.Fprintf(b, " %s cell %q digest %q feedback %q\n", value(" island ", p.Island), p.Cell, p.Digest, p.Feedback)
	}
}

func batch(b *importer.Minibatch) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf(" minibatch %q before %v after %v", b.Tasks, b.Before, b.After)
}

// GoldenRun is [Golden] of a run.
func GoldenRun(t *testing.T, run importer.Run, file string) {
	t.Helper()
	golden(t, RenderRun(run), file)
}
