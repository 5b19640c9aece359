package seeds_test

import (
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/seeds"
)

// Configurations that differ in the revision of the code, and in labels that change with it, are one thing at different
// times: the newest is meant, also if no revision is recorded. Labels at one revision are different things.
func TestChooseRevision(t *testing.T) {
	at := func(commit string) track.Revision { return track.Revision{Commit: commit} }
	files := func(hash string) track.Revision { return track.Revision{FilesHash: hash} }
	const params = `{"theta":1}`
	for _, tt := range []struct {
		name           string
		configurations []track.Configuration
		selector       string
		want           int // position
		revisions      int
		says           string // of the error
	}{
		{"revisions", []track.Configuration{{Revision: at("aaaa")}, {Revision: at("bbbb")}}, "s", 1, 1, ""},
		{"labels with revisions", []track.Configuration{{Label: "v1", Revision: at("aaaa")}, {Label: "v2", Revision: at("bbbb")}}, "s", 1, 1, ""},
		{"labels with files", []track.Configuration{{Label: "v1", Revision: files("aaaa")}, {Label: "v2", Revision: files("bbbb")}}, "s", 1, 1, ""},
		{"labels at one revision", []track.Configuration{{Label: "a", Revision: at("aaaa")}, {Label: "b", Revision: at("aaaa")}}, "s", 0, 0, "different labels at one revision of the code"},
		{"one without a label", []track.Configuration{{Revision: at("aaaa")}, {Label: "b", Revision: at("aaaa")}}, "s", 0, 0, "different labels at one revision of the code"},
		{"no revision", []track.Configuration{{Label: "a"}, {Label: "b"}}, "s", 1, 1, ""},
		{"parameters", []track.Configuration{{Revision: at("aaaa"), Params: params}, {Revision: at("bbbb")}}, "s", 0, 0, "differ in their parameters"},
		{"named parameters", []track.Configuration{{Revision: at("aaaa"), Params: params}, {Revision: at("bbbb"), Params: params}, {Revision: at("bbbb")}}, "s@theta=1", 1, 1, ""},
		{"a parameter with a comma", []track.Configuration{{Params: `{"grid":"1,2","theta":1}`}, {Params: `{"grid":"1","theta":1}`}}, `s@grid=1\,2,theta=1`, 0, 0, ""},
		{"a list as a parameter", []track.Configuration{{Params: `{"grid":[1,2]}`}, {Params: `{"grid":[1]}`}}, `s@grid=[1\,2]`, 0, 0, ""},
		{"a commit", []track.Configuration{{Revision: at("aaaa")}, {Revision: at("bbbb")}}, "s@aaaa", 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := testdb.New(t)
			for i, c := range tt.configurations {
				seed := trackertest.Seed("s", track.SeedNumber(i), map[string]float64{"a": 1})
				seed.Configuration = c
				trackertest.Record(t, st, seeds.Options{}, seed)
			}
			sel, err := answer.ParseSelector(tt.selector)
			if err != nil {
				t.Fatal(err)
			}
			choice, err := seeds.Choose(t.Context(), st.Reader, sel, false)
			if tt.says != "" {
				trackertest.WantError(t, err, track.ErrAmbiguous)
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%v does not say %q", err, tt.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := choice.Configurations[0].Configuration.Hash(), tt.configurations[tt.want].Hash(); got != want || choice.NRevisions != tt.revisions {
				t.Errorf("chose %s among %d other revisions, want %s among %d", got, choice.NRevisions, want, tt.revisions)
			}
		})
	}
}
