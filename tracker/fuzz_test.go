package tracker_test

import (
	"errors"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/importer/lines"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/seeds"
)

// Whatever a line of a batch can say comes back from the database as it was: bits of numbers, times to the microsecond.
func FuzzRecordLine(f *testing.F) {
	for _, line := range []string{
		`{"kind":"seed","scenario":"s","seed":"18446744073709551615","values":{"a":-0,"b":"NaN","c":"-Infinity","d":5e-324,"é":0.1}}`,
		`{"kind":"seed","scenario":"s","seed":7,"outcome":"error","message":"a\u0000\nb","environment":{"":"x","host":"n\u00e9"}}`,
		`{"kind":"seed","scenario":"t","seed":7,"values":{"a":1},"configuration":{"label":"v","params":{"b":[1.50,{}],"a":null},"commit":"c","dirty":true,"diff_hash":"d"}}`,
		`{"kind":"seed","scenario":"s","seed":7,"values":{"a":1},"started_at":"0001-01-01T00:00:00.0000005Z","duration_s":1.0000005}`,
		`{"kind":"seed","scenario":"s","seed":7,"values":{"a":1},"started_at":"9999-12-31T23:59:59.999999999-23:59","duration_s":3153600000}`,
	} {
		f.Add([]byte(line))
	}
	st := testdb.New(f)
	trackertest.AddSpec(f, st, trackertest.Ranges("s", [2]float64{0, 1}))
	same := cmp.Options{
		cmp.Comparer(func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		}),
		cmp.Comparer(func(a, b time.Time) bool { return a.UnixMicro() == b.UnixMicro() }),
		cmpopts.EquateEmpty(), cmpopts.IgnoreFields(track.Seed{}, "ID", "RecordedAt"),
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		want, problem := lines.ParseSeed(line)
		if problem != nil || len(want.Series) > 0 {
			return
		}
		r, err := trackertest.NewRecorder(st, seeds.Options{Replace: true}).Record(t.Context(), want)
		var refused *track.FieldError
		if errors.As(err, &refused) && refused.Field != "" { // a name with a secret in it, or that cannot be seen
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Disposition == track.Duplicate || !utf8.Valid(line) {
			return
		}
		d := trackertest.Find(t, st, want.Scenario, want.Number)
		got := track.Seed{
			Scenario: d.Scenario, Number: d.Number, Configuration: d.Configuration.Configuration, Outcome: d.Outcome, Message: d.Message,
			Values: d.Values, Environment: d.Environment, StartedAt: d.StartedAt, Duration: d.Duration,
		}
		if diff := cmp.Diff(want, got, same...); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if got.Digest() != want.Digest() || d.Configuration.Hash != want.Configuration.Hash() {
			t.Fatal("it is another seed by now")
		}
	})
}
