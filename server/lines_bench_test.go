package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"track/access"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/server"
	"track/store"
	"track/tracker/tokens"
)

// BenchmarkRecordLines measures one seed by request, of 16 clients at the same time, without the network.
func BenchmarkRecordLines(b *testing.B) {
	for _, nValues := range []int{15, 66} {
		b.Run(fmt.Sprintf("values=%d", nValues), func(b *testing.B) { benchmarkLines(b, nValues) })
	}
}

func benchmarkLines(b *testing.B, nValues int) {
	st := testdb.New(b)
	spec := scoring.Spec{Scenario: "growth"}
	var values []string
	for i := range nValues {
		name := fmt.Sprintf("metric_%d", i)
		spec.Metrics = append(spec.Metrics, scoring.Metric{Name: name, Weight: 1, Target: scoring.Range{Min: 0, Max: 50}, Format: scoring.FormatDefault})
		values = append(values, fmt.Sprintf("%q:%d.125", name, i))
	}
	trackertest.AddSpec(b, st, spec)
	added, err := tokens.Add(b.Context(), st, answer.AddTokenQuestion{Grant: access.Grant{Name: "bench", Scopes: []access.Scope{access.Record}}})
	if err != nil {
		b.Fatal(err)
	}
	served := server.New(server.Config{
		Open: func(ctx context.Context) (*store.Store, error) {
			return store.OpenForUpdate(ctx, st.Path(), testdb.Clock)
		},
		Now: testdb.Clock, Log: slog.New(slog.DiscardHandler), Version: "bench",
	})
	b.Cleanup(func() { _ = served.Close() })
	line := `{"kind":"seed","scenario":"growth","seed":"%d","values":{` + strings.Join(values, ",") + `},"configuration":{"label":"c","commit":"303e61f"}}` + "\n"
	var number atomic.Int64
	b.SetParallelism(8) // times GOMAXPROCS
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://localhost"+server.LinesPath, strings.NewReader(fmt.Sprintf(line, number.Add(1))))
			r.Header.Set("Authorization", "Bearer "+string(added.Secret))
			w := httptest.NewRecorder()
			if served.Handler().ServeHTTP(w, r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"recorded":1`) {
				b.Error(w.Code, w.Body)
				return
			}
		}
	})
}
