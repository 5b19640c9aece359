package reports

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"track/answer"
	"track/evolution"
	"track/reports/document"
)

// Lineage returns the report of a lineage: what is active and why, what speaks against it, and every decision with
// what it takes to check it.
func Lineage(data answer.LineageReport) (document.Document, error) {
	d, _, err := indexedLineageReport(data)
	return d, err
}

// indexedLineageReport returns the report of a lineage, and what an index shows of it.
func indexedLineageReport(data answer.LineageReport) (document.Document, IndexedLineage, error) {
	l, err := newLineageReport(data)
	if err != nil {
		return document.Document{}, IndexedLineage{}, err
	}
	d := document.Document{Title: "Lineage " + data.Name}
	for _, section := range []func() []document.Block{
		l.verdict, l.alerts, l.holdout, l.path, l.runSections, l.scores, l.pathTasks, l.ledger, l.refusedList, l.operators, l.steps, l.rollbackList, l.noise, l.costs, l.reproduce,
	} {
		d.Blocks = append(d.Blocks, section()...)
	}
	return d, l.indexed(), nil
}

// lineageReport is the data with what follows from it.
type lineageReport struct {
	answer.LineageReport
	replayed  evolution.Replayed
	mutations map[string]evolution.ReplayedMutation
	madeBy    map[string]*evolution.ReplayedMutation // by the version
	versions  map[string]answer.ReportedVersion
	decisions []lineageDecision
	last      map[string]lineageDecision   // on each mutation
	accepting map[string][]lineageDecision // that accepted a version
	rollbacks []lineageRollback
	turned    []time.Time // when they were, in the order of time
	root      string
	births    map[string]string // the mutations that made versions that imports chose; empty if none did
	differing map[int]bool      // numbers of entries that a replay found to differ
	missing   map[int]bool      // numbers of decisions whose evidence is not recorded here
}

type lineageDecision struct {
	evolution.Record
	entry evolution.Entry
}

type lineageRollback struct {
	evolution.Entry
	evolution.RollbackEvent
}

func newLineageReport(data answer.LineageReport) (*lineageReport, error) {
	l := &lineageReport{
		LineageReport: data, replayed: data.Replayed, madeBy: map[string]*evolution.ReplayedMutation{}, mutations: map[string]evolution.ReplayedMutation{},
		versions: map[string]answer.ReportedVersion{}, differing: map[int]bool{}, missing: map[int]bool{}, births: map[string]string{},
		last: map[string]lineageDecision{}, accepting: map[string][]lineageDecision{},
	}
	for i, m := range l.replayed.Mutations {
		l.mutations[m.Mutation] = m
		// Of several mutations that made one version, it is the one that activated it; else the first that was not
		// refused.
		if made := l.madeBy[m.Child.Label]; made == nil || made.State != evolution.MutationAccepted && m.State == evolution.MutationAccepted ||
			made.State == evolution.MutationRefused && m.State != evolution.MutationRefused {
			l.madeBy[m.Child.Label] = &l.replayed.Mutations[i]
		}
	}
	l.Versions = withFailures(data.Versions, data.Settings)
	for _, v := range l.Versions {
		l.versions[v.Label] = v
	}
	for _, d := range data.Differences {
		l.differing[d.Number] = true
	}
	for _, d := range data.Missing {
		l.missing[d.Number] = true
	}
	for _, e := range data.Entries {
		if err := l.entry(e); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(l.turned, time.Time.Compare)
	return l, nil
}

// withFailures returns versions in which failed trials have the score that they count as.
func withFailures(versions []answer.ReportedVersion, settings evolution.Settings) []answer.ReportedVersion {
	var all [][]evolution.Trial
	for _, v := range versions {
		all = append(all, v.Trials, v.Holdout)
	}
	worst := settings.Failures.Worst(settings.Scale, all...)
	list := slices.Clone(versions)
	for i, v := range list {
		list[i].Trials, list[i].Holdout = evolution.WithFailures(v.Trials, worst), evolution.WithFailures(v.Holdout, worst)
	}
	return list
}

func (l *lineageReport) entry(e evolution.Entry) error {
	switch e.Kind {
	case evolution.KindCreation:
		var c evolution.Creation
		if err := e.Decode(&c); err != nil {
			return err
		}
		if c.Root != nil {
			l.root, l.births[c.Root.Label] = c.Root.Label, c.RootMutation
		}
	case evolution.KindAdoption:
		var a evolution.Adoption
		if err := e.Decode(&a); err != nil {
			return err
		}
		l.births[a.Version.Label] = a.VersionMutation
	case evolution.KindDecision:
		var r evolution.Record
		if err := e.Decode(&r); err != nil {
			return err
		}
		d := lineageDecision{r, e}
		l.decisions, l.last[r.Mutation] = append(l.decisions, d), d
		if m := l.mutations[r.Mutation]; r.Decision.Accepted {
			l.accepting[m.Child.Label] = append(l.accepting[m.Child.Label], d)
		}
	case evolution.KindRollback:
		var r evolution.RollbackEvent
		if err := e.Decode(&r); err != nil {
			return err
		}
		l.rollbacks, l.turned = append(l.rollbacks, lineageRollback{e, r}), append(l.turned, e.At)
	}
	return nil
}

// word returns a monospaced span: a name, an id, a command.
func word(text string) document.Span { return document.Span{Text: text, Style: document.Monospace} }

func plain(format string, args ...any) document.Span {
	return document.Span{Text: fmt.Sprintf(format, args...)}
}

func strong(format string, args ...any) document.Span {
	return document.Span{Text: fmt.Sprintf(format, args...), Style: document.Strong}
}

func paragraph(spans ...document.Span) document.Paragraph {
	return document.Paragraph{Text: spans}
}

// cell returns a cell of plain text.
func cell(format string, args ...any) document.Text { return document.T(fmt.Sprintf(format, args...)) }

// codeCell returns a cell of a name.
func codeCell(text string) document.Text {
	if text == "" {
		return document.T("-")
	}
	return document.Text{word(text)}
}

func (l *lineageReport) numbers() answer.Numbers { return answer.Numbers{Scale: l.Settings.Scale} }

// number writes a score, or a number of points without a sign.
func (l *lineageReport) number(x float64) string { return l.numbers().Score(x) }

// points writes a score.
func (l *lineageReport) points(x *float64) string {
	if x == nil {
		return "-"
	}
	return l.number(*x)
}

// change writes a gain with its sign.
func (l *lineageReport) change(gain float64) string { return l.numbers().Gain(gain) }

// gainOver returns what one score gains over another.
func (l *lineageReport) gainOver(score, other float64) float64 {
	return l.Settings.Scale.Gain(score) - l.Settings.Scale.Gain(other)
}

func (l *lineageReport) changeOf(x *float64) string {
	if x == nil {
		return "-"
	}
	return l.change(*x)
}

// share writes a share in percent.
func share(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + "%" }

// counted writes a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
