package answer

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
)

// SubjectQuestion asks for the report of one configuration.
type SubjectQuestion struct {
	Of    Selector
	Spec  int // version; 0 for the newest
	Seeds []track.SeedRange
}

func (q *SubjectQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "report on the seeds of this scenario"), specParam(&q.Spec, "judge under this `VERSION` of the spec"), seedsParam(&q.Seeds)}
}

// ScenarioReportQuestion asks for the report of a scenario.
type ScenarioReportQuestion struct {
	Of    Selector
	Spec  int // version; 0 for the newest
	Limit int // the newest so many configurations in the history
}

func (q *ScenarioReportQuestion) Params() param.List {
	q.Limit = 20
	return param.List{
		scenarioParam(&q.Of, "report on this scenario"),
		specParam(&q.Spec, "judge under this `VERSION` of the spec"),
		{Name: "limit", Unit: "N", Help: "show the newest `N` configurations in the history", Value: param.Whole(&q.Limit, 1)},
	}
}

// ParamsReportQuestion asks for the report on the parameters of a scenario, which has all pictures.
type ParamsReportQuestion struct{ ParamsQuestion }

func (q *ParamsReportQuestion) Params() param.List {
	return slices.DeleteFunc(q.ParamsQuestion.Params(), func(p param.Param) bool { return slices.Contains([]string{"plot", "by", "heatmap"}, p.Name) })
}

// IndexQuestion asks for the index of all reports.
type IndexQuestion struct {
	Limit int // the newest so many configurations of each scenario
}

func (q *IndexQuestion) Params() param.List {
	q.Limit = 20
	return param.List{{Name: "limit", Unit: "N", Help: "report on the newest `N` configurations of each scenario", Value: param.Whole(&q.Limit, 1)}}
}

// Provenance says where the numbers about one configuration, or about the two of a comparison, come from.
type Provenance struct {
	Spec   ScenarioSpec     `json:"spec"`
	Sides  []ProvenanceSide `json:"sides"`
	Schema int              `json:"schema"` // version of the database's schema
}

// ProvenanceSide is one side of a [Provenance].
type ProvenanceSide struct {
	Role string `json:"role,omitempty"` // candidate or baseline; empty if there is only one
	Side
	Seeds  []track.SeedNumber `json:"seeds"`
	SHA256 string             `json:"sha256"` // of the seeds: their numbers and what each measured, in hexadecimal
	Runs   track.Runs         `json:"runs"`
	Drifts []MetricDrift      `json:"drifts"` // means over series that still drift after their skip
}

func (a Provenance) Lead() (lead []Sentence) {
	for _, side := range a.Sides {
		of := ""
		if len(a.Sides) > 1 {
			of = " of " + side.Name()
		}
		for _, drift := range side.Drifts {
			lead = append(lead, Sentence{Kind: Warning, Text: fmt.Sprintf("%s (%s)", drift.Text(of), strings.Join(drift.Metrics, ", "))})
		}
	}
	return lead
}

func (a Provenance) Tables() []Table {
	t := Table{Name: "provenance", Columns: Columns{{Name: "fact", Head: " "}}}
	var names []string // of the facts, in their order
	facts := map[string][]any{}
	for i, side := range a.Sides {
		t.Columns = append(t.Columns, Column{Name: cmp.Or(side.Role, "configuration"), Head: cmp.Or(side.Role, " "), Wrap: true})
		for _, f := range side.facts() {
			if facts[f.name] == nil {
				names, facts[f.name] = append(names, f.name), make([]any, len(a.Sides))
			}
			facts[f.name][i] = f.text
		}
	}
	for _, name := range names {
		t.Rows = append(t.Rows, append([]any{name}, facts[name]...))
	}
	t.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("Judged under %s spec version %d, %s. Schema version %d.", a.Spec.Scenario, a.Spec.Version, a.Spec.Hash, a.Schema)}}
	return []Table{t}
}

type fact struct{ name, text string }

