package answer

import (
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// ArtifactsQuestion asks which files were kept of seeds.
type ArtifactsQuestion struct {
	Of    Selector
	Seeds []track.SeedRange // empty for all
}

func (q *ArtifactsQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "list the files of the seeds of this scenario", Value: selectorValue(&q.Of)},
		{Name: "seed", Unit: "SEED", Help: "list only the files of this `SEED`, or of seeds as in 0..9", Value: param.Seeds(&q.Seeds)},
	}
}

// SeedArtifact is a file that was kept of a seed.
type SeedArtifact struct {
	Name     string    `json:"name"` // relative path
	Bytes    int64     `json:"bytes"`
	Hash     string    `json:"hash,omitempty"`     // hex SHA-256 of the content; empty if that was left out
	LeftOut  string    `json:"left_out,omitempty"` // why the content was not kept
	PrunedAt time.Time `json:"pruned_at,omitzero"`
}

// ListedArtifact is a file with its seed.
type ListedArtifact struct {
	Seed         track.SeedNumber `json:"seed"`
	Outcome      track.Outcome    `json:"outcome"`
	SeedArtifact `json:",embed"`
}

// Artifacts are the files of seeds of a configuration, by seed and name.
type Artifacts struct {
	Side                 `json:",embed"`
	List[ListedArtifact] `json:",embed"`
}

func (a Artifacts) Lead() []Sentence { return a.Newest.note(a.Side) }

func (a Artifacts) Tables() []Table {
	t := Table{Name: "artifacts", Columns: columns("seed", "outcome", "name", "bytes", "hash", "left_out", "pruned").drop("pruned", "hash", "outcome").wrap("name", "left_out"),
		Empty: "no files were kept of these seeds"}
	for _, f := range a.Items {
		t.Rows = append(t.Rows, []any{f.Seed, string(f.Outcome), f.Name, f.size(), hashCell(f.Hash), f.LeftOut, timeCell(f.PrunedAt)})
	}
	return []Table{t}
}

// size returns the number of bytes; nil for a file that was left out.
func (f SeedArtifact) size() any {
	if f.LeftOut != "" {
		return nil
	}
	return f.Bytes
}

// text describes the file on one line.
func (f SeedArtifact) text() string {
	switch {
	case f.LeftOut != "":
		return fmt.Sprintf("%s (left out: %s)", f.Name, f.LeftOut)
	case !f.PrunedAt.IsZero():
		return fmt.Sprintf("%s (%s, pruned)", f.Name, format.Counted(int(f.Bytes), "byte"))
	}
	return fmt.Sprintf("%s (%s)", f.Name, format.Counted(int(f.Bytes), "byte"))
}

// artifactsText describes files on one line.
func artifactsText(list []SeedArtifact) string {
	const most = 20
	texts := make([]string, min(most, len(list)))
	for i := range texts {
		texts[i] = list[i].text()
	}
	if n := len(list) - most; n > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(texts, ", ")
}

// WrittenArtifact is a file of a seed that was written.
type WrittenArtifact struct {
	SeedArtifact `json:",embed"`
	File         string `json:"file"` // path; empty if there is no content to write
}

// WrittenArtifacts says which files of a seed were written.
type WrittenArtifacts struct {
	SeedRef               `json:",embed"`
	List[WrittenArtifact] `json:",embed"`
}

func (a WrittenArtifacts) Lead() []Sentence {
	lead := a.lead()
	for _, f := range a.Items {
		text := fmt.Sprintf("wrote %s (%s)", f.File, format.Counted(int(f.Bytes), "byte"))
		if f.File == "" {
			text = "not written: " + f.text()
		}
		lead = append(lead, Sentence{Kind: Heading, Text: text})
	}
	if len(a.Items) == 0 {
		lead = append(lead, Sentence{Kind: Heading, Text: fmt.Sprintf("no files were kept of seed %s", a.SeedRef.Seed)})
	}
	return lead
}

func (a WrittenArtifacts) Tables() []Table {
	t := Table{Name: "artifacts", ForPrograms: true, Columns: columns("name", "bytes", "hash", "left_out", "file")}
	for _, f := range a.Items {
		t.Rows = append(t.Rows, []any{f.Name, f.size(), hashCell(f.Hash), f.LeftOut, f.File})
	}
	return []Table{t}
}

// PruneArtifactsQuestion asks to delete the contents of the files of old seeds.
type PruneArtifactsQuestion struct{ Pruning }

func (q *PruneArtifactsQuestion) Params() param.List { return q.params("files") }

// PrunedArtifacts says what deleting the contents of files freed.
type PrunedArtifacts struct {
	PrunedSeries `json:",embed"`
}

func (a PrunedArtifacts) Lead() []Sentence {
	return a.lead(format.Counted(a.NContents, "different file"))
}
