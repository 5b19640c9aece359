package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// SweepResult says what became of a sweep that was run.
type SweepResult struct {
	Kind           string            `json:"kind"` // sweep
	ID             string            `json:"id"`   // ULID
	Scenario       string            `json:"scenario"`
	Shard          int               `json:"shard,omitzero"`
	NShards        int               `json:"n_shards,omitzero"`
	Ending         track.SweepEnding `json:"ending"`
	NRan           int               `json:"n_ran"`
	NKnown         int               `json:"n_known"`                   // planned seeds that were recorded before
	NFailed        int               `json:"n_failed"`                  // of the seeds that ran
	NWithdrawn     int               `json:"n_withdrawn"`               // planned seeds that were withdrawn, and are not run again
	NRetried       int               `json:"n_retried"`                 // seeds that took more than one attempt
	NConflicts     int               `json:"n_conflicts"`               // seeds that another process recorded meanwhile, with other values
	NElsewhere     int               `json:"n_elsewhere"`               // seeds that another process was still running at the end
	NRepeated      int               `json:"n_repeated"`                // seeds that were run again
	NDiffering     int               `json:"n_differing"`               // repeated seeds that gave something else
	NFilesLeftOut  int               `json:"n_files_left_out,omitzero"` // files to keep whose contents were not recorded, such as large ones
	NFilesUnnamed  int               `json:"n_files_unnamed,omitzero"`  // files to keep that were not recorded, because of their names or their number
	MissedFiles    []MissedFile      `json:"missed_files,omitempty"`    // patterns of files to keep that nothing matched
	NUncompared    int               `json:"n_uncompared,omitzero"`     // seeds to be run again that were not compared, because the server was away
	WithoutSpec    bool              `json:"without_spec"`              // nothing was scored
	Unknown        []string          `json:"unknown"`                   // values that the spec does not know
	Lacking        []LackedMetric    `json:"lacking,omitempty"`         // metrics of the spec that no seed has that ran
	Suspicions     `json:",embed"`
	Configurations []SweptConfiguration `json:"configurations"`
	Halving        []HalvingRound       `json:"halving,omitempty"`
}

// LackedMetric is a metric of the spec that every seed lacks.
type LackedMetric struct {
	Metric string `json:"metric"`
	Near   string `json:"near,omitempty"` // what the seeds have in its place, probably
	NSeeds int    `json:"n_seeds"`        // that ran well
}

// MissedFile is a pattern of files to keep that nothing matched.
type MissedFile struct {
	Pattern string `json:"pattern"`
	NRuns   int    `json:"n_runs"` // that left no such file
}

// SweptConfiguration is a configuration with the seeds of a sweep.
type SweptConfiguration struct {
	PlannedConfiguration `json:",embed"` // the plan at the end

	NSeeds     int            `json:"n_seeds"`              // planned seeds that are recorded
	NFailed    int            `json:"n_failed"`             // of these
	NWithdrawn int            `json:"n_withdrawn,omitzero"` // planned seeds that were withdrawn
	NBeyond    int            `json:"n_beyond"`             // recorded seeds that were not needed: they were running when a rule ended the configuration
	NNotRun    int            `json:"n_not_run"`            // seeds of the plan that are not recorded
	Dropped    bool           `json:"dropped"`              // by halving
	Decision   *SweepDecision `json:"decision"`             // nil if no rule ended it
	LastLook   *SweepDecision `json:"last_look,omitempty"`  // what a rule that decided nothing found last
	Unjudged   bool           `json:"unjudged,omitzero"`    // the server was away when the rule was to be asked, until the end
}

// SweepDecision says what a rule to end a configuration early found.
type SweepDecision struct {
	N       int             `json:"n"` // of the planned seeds, the first so many
	Reason  string          `json:"reason"`
	Verdict scoring.Verdict `json:"verdict,omitempty"`
}

// HalvingRound is a round of successive halving, after which the best configurations continued.
type HalvingRound struct {
	Configurations int                   `json:"configurations"`
	Seeds          int                   `json:"seeds"`
	Ranked         []RankedConfiguration `json:"ranked"` // the best first
}

// RankedConfiguration is a configuration in a round of successive halving.
type RankedConfiguration struct {
	Hash      string  `json:"configuration"`
	MeanScore float64 `json:"score"` // of all its seeds of the round; one without a score counts as 0
	NSeeds    int     `json:"n_seeds"`
	NScored   int     `json:"n_scored"`
	Kept      bool    `json:"kept"`
}