// facts returns what was run, where and when.
func (s ProvenanceSide) facts() (list []fact) {
	const notRecorded = "not recorded"
	add := func(name, text string) { list = append(list, fact{name, cmp.Or(text, notRecorded)}) }
	c := s.Configuration
	add("configuration", c.Hash)
	add("label", c.Label)
	add("commit", c.Revision.Commit)
	if c.Revision.Commit != "" || c.Revision.Unknown != "" {
		add("uncommitted changes", changesText(c.Revision))
	}
	for _, p := range s.Parameters() {
		add("parameter "+p.Name, Shorten(p.Value))
	}
	if c.Params == "" {
		add("parameters", "")
	}
	if len(s.Tags) > 0 {
		add("tags", s.TagText())
	}
	for i, n := range s.Notes {
		add(fmt.Sprintf("note %d", i+1), fmt.Sprintf("%s (%s)", n.Text, n.Signature()))
	}
	ranges := make([]track.SeedRange, len(s.Seeds))
	for i, n := range s.Seeds {
		ranges[i] = track.SeedRange{First: n, Last: n}
	}
	add("seeds", fmt.Sprintf("%d: %s", len(s.Seeds), Shorten(track.NewSeedRanges(ranges...).String())))
	add("SHA-256 of the seeds", s.SHA256)
	add("started", s.started())
	add("took", s.took())
	for i, use := range s.Runs.Sweeps {
		add(fmt.Sprintf("sweep %d", i+1), fmt.Sprintf("%s ran %s: %s", track.ShortID(use.ID), format.Counted(use.NSeeds, "seed"), commandText(use.Command)))
	}
	const most = 5
	for i, use := range s.Runs.Environments {
		if i == most {
			add("environments", fmt.Sprintf("and %d more", len(s.Runs.Environments)-most))
			break
		}
		var words []string
		for _, name := range slices.Sorted(maps.Keys(use.Environment)) {
			words = append(words, name+" "+use.Environment[name])
		}
		if text := strings.Join(words, ", "); text != "" {
			add(fmt.Sprintf("environment %d", i+1), fmt.Sprintf("%s (%s)", text, format.Counted(use.NSeeds, "seed")))
		}
	}
	return list
}

// changesText says whether the code differed from its commit.
func changesText(r track.Revision) string {
	switch {
	case r.Unknown != "":
		return "state of the code unknown"
	case !r.Dirty:
		return "none known"
	case r.DiffHash == "":
		return "yes, not recorded which"
	}
	return "yes, " + track.ShortHash(r.DiffHash)
}

func (s ProvenanceSide) started() string {
	if s.Runs.NStarted == 0 {
		return ""
	}
	text := s.Runs.First.UTC().Format(time.RFC3339)
	if !s.Runs.Last.Equal(s.Runs.First) {
		text += " to " + s.Runs.Last.UTC().Format(time.RFC3339)
	}
	return text + s.knownFor(s.Runs.NStarted)
}

func (s ProvenanceSide) took() string {
	if s.Runs.NTimed == 0 {
		return ""
	}
	mean := s.Runs.Duration / time.Duration(s.Runs.NTimed)
	return fmt.Sprintf("%v in total, %v per seed", s.Runs.Duration.Round(time.Millisecond), mean.Round(time.Millisecond)) + s.knownFor(s.Runs.NTimed)
}

func (s ProvenanceSide) knownFor(n int) string {
	if n == len(s.Seeds) {
		return ""
	}
	return " (known for " + format.CountedOf(n, len(s.Seeds), "seed") + ")"
}

// SeedStatuses is a seed with the status of each of its metrics.
type SeedStatuses struct {
	Number   track.SeedNumber       `json:"seed"`
	Outcome  track.Outcome          `json:"outcome"`
	Scored   bool                   `json:"scored"`
	Passed   bool                   `json:"passed"` // scored, and no metric failed
	Score    float64                `json:"total_score"`
	Statuses []scoring.PackedStatus `json:"statuses"` // in the order of the spec, empty if there is no value; nil if the seed failed
}

// SeedScores are the seeds of a configuration, by number.
type SeedScores struct {
	Seeds []SeedStatuses `json:"seeds"`
}

func (SeedScores) Lead() []Sentence { return nil }

