package sweeps_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"track"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/sweep"
	"track/tracker/sweeps"
)

// tally is a journal that counts.
type tally struct{ seeds []track.Seed }

func (*tally) AddSweep(track.Sweep) error { return nil }

func (j *tally) AddSeeds(list []track.Seed) error {
	j.seeds = append(j.seeds, list...)
	return nil
}

func planOf(t *testing.T, revision track.Revision) sweep.Plan {
	t.Helper()
	plan := sweepPlan(t, 4)
	plan.Revision = revision
	return plan
}

// A sweep of code whose state is unknown is one configuration, which no sweep resumes.
func TestUnknownStateIsNotResumed(t *testing.T) {
	st, m := testdb.New(t), newSimulator(noisy)
	var journal tally
	inDatabase := func(o sweeps.Options) (n int, err error) {
		o.Jobs = 1
		result, err := sweeps.NewSweeper(st, rand.Reader, m.run, o, sweeps.Observer{}).Sweep(t.Context(), nil)
		return result.NRan, err
	}
	inJournal := func(o sweeps.Options) (n int, err error) {
		o.Jobs, o.Texts = 1, st.Texts()
		s, err := sweeps.NewJournalSweeper(&journal, journal.seeds, st.Now, rand.Reader, m.run, o, sweeps.Observer{})
		if err != nil {
			return 0, err
		}
		result, err := s.Sweep(t.Context(), nil)
		return result.NRan, err
	}
	for name, run := range map[string]func(sweeps.Options) (int, error){"database": inDatabase, "journal": inJournal} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				what     string
				revision track.Revision
				ran      int // 0 if the sweep is refused
			}{
				{"recorded without a revision", track.Revision{}, 4},
				{"an unknown state", track.Revision{Commit: "a", Unknown: "1"}, 4},
				{"the same unknown state", track.Revision{Commit: "a", Unknown: "1"}, 0},
				{"another unknown state of the commit", track.Revision{Commit: "a", Unknown: "2"}, 0},
				{"an unknown state of an unknown commit", track.Revision{Unknown: "3"}, 0},
				{"the commit", track.Revision{Commit: "a"}, 4},
				{"another commit", track.Revision{Commit: "b"}, 4},
				{"an unknown state of it", track.Revision{Commit: "b", Unknown: "4"}, 0},
				{"an unknown state of a new commit", track.Revision{Commit: "c", Unknown: "5"}, 4},
			} {
				n, err := run(sweeps.Options{Plan: planOf(t, c.revision)})
				if c.ran > 0 && (err != nil || n != c.ran) || c.ran == 0 && (n != 0 || !errors.Is(err, track.ErrConflict) || !strings.Contains(err.Error(), "the state of the code is unknown")) {
					t.Errorf("%s: %d ran, error %v, want %d", c.what, n, err, c.ran)
				}
			}
		})
	}
	if n, err := inDatabase(sweeps.Options{Plan: planOf(t, track.Revision{Commit: "a", Unknown: "6"}), Rerun: true}); err != nil || n != 4 {
		t.Errorf("with --rerun: %d ran, error %v, want 4", n, err)
	}
}

// If git cannot tell at the end whether the code has changed, it may have.
func TestCodeMayHaveChanged(t *testing.T) {
	st, m := testdb.New(t), newSimulator(noisy)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	var notices []string
	options := sweeps.Options{Plan: planOf(t, track.Revision{Commit: "a"}), Jobs: 1, CodeChanged: func() (bool, error) { return false, errors.New("git hangs") }}
	observer := sweeps.Observer{Notice: func(text string) { notices = append(notices, text) }}
	if _, err := sweeps.NewSweeper(st, rand.Reader, m.run, options, observer).Sweep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(notices, "\n"); !strings.Contains(text, "the code may have changed") || !strings.Contains(text, "git hangs") {
		t.Errorf("notices: %s", text)
	}
	if c := coverage(t, st, upTo(4)); c.NCodeChanged != 1 {
		t.Errorf("%d sweeps whose code may have changed, want 1", c.NCodeChanged)
	}
}

// A plan needs to know whether two codes are the same.
func TestUnknownStateIsNeverTheSame(t *testing.T) {
	unknown, known := track.Revision{Commit: "a", Unknown: "1"}, track.Revision{Commit: "a"}
	for _, pair := range [][2]track.Revision{{unknown, known}, {known, unknown}, {unknown, unknown}} {
		if err := sweeps.CheckRevision(planOf(t, pair[0]), pair[1]); !errors.Is(err, track.ErrConflict) {
			t.Errorf("a plan for %s runs with %s: error %v", pair[0], pair[1], err)
		}
	}
}
