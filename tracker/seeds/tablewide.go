package seeds

import (
	"maps"
	"math"
	"slices"

	"track/internal/dataset"
	"track/store"
)

// wideTable has a row for each seed, and columns for each metric.
type wideTable struct {
	metrics []string       // those of the spec in its order, and then the others by name
	nJudged int            // so many of these are of the spec
	index   map[string]int // of metrics
}

// findMetrics reads which metrics the seeds of configurations have.
func (t *tableExport) findMetrics(judged []string, configurations []store.Configuration) error {
	w := &wideTable{metrics: judged, nJudged: len(judged), index: map[string]int{}}
	others := map[string]bool{}
	for i, name := range judged {
		w.index[name] = i
	}
	for _, c := range configurations {
		err := t.store.VisitMeasured(t.ctx, t.selection(c), func(s *store.MeasuredSeed) error {
			for _, m := range s.Metrics {
				if _, known := w.index[m.Name]; !known {
					others[m.Name] = true
				}
			}
			return t.ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		w.index[name] = len(w.metrics)
		w.metrics = append(w.metrics, name)
	}
	t.wide = w
	return nil
}

// columns returns the columns of the metrics: the values, and the statuses and scores of those that the spec judges.
func (w *wideTable) columns() (list []dataset.Column) {
	for _, name := range w.metrics {
		list = append(list, dataset.Column{Name: "value." + name, Type: dataset.Number})
	}
	for _, name := range w.metrics[:w.nJudged] {
		list = append(list, dataset.Column{Name: "score." + name, Type: dataset.Number})
	}
	for _, name := range w.metrics[:w.nJudged] {
		list = append(list, dataset.Column{Name: "status." + name})
	}
	return list
}

// cells returns the cells of these columns.
func (w *wideTable) cells(metrics []store.MeasuredMetric) []dataset.Cell {
	n := len(w.metrics)
	list := make([]dataset.Cell, n+2*w.nJudged)
	for _, m := range metrics {
		i := w.index[m.Name]
		if m.HasValue {
			list[i] = dataset.NewNumber(m.Value)
		}
		if i >= w.nJudged {
			continue
		}
		if !math.IsNaN(m.Score) {
			list[n+i] = dataset.NewNumber(m.Score)
		}
		list[n+w.nJudged+i] = dataset.NewText(string(m.Status))
	}
	return list
}