// Tables implements [Answer]. The lowest score is first.
func (a SeedScores) Tables() []Table {
	t := Table{Name: "scores", Columns: columns("seed", "outcome", "score", "PASS", "WARN", "FAIL", "no value")}
	list := slices.Clone(a.Seeds)
	slices.SortStableFunc(list, func(x, y SeedStatuses) int { return cmp.Compare(x.Score, y.Score) }) // NaN is first
	for _, s := range list {
		var counts [4]int
		for _, status := range s.Statuses {
			counts[status]++
		}
		row := []any{s.Number.String(), string(s.Outcome), defined(s.Score)}
		for _, status := range []scoring.Status{scoring.Pass, scoring.Warn, scoring.Fail, ""} {
			row = append(row, counts[scoring.Pack(status)])
		}
		t.Rows = append(t.Rows, row)
	}
	return []Table{t}
}

// PairedScores are the total scores of the seeds that both sides of a comparison have, by number.
type PairedScores struct {
	Pairs []PairedScore `json:"pairs"`
}

// PairedScore is the total scores of one seed. A side that failed has no score, and counts as 0.
type PairedScore struct {
	Number          uint64  `json:"seed"`
	Baseline        float64 `json:"baseline"`
	Candidate       float64 `json:"candidate"`
	BaselineFailed  string  `json:"baseline_failed,omitempty"` // why it has no score
	CandidateFailed string  `json:"candidate_failed,omitempty"`
}

func (PairedScores) Lead() []Sentence { return nil }

func (a PairedScores) Tables() []Table {
	t := Table{Name: "pairs", Columns: columns("seed", "baseline", "candidate", "difference", "without a score").wrap("without a score")}
	for _, p := range a.Pairs {
		row, why := []any{p.Number, p.Baseline, p.Candidate, numberCell(p.Candidate-p.Baseline, format.Signed)}, ""
		if p.BaselineFailed != "" {
			row[1], why = nil, "baseline: "+Shorten(p.BaselineFailed)
		}
		if p.CandidateFailed != "" {
			row[2], why = nil, strings.TrimPrefix(why+"; candidate: "+Shorten(p.CandidateFailed), "; ")
		}
		t.Rows = append(t.Rows, append(row, why))
	}
	return []Table{t}
}

// ReportForm says how a report is written as files.
type ReportForm struct {
	File  string // the name that the report will have; empty for Markdown without pictures
	Check bool   // the files are compared with those that exist
}

func (f *ReportForm) Params() param.List {
	return param.List{
		{Name: "file", Unit: "NAME", Help: "the `NAME` that the report will have, such as report.md or report.html; Markdown shows pictures in the folder NAME_files without the suffix (default: Markdown, with pictures in words)", Value: param.Text(&f.File)},
		{Name: "check", Help: "record no interim analysis, because the files are compared with those that exist", Value: param.Switch(&f.Check)},
	}
}

// Validate returns a [param.Error] for a name that no report has.
func (f *ReportForm) Validate() error {
	const longest = 255
	suffix := path.Ext(f.File)
	switch {
	case f.File == "":
		return nil
	case len(f.File) > longest || strings.ContainsAny(f.File, "/\x00") || f.File == "." || f.File == "..":
		return &param.Error{Param: "file", Message: fmt.Sprintf("must be a name of at most %d bytes, without a folder", longest)}
	case suffix != ".md" && suffix != ".html":
		return &param.Error{Param: "file", Message: "must end in .md or .html"}
	}
	return nil
}

// ReportFiles says that the files of a report were written.
type ReportFiles struct {
	NFiles      int    `json:"n_files"`
	NotRecorded string `json:"not_recorded,omitempty"` // why this interim analysis is not recorded; empty if it is, or if there is none
}

func (a ReportFiles) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: "wrote " + format.Counted(a.NFiles, "file")}}
	if a.NotRecorded != "" {
		lead = append(lead, Sentence{Kind: Warning, Text: "this look is not recorded, so later ones will not count it: " + a.NotRecorded})
	}
	return lead
}

func (a ReportFiles) Tables() []Table { return nil }
