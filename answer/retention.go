package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"track/answer/param"
	"track/scoring/format"
)

// PruneQuestion asks to delete the large contents of old records: series and files of seeds, and texts of executions.
type PruneQuestion struct {
	OlderThan time.Duration // recorded longer ago than this
	Keep      []Retention   // whose contents are kept whatever their age
	DryRun    bool
}

// Retention names records that keep their contents whatever their age.
type Retention string

// The records that a question can name.
const (
	RetainBaseline Retention = "baseline" // seeds of configurations that are pinned now
	RetainHead     Retention = "head"     // executions of active versions and of their ancestors
)

func (q *PruneQuestion) Params() param.List {
	q.Keep = []Retention{RetainBaseline, RetainHead}
	return param.List{
		{Name: "older-than", Unit: "AGE", Help: "prune contents of records that were recorded longer ago than this `AGE`, such as 90d or 12h", Value: param.Age(&q.OlderThan)},
		{Name: "keep", Unit: "KINDS", Help: "keep also those of these `KINDS`, separated by commas: baseline, head, or none", Value: param.Parsed(&q.Keep, parseRetention, formatRetention)},
		{Name: "dry-run", Help: "report what would go and what is kept, and delete nothing", Value: param.Switch(&q.DryRun)},
	}
}

const retainNone = "none"

func parseRetention(text string) (list []Retention, err error) {
	if text == retainNone {
		return nil, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		kind := Retention(strings.TrimSpace(name))
		if kind != RetainBaseline && kind != RetainHead {
			return nil, fmt.Errorf("%q is not one of baseline, head; or write none alone", kind)
		}
		if !slices.Contains(list, kind) {
			list = append(list, kind)
		}
	}
	return list, nil
}

func formatRetention(list []Retention) string {
	if len(list) == 0 {
		return retainNone
	}
	return joinNames(list)
}

func (q *PruneQuestion) Check() error {
	if q.OlderThan == 0 {
		return &param.Error{Param: "older-than", Message: "say from which age on contents are pruned, such as 90d"}
	}
	return nil
}

// Pruned says which contents of old records were deleted, and what was kept.
type Pruned struct {
	DryRun      bool         `json:"dry_run"`
	Before      time.Time    `json:"before"` // recorded then or later is kept
	Series      PrunedSeries `json:"series"`
	Artifacts   PrunedSeries `json:"artifacts"`
	NExecutions int          `json:"n_executions"` // whose texts were removed
	Kept        []KeptRecord `json:"kept"`
}

// KeptRecord counts records that keep their contents for a reason. Of several reasons, the first counts.
type KeptRecord struct {
	Kind   string `json:"kind"`   // seeds or executions
	Reason string `json:"reason"` // recent, sweep, open, decision, baseline or head
	N      int    `json:"n"`
}

func (a Pruned) Lead() []Sentence {
	verb := "pruned"
	if a.DryRun {
		verb = "would prune"
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s %d bytes of series of %s, %d bytes of files of %s, and texts of %s", verb,
		a.Series.Bytes, format.Counted(a.Series.NSeeds, "seed"), a.Artifacts.Bytes, format.Counted(a.Artifacts.NSeeds, "seed"), format.Counted(a.NExecutions, "execution"))}}
}

func (a Pruned) Tables() []Table {
	t := Table{Name: "kept", Title: "kept", HiddenIfEmpty: true, Columns: columns("kind", "n", "reason", "why")}
	for _, k := range a.Kept {
		t.Rows = append(t.Rows, []any{k.Kind, k.N, k.Reason, k.why()})
	}
	return []Table{t}
}

func (k KeptRecord) why() string {
	switch k.Reason {
	case "recent":
		return "recorded later than the age says"
	case "sweep":
		return "their sweep has no end"
	case "open":
		return "more of them may come"
	case "decision":
		if k.Kind == "seeds" {
			return "a lineage evolves their scenario"
		}
		return "a decision rests on them"
	case "baseline":
		return "their configuration is pinned"
	}
	return "their version is active, or an ancestor of the active one"
}
