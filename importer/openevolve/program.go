package openevolve

import (
	"strings"

	"track"
	"track/importer/programs"
)

// reader reads the files of one run.
type reader struct {
	*programs.Collector
	features []string          // metrics that are no part of a score, as the checkpoints say
	cells    map[string]string // of the maps of elites, by the id of the program; the last checkpoint counts
}

// program takes one program, from a line of a file or a file of its own.
func (r *reader) program(o programs.Object, file string, line int) error {
	if r.Found() == 0 && (o.Has("parent_candidates") || o.Has("combined_score", "correct")) {
		err := &track.FieldError{File: file, Line: line, Message: "this is a program of Shinka, not of OpenEvolve"}
		return track.WithHint(err, track.NewHint("import it in its own format", "import shinka"))
	}
	d := draft(o)
	d.File, d.Line, d.Cell = file, line, r.cells[d.ID]
	if !o.Needs("id", d.ID) || !o.NeedsCode("code", d.Content) {
		r.LeaveOut()
		return nil
	}
	judge(&d.Program, o.Child("metrics"), r.features)
	return r.Add(d)
}

// draft reads what is not a matter of the score. In checkpoints some fields stand in the metadata of the program.
func draft(o programs.Object) *programs.Draft {
	metadata := o.Child("metadata")
	d := &programs.Draft{ParentField: "parent_id", Measured: o.Canonical("metrics"), ParentMeasured: o.Or(metadata, "parent_metrics").Canonical("parent_metrics")}
	d.ID, d.Content = o.ID("id"), o.Text("code")
	d.Parents = o.ParentIDs()
	d.Generation, d.Iteration, d.At = o.Count("generation"), o.Count("iteration_found"), o.Time("timestamp")
	if d.Content == "" {
		d.Digest = o.Digest("code_sha256")
	}
	d.Island = o.Or(metadata, "island").Count("island")
	changes := o.Or(metadata, "changes").Text("changes")
	d.Operator = operator(changes)
	description := o.Text("changes_description")
	if description == "empty" { // what OpenEvolve writes for none
		description = ""
	}
	if d.Title = programs.Title(changes); d.Title == "" {
		d.Title = programs.Title(description)
	}
	if d.Feedback = description; d.Feedback == d.Title || !strings.Contains(d.Feedback, "\n") {
		d.Feedback = "" // nothing beyond the title
	}
	if migrant := o.Or(metadata, "migrant").Flag("migrant"); migrant != nil && *migrant {
		d.Migrant, d.Operator, d.Title = true, "migration", "" // the changes are those of its parent
		if d.Iteration != nil && *d.Iteration == 0 {           // which OpenEvolve writes for unknown
			d.Iteration = nil
		}
	}
	return d
}

// operator returns the name of what made a program, from the summary that OpenEvolve writes of the changes.
func operator(changes string) string {
	switch {
	case changes == "Full rewrite":
		return "full_rewrite"
	case strings.HasPrefix(changes, "Change "):
		return "diff"
	}
	return ""
}
