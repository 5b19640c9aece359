package ask_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/access"
	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/internal/sample"
	"track/internal/testdb"
	"track/remote"
	"track/server"
	"track/store"
)

// TestServerAnswersAlike asks every question that reads of a database and of a server on it: both answer with the
// same bytes.
func TestServerAnswersAlike(t *testing.T) {
	st, names := sample.New(t)
	local, remote := ask.Source{Store: st}, newServer(t, st)
	for _, q := range ask.All() {
		if q.Scope != access.Read {
			continue
		}
		asked, listed := sample.Questions()[q.Name]
		if !listed {
			t.Errorf("%s: no sample; add one", q.Name)
		}
		for _, in := range asked {
			t.Run(q.Name+" "+in, func(t *testing.T) {
				params, err := url.ParseQuery(names.Replace(in))
				if err != nil {
					t.Fatal(err)
				}
				want, err := q.Ask(t.Context(), local, params)
				if err != nil {
					t.Fatal(err)
				}
				got, err := q.Ask(t.Context(), remote, params)
				if err != nil {
					t.Fatal(err)
				}
				compareFaces(t, want, got)
			})
		}
	}
}

// TestServerWritesAlike asks for each report and each picture of a database and of a server on it: both write the same
// bytes.
func TestServerWritesAlike(t *testing.T) {
	st, names := sample.New(t)
	local, remote := ask.Source{Store: st}, newServer(t, st)
	asked := map[string]string{
		"report stability": "scenario=growth_plus", "report improvement": "candidate=growth_plus&baseline=growth_plus@theta-14", "report scenario": "scenario=growth_plus&limit=2",
		"report params": "scenario=grid&metric=m", "report lineage": "lineage=l", "report index": "limit=3",
		"history": "scenario=growth_plus", "lineage history": "lineage=l", "params": "scenario=grid&heatmap=theta,rule",
	}
	written := 0
	for _, q := range slices.Concat(ask.All(), ask.Reports()) {
		in, listed := asked[q.Name]
		for _, media := range q.Media {
			if !listed {
				break
			}
			params, err := url.ParseQuery(names.Replace(in))
			if err != nil {
				t.Fatal(err)
			}
			var want, got bytes.Buffer
			if err := q.WriteAs(t.Context(), local, params, media, &want); err != nil {
				t.Fatalf("%s: %v", q.Name, err)
			}
			if err := q.WriteAs(t.Context(), remote, params, media, &got); err != nil {
				t.Fatalf("%s: %v", q.Name, err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) || want.Len() < 500 {
				t.Errorf("%s as %s: %d bytes, not %d", q.Name, media, got.Len(), want.Len())
			}
			written++
		}
	}
	const wanted = 2*6 + 3 // six reports in two forms, and three pictures
	if written != wanted {
		t.Errorf("%d reports and pictures were written, not %d", written, wanted)
	}
}

// TestServerRefusesAlike asks what cannot be answered: the error of a server reads alike, is of the same kind and has
// the same hints.
func TestServerRefusesAlike(t *testing.T) {
	st, _ := sample.New(t)
	local, remote := ask.Source{Store: st}, newServer(t, st)
	for _, test := range []struct{ question, params string }{
		{"stability", ""}, {"stability", "scenario=nosuch"}, {"stability", "scenario=growth_plus@nosuch"}, {"stability", "scenario=growth_plus&seeds=x"},
		{"stability", "nosuch=1"}, {"show seed", "scenario=growth_plus&seed=999"}, {"query", "sql=DROP+TABLE+seed"}, {"seeds", "after=nosuch"}, {"executions", "after=nosuch"}, {"sweep list", "after=nosuch"}, {"mutation list", "lineage=l&after=nosuch"},
		{"show execution", "id=nosuch"}, {"rollback", "lineage=l&to=v999"}, {"mutation decide", "mutation=nosuch"}, {"lineage new", "lineage=l&seed=7"},
		{"lineage set", "lineage=l&setting=policy=nosuch"}, {"seeds-needed", "scenario=growth_plus&effect=7"}, {"noise", "scenario=nosuch"},
	} {
		t.Run(test.question+" "+test.params, func(t *testing.T) {
			params, err := url.ParseQuery(test.params)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(ask.All(), func(q ask.Question) bool { return q.Name == test.question })
			_, want := ask.All()[i].Ask(t.Context(), local, params)
			_, got := ask.All()[i].Ask(t.Context(), remote, params)
			if want == nil || got == nil || got.Error() != want.Error() {
				t.Fatalf("refuses with %v, not %v", got, want)
			}
			if diff := cmp.Diff(answer.ProblemOf(want), answer.ProblemOf(got)); diff != "" {
				t.Errorf("(-database +server):\n%s", diff)
			}
			for _, kind := range []error{track.ErrNotFound, track.ErrInvalid, track.ErrConflict, track.ErrAmbiguous, track.ErrDatabase, track.ErrDiffers} {
				if errors.Is(got, kind) && !errors.Is(want, kind) {
					t.Errorf("%v is %v, only from the server", got, kind)
				}
			}
		})
	}
}

// TestParametersReachServers sets every parameter to anything that it takes: a server receives the same.
func TestParametersReachServers(t *testing.T) {
	texts := []string{
		"0", "1", "7", "0.5", "-1", "true", "false", "a", "a@b", "3..5", "2026-01-02", "2026-01-02T03:04:05Z", "24h", "", "aa", `{"a":1}`, "mean",
	}
	// reaches sets the kth parameter of each question to its nth text, and reports whether any question has so many.
	reaches := func(k, n int) (any bool) {
		received := ask.All()
		for i, q := range ask.All() {
			if k >= len(q.Params) {
				continue
			}
			p := q.Params[k]
			list := append(slices.Clone(texts), p.Enum...)
			if n >= len(list) {
				continue
			}
			any = true
			text, sent, received := list[n], q.Params, received[i].Params
			want, _ := sent.Find(p.Name)
			if p.Local || want.Set(text) != nil {
				continue
			}
			values, err := sent.Encode()
			if err == nil {
				err = received.Set(values)
			}
			if wrong := new(param.Error); err != nil && (!errors.As(err, &wrong) || wrong.Message != "missing" || wrong.Param == p.Name) {
				t.Errorf("%s --%s %s: sent %v: %v", q.Name, p.Name, text, values, err)
			}
			if got, _ := received.Find(p.Name); got.Value.String() != want.Value.String() {
				t.Errorf("%s --%s %s: a server gets %q, not %q", q.Name, p.Name, text, got.Value.String(), want.Value.String())
			}
		}
		return any
	}
	for k := 0; reaches(k, 0); k++ {
		for n := 1; reaches(k, n); n++ {
		}
	}
}

// TestQuestionsNameNoFace holds that a question reads alike for people at a command line, in a page and in a schema.
func TestQuestionsNameNoFace(t *testing.T) {
	face := regexp.MustCompile(`--|[Ee]xit code|exits |FILE|standard input|\btrack [a-z]`)
	for _, q := range slices.Concat(ask.All(), ask.Reports(), ask.Exports()) {
		texts := map[string]string{"help": q.Help, "about": q.About}
		for _, p := range q.Params {
			if !p.Local {
				texts["parameter "+p.Name] = p.Help
			}
		}
		for where, text := range texts {
			if found := face.FindString(text); found != "" {
				t.Errorf("%s, %s: %q belongs to the command line: %s", q.Name, where, found, text)
			}
		}
	}
}

// newServer returns a source that asks a server on the database.
func newServer(t *testing.T, st *store.Store) ask.Source {
	t.Helper()
	path := st.Path()
	served := server.New(server.Config{
		Open: func(ctx context.Context) (*store.Store, error) { return store.OpenForUpdate(ctx, path, testdb.Clock) },
		Now:  testdb.Clock, Log: slog.New(slog.DiscardHandler), NoAuth: true,
	})
	listening := httptest.NewServer(served.Handler())
	t.Cleanup(func() {
		listening.Close()
		if err := served.Close(); err != nil {
			t.Error(err)
		}
	})
	client, err := remote.New(listening.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	return client.Source()
}
