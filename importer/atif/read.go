package atif

import (
	"io"
	"iter"

	"regexp"
	"track/importer"
)

// A document, and a step, begin like this, so that reading goes on behind damage.
var (
	beginning     = regexp.MustCompile(`\{\s{0,100}"(?:schema_version|trajectory_id|session_id)"\s{0,20}:`)
	stepBeginning = regexp.MustCompile(`\{\s{0,100}"step_id"\s{0,20}:`)
)

// Read reads trajectories. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.ATIF, file, r)
		switch {
		case err != nil:
			yield(importer.Item{}, err)
		case importer.HasLines(reader):
			importer.ReadLines(importer.ATIF, file, reader, &lines{})(yield)
		default:
			importer.ReadDocuments(importer.ATIF, file, reader, beginning, readDocument)(yield)
		}
	}
}

// readDocument reads the next document.
func readDocument(d *importer.Document) error {
	t, hasSteps := newTrajectory(d.Line), false
	err := d.Members(func(name string) error {
		switch name {
		case "steps":
			hasSteps = true
			return d.Array(stepBeginning, func(raw []byte, _ int) error { return t.decode(raw) })
		case "subagent_trajectories":
			return d.Array(beginning, func(raw []byte, line int) error {
				items, err := importer.ReadDocument(raw, line, readDocument)
				for i := range items {
					items[i].Subagent = items[i].Execution != nil
				}
				if err != nil {
					return err
				}
				return d.Pass(items...)
			})
		case "schema_version", "session_id", "trajectory_id", "agent", "final_metrics", "extra":
			return d.Member(name, &t.header)
		}
		return d.Skip()
	})
	if hasSteps {
		if stopped := d.Pass(t.close(err != nil || t.Final == nil)...); stopped != nil {
			return stopped
		}
	} else if err == nil {
		return d.Pass(importer.Skipf(t.draft.Line, "a trajectory without steps"))
	}
	return err
}
