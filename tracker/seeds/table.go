package seeds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"track"
	"track/answer"
	"track/answer/param"
	"track/internal/dataset"
	"track/store"
)

// OpenTable begins to write the rows of a configuration, by its hash.
type OpenTable func(columns []dataset.Column, configuration string) (dataset.Writer, error)

// ExportTable writes the seeds of a scenario as rows: one for each seed and metric, for each seed, or for each value of
// a series. Rows of one configuration follow each other, by the number of the seed. It asks open for the writer of each
// configuration, which may be the same, and closes none. The answer lacks the files.
func ExportTable(ctx context.Context, r *store.Reader, q answer.TableQuestion, open OpenTable) (a answer.TableExported, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		a, err = exportTable(ctx, r, q, open)
		return err
	})
	return a, err
}

func exportTable(ctx context.Context, r *store.Reader, q answer.TableQuestion, open OpenTable) (a answer.TableExported, err error) {
	choice, err := Choose(ctx, r, q.Of, true)
	if err != nil {
		return a, err
	}
	t := &tableExport{ctx: ctx, store: r, question: q, params: tableParams(choice.Configurations)}
	t.answer = answer.TableExported{Scenario: choice.Scenario}
	if q.Series && q.Wide {
		return a, &param.Error{Param: "wide", Message: "series have no wide form: one row for each seed has no place for them"}
	}
	if !q.Series {
		judged, err := t.findSpec()
		if err == nil && q.Wide {
			err = t.findMetrics(judged, choice.Configurations)
		}
		if err != nil {
			return a, err
		}
	}
	columns := t.columns()
	for _, c := range choice.Configurations {
		if t.out, err = open(columns, c.Hash); err != nil {
			return a, err
		}
		if err := t.writeConfiguration(c); err != nil {
			return a, err
		}
	}
	if t.answer.NSeeds == 0 {
		return a, fmt.Errorf("seeds %s of %s: %w", track.SeedRanges(q.Seeds), q.Of, track.ErrNotFound)
	}
	return t.answer, nil
}

// tableExport writes the rows of one configuration after the other.
type tableExport struct {
	ctx      context.Context
	store    *store.Reader
	question answer.TableQuestion
	specID   int64 // 0 for none
	params   []tableParam
	wide     *wideTable // nil for a row for each metric
	out      dataset.Writer
	answer   answer.TableExported
	head     []dataset.Cell // what all rows of the configuration have
	row      []dataset.Cell
}

// findSpec finds the spec whose results are exported, and returns the names of its metrics. A scenario may have none.
func (t *tableExport) findSpec() (metrics []string, err error) {
	stored, decoded, err := LoadSpec(t.ctx, t.store, t.question.Of.Scenario, t.question.SpecVersion)
	if t.question.SpecVersion == 0 && errors.Is(err, track.ErrNotFound) {
		return nil, nil
	}
	t.specID, t.answer.SpecVersion = stored.ID, stored.Version
	for _, m := range decoded.Metrics {
		metrics = append(metrics, m.Name)
	}
	return metrics, err
}

// columns returns the columns of the table. In a folder of partitions, the configuration is in the name of the folder.
func (t *tableExport) columns() []dataset.Column {
	list := []dataset.Column{{Name: "scenario"}}
	if !t.question.Partition {
		list = append(list, dataset.Column{Name: "configuration"})
	}
	list = append(list, dataset.Column{Name: "label"}, dataset.Column{Name: "revision"}, dataset.Column{Name: "commit"},
		dataset.Column{Name: "dirty", Type: dataset.Flag}, dataset.Column{Name: "diff_hash"}, dataset.Column{Name: "files_hash"})
	for _, p := range t.params {
		list = append(list, dataset.Column{Name: "param." + p.name, Type: p.kind})
	}
	list = append(list, dataset.Column{Name: "seed", Type: dataset.Count}, dataset.Column{Name: "outcome"})
	if t.question.Series {
		return append(list, dataset.Column{Name: "series"}, dataset.Column{Name: "t", Type: dataset.Count}, dataset.Column{Name: "value", Type: dataset.Number})
	}
	list = append(list, dataset.Column{Name: "recorded_at", Type: dataset.Time}, dataset.Column{Name: "spec_version", Type: dataset.Count},
		dataset.Column{Name: "total_score", Type: dataset.Number})
	if t.wide != nil {
		return append(list, t.wide.columns()...)
	}
	return append(list, dataset.Column{Name: "metric"}, dataset.Column{Name: "value", Type: dataset.Number},
		dataset.Column{Name: "status"}, dataset.Column{Name: "score", Type: dataset.Number})
}

// dirtyCell is empty if the state of the code is unknown.
func dirtyCell(r track.Revision) dataset.Cell {
	if r.Unknown != "" {
		return dataset.Cell{}
	}
	return dataset.NewFlag(r.Dirty)
}