func (a SweepResult) Lead() []Sentence {
	text := fmt.Sprintf("sweep %s of %s: %s; %s ran, %d failed, %d recorded before", track.ShortID(a.ID), a.Scenario, a.Ending, format.Counted(a.NRan, "seed"), a.NFailed, a.NKnown)
	if a.NWithdrawn > 0 {
		text += fmt.Sprintf("; %d withdrawn", a.NWithdrawn)
	}
	if a.NRepeated > 0 {
		text += fmt.Sprintf("; %d repeated, %d of them differ", a.NRepeated, a.NDiffering)
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a SweepResult) Tables() []Table {
	t := Table{Name: "configurations", Columns: columns("configuration", "label", "parameters", "planned", "recorded", "failed", "end").drop("label", "parameters").wrap("parameters", "end")}
	for _, c := range a.Configurations {
		t.Rows = append(t.Rows, []any{hashCell(c.Hash), c.Label, ParamsText(c.Params), c.NPlanned, c.NSeeds, c.NFailed, c.endText()})
	}
	return []Table{t}
}

func (c SweptConfiguration) endText() string {
	switch {
	case c.Decision != nil:
		text := fmt.Sprintf("after %d: %s", c.Decision.N, c.Decision.Reason)
		if c.NBeyond > 0 {
			text += fmt.Sprintf("; %d more are kept", c.NBeyond)
		}
		return text
	case c.Dropped:
		return fmt.Sprintf("dropped after %d", c.NPlanned)
	case c.LastLook != nil && (c.Unjudged || c.missing() == 0):
		return c.undecidedText()
	case c.missing() == 0 && c.NWithdrawn > 0:
		return fmt.Sprintf("finished, without %d withdrawn", c.NWithdrawn)
	case c.missing() == 0:
		return "finished"
	}
	if missing := c.missing(); missing > 1 {
		return fmt.Sprintf("%d seeds are missing", missing)
	}
	return "1 seed is missing"
}

// missing counts the planned seeds that a sweep would still run.
func (c SweptConfiguration) missing() int { return c.NPlanned - c.NSeeds - c.NWithdrawn }

// undecidedText says what a rule that decided nothing found last, and what was not run.
func (c SweptConfiguration) undecidedText() string {
	text := fmt.Sprintf("after %d: %s", c.LastLook.N, c.LastLook.Reason)
	if c.NNotRun > 0 && !c.Unjudged {
		text += fmt.Sprintf("; %s of the plan not run, because no look needs them", format.Counted(c.NNotRun, "seed"))
	}
	return text
}

func (a SweepResult) Conclusion() Conclusion {
	if a.hasFailed() || len(a.Lacking) > 0 {
		return Failed
	}
	if a.NUncompared > 0 || a.isUnjudged() {
		return Inconclusive
	}
	if a.NRan == 0 && a.NDiffering > 0 {
		return Differs
	}
	return Done
}

// isUnjudged reports whether the server was away when configurations were to be judged, until the end.
func (a SweepResult) isUnjudged() bool {
	return slices.ContainsFunc(a.Configurations, func(c SweptConfiguration) bool { return c.Unjudged })
}

// hasFailed reports whether every recorded seed failed, now or before.
func (a SweepResult) hasFailed() bool {
	recorded := 0
	for _, c := range a.Configurations {
		if recorded += c.NSeeds; c.NFailed < c.NSeeds {
			return false
		}
	}
	return recorded > 0
}

// nFailedBefore returns how many planned seeds failed before, if none of them ran.
func (a SweepResult) nFailedBefore() (n int) {
	if a.NRan > 0 {
		return 0
	}
	for _, c := range a.Configurations {
		n += c.NFailed
	}
	return n
}

// Notices returns what somebody who runs the sweep should know and do next.
func (a SweepResult) Notices() []Sentence {
	var list []Sentence
	warn := func(text string, args ...any) {
		list = append(list, Sentence{Kind: Warning, Text: fmt.Sprintf(text, args...)})
	}
	if len(a.Unknown) > 0 {
		warn("not in the spec, stored but not scored: %s", strings.Join(firstWords(a.Unknown), ", "))
	}
	const most = 10
	for i, m := range a.Lacking {
		if i == most {
			warn("%s that every seed lacks", moreOf(len(a.Lacking)-most, "metric"))
			break
		}
		warn("%s", m.message())
	}
	list = append(list, a.Suspicions.Warnings()...)
	for _, m := range a.MissedFiles {
		warn("no file matched %s in %d of %s; patterns are looked for in the folder {out}", m.Pattern, m.NRuns, format.Counted(a.NRan, "run"))
	}
	if a.NFilesLeftOut > 0 {
		hint := track.Hint{Text: "keep larger files"}.With("max-file-size", "SIZE")
		list = append(list, Sentence{Kind: Warning, Text: "left out of what is kept: " + format.Counted(a.NFilesLeftOut, "file") + "; artifact list says why", Hint: &hint})
	}
	if a.NFilesUnnamed > 0 {
		warn("not kept, because of their names or their number: %s", format.Counted(a.NFilesUnnamed, "file"))
	}
	if a.NConflicts > 0 {
		warn("%s recorded meanwhile by another process, with other values: the simulation is not deterministic, or the parameters do not tell its runs apart",
			format.Counted(a.NConflicts, "seed"))
	}
	if a.NElsewhere > 0 {
		warn("%s still running in another process", format.Counted(a.NElsewhere, "seed"))
	}
	if a.NDiffering > 0 {
		warn("NOT DETERMINISTIC: %d of %d repeated seeds gave something else", a.NDiffering, a.NRepeated)
	}
	if a.hasFailed() {
		of := a.Scenario
		if len(a.Configurations) > 0 {
			of += "@" + track.ShortHash(a.Configurations[0].Hash)
		}
		hint := track.NewHint("show the end of the standard error of a seed", "show seed", of, "SEED")
		list = append(list, Sentence{Kind: Warning, Text: "every seed failed", Hint: &hint})
	}
	if n := a.nFailedBefore(); n > 0 {
		hint := track.Hint{Text: "run them again, once their cause is mended"}.With("rerun-failed", "")
		list = append(list, Sentence{Kind: Warning, Text: format.Counted(n, "seed") + " failed before and did not run again", Hint: &hint})
	}
	if a.isUnjudged() {
		list = append(list, Sentence{Kind: Warning, Text: "INCONCLUSIVE: " + a.unjudgedText(), Hint: judgeLater()})
	} else if a.Ending == track.SweepUndecided {
		warn("%s", a.undecidedText())
	}
	if a.NUncompared > 0 {
		text := format.Counted(a.NUncompared, "seed") + " not compared with another run: the server does not answer"
		list = append(list, Sentence{Kind: Warning, Text: "INCONCLUSIVE: " + text, Hint: judgeLater()})
	}
	if last := len(a.Halving) - 1; last >= 0 && a.Halving[last].Configurations > 1 {
		warn("the best of %d configurations looks better than it is; run it with fresh seeds to measure it", a.Halving[0].Configurations)
	}
	if names := a.comparable(); len(names) > 1 && !a.WithoutSpec {
		hint := track.NewHint("compare the configurations", "compare", names...)
		list = append(list, Sentence{Kind: Note, Hint: &hint})
	}
	return list
}

// message says that every seed lacks the metric, and what was probably meant.
func (m LackedMetric) message() string {
	text := fmt.Sprintf("%d of %s lack %s, a metric of the spec", m.NSeeds, format.Counted(m.NSeeds, "seed"), m.Metric)
	if m.Near != "" {
		text += ", and have " + m.Near + ": is that the metric?"
	}
	return text
}

// undecidedText says that no rule decided anything, and why for the first configuration.
func (a SweepResult) undecidedText() string {
	for _, c := range a.Configurations {
		if c.LastLook != nil {
			return "nothing was decided: " + c.undecidedText()
		}
	}
	return "nothing was decided: the rule looked at no number of seeds"
}

// unjudgedText says how many configurations were not judged to the end, and after how many seeds the first was not.
func (a SweepResult) unjudgedText() string {
	n, text := 0, ""
	for _, c := range a.Configurations {
		if !c.Unjudged || c.LastLook == nil {
			continue
		}
		if n++; n == 1 {
			text = c.undecidedText()
		}
	}
	if n > 1 {
		text = fmt.Sprintf("%d configurations, the first %s", n, text)
	}
	return text
}

// judgeLater says how a sweep is judged whose server was away.
func judgeLater() *track.Hint {
	hint := track.NewHint("once the server is back, record the seeds and run the same command again", "ingest")
	return &hint
}

// comparable returns selectors of the first configurations that were not dropped.
func (a SweepResult) comparable() (names []string) {
	const most = 6
	for _, c := range a.Configurations {
		if !c.Dropped && len(names) < most {
			names = append(names, Selector{a.Scenario, track.ShortHash(c.Hash)}.String())
		}
	}
	return names
}

// firstWords returns at most 20 words, and the number of others.
func firstWords(words []string) []string {
	const most = 20
	if len(words) <= most {
		return words
	}
	return append(append([]string{}, words[:most]...), fmt.Sprintf("and %d more", len(words)-most))
}

// SweepProgress says how far a sweep is. Its times are those of the recorded seeds, so that it is the same whenever it
// is asked.
type SweepProgress struct {
	NPlanned       int                     `json:"n_planned"`
	NLeft          int                     `json:"n_left"`               // planned seeds that are neither recorded nor withdrawn
	NWithdrawn     int                     `json:"n_withdrawn,omitzero"` // planned seeds that were withdrawn and not replaced
	NRunning       int                     `json:"n_running,omitzero"`   // planned seeds that processes run now, of this sweep or another
	PerMinute      float64                 `json:"seeds_per_minute"`     // from the start to the last recorded seed; null without seeds
	Left           time.Duration           `json:"left_s"`               // at this rate; 0 if it is unknown
	Last           time.Time               `json:"last_seed,omitzero"`   // when the last seed was recorded
	Until          string                  `json:"until,omitempty"`      // the rule by which it ends early
	Configurations []ConfigurationProgress `json:"configurations"`       // at most 20, in the order of the plan
	NOthers        int                     `json:"n_others,omitzero"`    // configurations that are not among them
}

// ConfigurationProgress is how far a sweep is with a configuration.
type ConfigurationProgress struct {
	Configuration string             `json:"configuration"` // hash
	Label         string             `json:"label,omitempty"`
	NPlanned      int                `json:"n_planned"`
	NRecorded     int                `json:"n_recorded"`           // of the planned seeds
	NFailed       int                `json:"n_failed"`             // of these
	NWithdrawn    int                `json:"n_withdrawn,omitzero"` // of the planned seeds, withdrawn and not replaced
	Running       []track.SeedNumber `json:"running,omitempty"`    // planned seeds that processes run now, of this sweep or another
	StopRule      string             `json:"stop_rule,omitempty"`  // what the rule by which the sweep ends early says of the seeds so far
	Scores        []ScoreSoFar       `json:"scores"`               // as seeds were recorded, at most 40 steps, the last one now
}

// ScoreSoFar is the score of the first seeds of a configuration, in the order in which they were recorded.
type ScoreSoFar struct {
	N        int            `json:"n"`
	Mean     float64        `json:"score"`
	Interval stats.Interval `json:"ci"` // as if nobody had looked before
}

// NRecorded counts the planned seeds that are recorded.
func (p SweepProgress) NRecorded() int { return p.NPlanned - p.NLeft - p.NWithdrawn }

// table shows how far a sweep is with each configuration.
func (p SweepProgress) table() Table {
	t := Table{Name: "progress", Title: "progress", HiddenIfEmpty: true, Columns: columns("configuration", "label", "recorded", "running", "planned", "failed", "score", "interval", "n", "stop_rule").drop("label", "planned", "interval").wrap("stop_rule")}
	t.Columns[7].Head, t.Columns[9].Head = "95% interval", "stop rule: "+p.Until
	if p.Until == "" {
		t.Columns[9].For = ForData
	}
	if p.NRunning == 0 {
		t.Columns[3].For = ForData
	}
	for _, c := range p.Configurations {
		row := []any{hashCell(c.Configuration), c.Label, c.NRecorded, len(c.Running), c.NPlanned, c.NFailed, nil, nil, nil, c.StopRule}
		if len(c.Scores) > 0 {
			last := c.Scores[len(c.Scores)-1]
			row[6], row[7], row[8] = numberCell(last.Mean, format.Four), intervalCell(last.Interval, format.Four), last.N
		}
		t.Rows = append(t.Rows, row)
	}
	if text := p.text(); text != "" {
		t.Notes = []Sentence{{Kind: Note, Text: text}}
	}
	return t
}

// text says how fast it goes, and what is left.
func (p SweepProgress) text() string {
	if p.NPlanned == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s left", p.NLeft, format.Counted(p.NPlanned, "planned seed"))
	if p.NWithdrawn > 0 {
		text += fmt.Sprintf("; %d withdrawn", p.NWithdrawn)
	}
	if p.NRunning > 0 {
		text += fmt.Sprintf("; %d running", p.NRunning)
	}
	if defined(p.PerMinute) != nil {
		text += fmt.Sprintf("; %s a minute", format.Short(p.PerMinute))
	}
	if p.Left > 0 {
		text += fmt.Sprintf(", so about %v more", p.Left.Round(time.Second))
	}
	if p.Until != "" {
		text += "; it ends early when " + p.Until
	}
	return text
}
