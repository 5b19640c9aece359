// Package dgm reads runs of the Darwin Gödel Machine: the metadata.json of each agent.
//
// A source is a metadata.json, or the folder of a run: in it a folder for each agent, named by its run id, with
// its metadata.json. Read of it are
//
//	run_id                 the id; else the name of the folder
//	parent_commit          the id of the agent that it was made of
//	entry                  what the change was about
//	problem_statement      what the change was to do
//	overall_performance    accuracy_score, and the ids of the tasks: total_resolved_ids, total_unresolved_ids, total_emptypatch_ids
//
// A resolved task scores 1; an unresolved one, and one with an empty patch, 0; so does each of those that were
// submitted (total_submitted_instances) and that no list names. The score of an agent is the mean of all. The code of
// an agent is a folder, which is not read: its version has no content.
package dgm

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"track"
	"track/importer"
	"track/importer/programs"
)

// MetadataFile is the name of the file of an agent.
const MetadataFile = "metadata.json"

const ways = "name the folder of a run, with a folder and a " + MetadataFile + " for each agent, or one such file"

type reader struct{ *programs.Collector }

// Read reads the run at a path. Beside an error, the run says what was skipped.
func Read(name string) (importer.Run, error) {
	info, err := programs.Stat(name)
	if err != nil {
		return importer.Run{}, err
	}
	r, dir, pattern := reader{programs.NewCollector()}, name, path.Join("*", MetadataFile)
	if !info.IsDir() {
		dir, pattern = filepath.Split(filepath.Clean(name))
	}
	files := os.DirFS(filepath.Clean(dir))
	list, err := fs.Glob(files, pattern)
	if err != nil {
		return importer.Run{}, err
	}
	for _, file := range list {
		if err := r.Object(dir, files, file, func(o programs.Object, at string) error { return r.agent(o, file, at) }); err != nil {
			return r.Run(), err
		}
	}
	if r.Found() == 0 {
		err = r.Nothing(name, "DGM", ways)
	}
	return r.Run(), err
}

// agent takes one agent. file is where it is in the run, at where it is for messages.
func (r reader) agent(o programs.Object, file, at string) error {
	d := &programs.Draft{ParentField: "parent_commit"}
	if d.ID, d.File = o.ID("run_id"), at; d.ID == "" {
		d.ID = path.Base(path.Dir(file))
	}
	if problem := track.CheckName(d.ID); problem != nil || !o.Has("overall_performance") {
		o.Note("overall_performance", "missing: this is not the "+MetadataFile+" of an agent")
		r.LeaveOut()
		return nil
	}
	if parent := o.ID("parent_commit"); parent != "" {
		d.Parents, d.Operator = []string{parent}, "self_improvement"
	}
	d.Title, d.Feedback = programs.Title(o.Text("entry")), o.Text("problem_statement")
	judge(d, o.Child("overall_performance"))
	return r.Add(d)
}

// judge reads the tasks and the score of an agent.
func judge(d *programs.Draft, performance programs.Object) {
	seen, submitted := map[string]bool{}, performance.Count("total_submitted_instances")
	for _, outcome := range []struct {
		field string
		score float64
	}{{"total_resolved_ids", 1}, {"total_unresolved_ids", 0}, {"total_emptypatch_ids", 0}} {
		for _, task := range performance.IDs(outcome.field) {
			if !seen[task] {
				seen[task] = true
				d.Trials = append(d.Trials, importer.ProgramTrial{Task: task, Score: &outcome.score})
			}
		}
	}
	for n := len(seen) + 1; submitted != nil && n <= min(*submitted, mostUnlisted); n++ {
		d.Trials = append(d.Trials, importer.ProgramTrial{Task: fmt.Sprintf("unlisted-%d", n), Score: new(float64)})
	}
	slices.SortFunc(d.Trials, func(a, b importer.ProgramTrial) int { return strings.Compare(a.Task, b.Task) })
	d.Metrics = performance.Metrics("accuracy_score")
	score, scored, problem := performance.Metric("accuracy_score")
	if !scored {
		d.Trials = nil
		d.Failed, d.Message = importer.FailedInvalid, programs.Title("no accuracy_score", problem)
		return
	}
	if n := len(d.Trials); n > 0 {
		resolved := 0.0
		for _, t := range d.Trials {
			resolved += *t.Score
		}
		if all := resolved / float64(n); math.Abs(all-score) > rounding {
			performance.Note("accuracy_score", fmt.Sprintf("%v is not %v of %d tasks: unresolved ones and empty patches count", score, resolved, n))
			score = all
		}
	}
	d.Score = &score
}

const (
	mostUnlisted = 100_000
	rounding     = 0.005 // of accuracies that are written with two decimals
)