func (t *tableExport) writeConfiguration(c store.Configuration) error {
	t.head = append(t.head[:0], dataset.NewText(t.answer.Scenario))
	if !t.question.Partition {
		t.head = append(t.head, dataset.NewText(c.Hash))
	}
	t.head = append(t.head, dataset.NewText(c.Label), dataset.NewText(c.Revision.String()), dataset.NewText(c.Revision.Commit),
		dirtyCell(c.Revision), dataset.NewText(c.Revision.DiffHash), dataset.NewText(c.Revision.FilesHash))
	values := decodeParams(c.Params)
	for _, p := range t.params {
		t.head = append(t.head, p.cell(values[p.name]))
	}
	t.answer.NConfigurations++
	if t.question.Series {
		return t.writeSeries(t.selection(c))
	}
	return t.store.VisitMeasured(t.ctx, t.selection(c), t.writeSeed)
}

func (t *tableExport) selection(c store.Configuration) store.Selection {
	return store.Selection{Scenario: t.answer.Scenario, Configurations: []int64{c.ID}, SpecID: t.specID, Seeds: t.question.Seeds}
}

// writeSeed writes the row of a seed, or a row for each of its metrics; one without a metric if it has none.
func (t *tableExport) writeSeed(s *store.MeasuredSeed) error {
	t.answer.NSeeds++
	if t.specID != 0 && s.Outcome == track.OutcomeOK && !s.Assessed {
		t.answer.NUnassessed++
	}
	version, total := dataset.Cell{}, dataset.Cell{}
	if s.Assessed {
		version = dataset.NewCount(uint64(t.answer.SpecVersion))
	}
	if !math.IsNaN(s.TotalScore) {
		total = dataset.NewNumber(s.TotalScore)
	}
	t.row = append(t.row[:0], t.head...)
	t.row = append(t.row, dataset.NewCount(uint64(s.Number)), dataset.NewText(string(s.Outcome)), dataset.NewTime(s.RecordedAt), version, total)
	if t.wide != nil {
		return t.write(append(t.row, t.wide.cells(s.Metrics)...))
	}
	metrics := s.Metrics
	if len(metrics) == 0 {
		metrics = []store.MeasuredMetric{{Score: math.NaN()}}
	}
	n := len(t.row)
	for _, m := range metrics {
		value, score := dataset.Cell{}, dataset.Cell{}
		if m.HasValue {
			value = dataset.NewNumber(m.Value)
		}
		if !math.IsNaN(m.Score) {
			score = dataset.NewNumber(m.Score)
		}
		if err := t.write(append(t.row[:n], dataset.NewText(m.Name), value, dataset.NewText(string(m.Status)), score)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tableExport) write(row []dataset.Cell) error {
	t.row = row // which may have grown
	t.answer.NRows++
	return t.out.Write(row)
}

// writeSeries writes a row for each value of each series of the seeds of a selection.
func (t *tableExport) writeSeries(sel store.Selection) error {
	return t.store.VisitMeasured(t.ctx, sel, func(s *store.MeasuredSeed) error {
		infos, err := t.store.Series(t.ctx, s.ULID)
		if err != nil {
			return err
		}
		t.answer.NSeeds++
		for _, info := range infos {
			if !info.PrunedAt.IsZero() {
				t.answer.NPruned++
				continue
			}
			values, err := decodeSeries(t.ctx, t.store, s.ULID, info)
			if err != nil {
				return err
			}
			t.row = append(append(t.row[:0], t.head...), dataset.NewCount(uint64(s.Number)), dataset.NewText(string(s.Outcome)), dataset.NewText(info.Name))
			n := len(t.row)
			for at, x := range values {
				if err := t.write(append(t.row[:n], dataset.NewCount(uint64(at)), dataset.NewNumber(x))); err != nil {
					return err
				}
			}
		}
		return t.ctx.Err()
	})
}

// tableParam is a parameter of some configuration, at the top level of its parameters.
type tableParam struct {
	name string
	kind dataset.Type
}

// tableParams returns the parameters of configurations by name. One that is always a number, or always true or false,
// has that type. All others are texts: lists and objects as JSON.
func tableParams(configurations []store.Configuration) (list []tableParam) {
	kinds := map[string]dataset.Type{}
	for _, c := range configurations {
		for name, value := range decodeParams(c.Params) {
			kind := kindOf(value)
			if before, known := kinds[name]; known && before != kind {
				kind = dataset.Text
			}
			kinds[name] = kind
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		list = append(list, tableParam{name, kinds[name]})
	}
	return list
}

// decodeParams returns the parameters by name, as JSON; without those that are null.
func decodeParams(params track.Params) map[string]json.RawMessage {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(params.JSON(), &values) // what is recorded is a JSON object
	maps.DeleteFunc(values, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return values
}

func kindOf(value json.RawMessage) dataset.Type {
	switch value[0] {
	case 't', 'f':
		return dataset.Flag
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if x, err := strconv.ParseFloat(string(value), 64); err == nil && !math.IsInf(x, 0) {
			return dataset.Number // recorded numbers are exact in float64
		}
	}
	return dataset.Text
}

// cell returns a parameter as a cell; nil is none.
func (p tableParam) cell(value json.RawMessage) dataset.Cell {
	if value == nil {
		return dataset.Cell{}
	}
	switch p.kind {
	case dataset.Number:
		x, _ := strconv.ParseFloat(string(value), 64) // see kindOf
		return dataset.NewNumber(x)
	case dataset.Flag:
		return dataset.NewFlag(value[0] == 't')
	}
	text := ""
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	return dataset.Cell{IsSet: true, Text: text}
}

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
