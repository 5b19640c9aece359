package openevolve

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/importer"
	"track/importer/programs"
)

const ways = "name a programs.jsonl, a checkpoint (a folder with metadata.json and programs), or the folder that holds all checkpoint_N of a run"

// Read reads the run at a path: a file, a checkpoint, or a folder of checkpoints. Beside an error, the run says what
// was skipped.
func Read(name string) (importer.Run, error) {
	info, err := programs.Stat(name)
	switch {
	case err != nil:
		return importer.Run{}, err
	case info.IsDir():
		return readDir(name, os.DirFS(name))
	}
	dir, file := filepath.Split(name)
	return readFile(dir, os.DirFS(filepath.Clean(dir)), file)
}

// readFile reads a run from a file of one program a line. dir is where files stand, for messages.
func readFile(dir string, files fs.FS, name string) (importer.Run, error) {
	r := reader{Collector: programs.NewCollector(), cells: map[string]string{}}
	return r.finish(path.Join(dir, name), r.lines(dir, files, name))
}

// readDir reads a run from a folder: a checkpoint, or one that holds checkpoints or a programs.jsonl. dir is what it
// is called in messages.
func readDir(dir string, files fs.FS) (importer.Run, error) {
	r := reader{Collector: programs.NewCollector(), cells: map[string]string{}}
	return r.finish(dir, r.folder(dir, files))
}

func (r *reader) finish(source string, err error) (importer.Run, error) {
	if err == nil && r.Found() == 0 {
		err = r.Nothing(source, "OpenEvolve", ways)
	}
	return r.Run(), err
}

// lines reads a file of one program a line, and which is the best of them from the list of checkpoints beside it.
func (r *reader) lines(dir string, files fs.FS, name string) error {
	const list = "checkpoints.json"
	if err := r.Lines(dir, files, name, r.program); err != nil {
		return err
	}
	if _, err := fs.Stat(files, list); err != nil || name == list {
		return nil
	}
	latest := -1
	return r.List(dir, files, list, func(o programs.Object, file string) error {
		best, iteration := o.ID("best_program_id"), o.Count("last_iteration")
		if best != "" && iteration != nil && *iteration >= latest {
			latest = *iteration
			r.Best(best, file, "best_program_id")
		}
		return nil
	})
}

// folder reads a checkpoint, or what else of a run stands in a folder.
func (r *reader) folder(dir string, files fs.FS) error {
	there, err := fs.ReadDir(files, ".")
	if err != nil {
		return fmt.Errorf("read %s: %w", dir, err)
	}
	checkpoints := r.checkpointsOf(dir, there)
	switch {
	case programs.IsDir(files, "programs"):
		return r.checkpoints(dir, files, []string{"."})
	case len(checkpoints) > 0:
		return r.checkpoints(dir, files, checkpoints)
	case programs.IsDir(files, "checkpoints"):
		below, err := fs.Sub(files, "checkpoints")
		if err != nil || programs.IsDir(below, "checkpoints") { // links may lead in circles
			return err
		}
		return r.folder(path.Join(dir, "checkpoints"), below)
	}
	for _, name := range []string{"programs.jsonl", "programs.jsonl.gz"} {
		if _, err := fs.Stat(files, name); err == nil {
			return r.lines(dir, files, name)
		}
	}
	return nil
}

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
	d := &programs.Draft{ParentField: "parent_id"}
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
		d.Operator, d.Title = "migration", ""        // the changes are those of its parent
		if d.Iteration != nil && *d.Iteration == 0 { // which OpenEvolve writes for unknown
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

// checkpointsOf returns which of the entries of a folder are checkpoints, in the order of their numbers.
func (r *reader) checkpointsOf(dir string, entries []fs.DirEntry) []string {
	type checkpoint struct {
		name   string
		number uint64
	}
	var found []checkpoint
	for _, entry := range entries {
		text, is := strings.CutPrefix(entry.Name(), "checkpoint_")
		if !is || entry.Type().IsRegular() {
			continue
		}
		number, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			r.Skip(path.Join(dir, entry.Name()), 0, "", "is no checkpoint_N with a number: it was not read")
			continue
		}
		found = append(found, checkpoint{entry.Name(), number})
	}
	slices.SortFunc(found, func(a, b checkpoint) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.name, b.name)) })
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.name
	}
	return names
}

// checkpoints reads checkpoints in folders, in their order. What they all say of the run counts for each of them.
func (r *reader) checkpoints(dir string, files fs.FS, names []string) error {
	var there []string
	for _, name := range names {
		if !programs.IsDir(files, path.Join(name, "programs")) {
			r.Skip(path.Join(dir, name), 0, "", "is no checkpoint: it has no folder programs")
			continue
		}
		r.Checkpoint()
		there = append(there, name)
		if err := r.metadata(dir, files, name); err != nil {
			return err
		}
	}
	for _, name := range there {
		list, err := fs.Glob(files, path.Join(name, "programs", "*.json"))
		if err != nil {
			return err
		}
		for _, program := range list {
			if err := r.Object(dir, files, program, func(o programs.Object, file string) error { return r.program(o, file, 0) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// cellsOf notes where programs stand in the maps of elites of the islands.
func (r *reader) cellsOf(o programs.Object) {
	for _, islands := range o.Objects("island_feature_maps") {
		for _, cell := range islands.Names() {
			r.cells[islands.ID(cell)] = cell
		}
	}
}

// metadata reads what a checkpoint says of the run: its best program, and which metrics are features.
func (r *reader) metadata(dir string, files fs.FS, checkpoint string) error {
	best := ""
	read := func(name, field string) error {
		name = path.Join(checkpoint, name)
		if _, err := fs.Stat(files, name); err != nil {
			return nil // a checkpoint may go without
		}
		return r.Object(dir, files, name, func(o programs.Object, file string) error {
			r.cellsOf(o)
			if r.features = append(r.features, o.Child("feature_stats").Names()...); best == "" {
				best = o.ID(field)
				r.Best(best, file, field)
			}
			return nil
		})
	}
	if err := read("metadata.json", "best_program_id"); err != nil {
		return err
	}
	return read("best_program_info.json", "id")
}

const scoreName = "combined_score"

// judge finds the score of a program in its metrics, or why it has none. features are metrics that are no part of a
// score.
func judge(p *importer.Program, metrics programs.Object, features []string) {
	p.Metrics = metrics.Metrics(scoreName)
	score, scored, problem := metrics.Metric(scoreName)
	if p.Failed, p.Message = failure(metrics, scored); p.Failed != "" {
		if scored {
			p.Partial = &score
		}
		return
	}
	switch {
	case scored:
		p.Score = &score
	case problem != "":
		p.Failed, p.Message = importer.FailedInvalid, programs.Title(scoreName+" "+problem)
	default:
		if p.Score = mean(p.Metrics, features); p.Score == nil {
			p.Failed, p.Message = importer.FailedInvalid, "no "+scoreName+", nor a number to take in its place"
		}
	}
}

// failure returns how a program failed and what the source says of it; nothing where it did not. scored says that
// there is a combined score.
func failure(metrics programs.Object, scored bool) (failed, message string) {
	if is, ok, _ := metrics.Metric("timeout"); ok && is == 1 || isText(metrics, "timeout") {
		return importer.FailedTimeout, stages(metrics)
	}
	if message, is := errorOf(metrics, scored); is {
		if programs.TellsTimeout(message) {
			return importer.FailedTimeout, message
		}
		return importer.FailedError, message
	}
	if broken := stages(metrics); broken != "" {
		return importer.FailedError, broken
	}
	if runs, ok, _ := metrics.Metric("runs_successfully"); ok && runs == 0 {
		return importer.FailedError, "runs_successfully is 0"
	}
	if validity, ok, _ := metrics.Metric("validity"); ok && validity == 0 {
		return importer.FailedInvalid, "validity is 0"
	}
	return "", ""
}

// errorOf returns the error among metrics.
func errorOf(metrics programs.Object, scored bool) (message string, is bool) {
	switch metrics.Kind("error") {
	case 'n', 'f':
		return "", false
	case '"':
		return programs.Title(metrics.Text("error")), isText(metrics, "error")
	case '0':
		return "", !scored
	}
	return "", true
}

// isText says whether a field holds a text that is not empty.
func isText(metrics programs.Object, name string) bool {
	return metrics.Kind(name) == '"' && metrics.Canonical(name) != `""`
}

// stages names the stages of a cascade that a program did not pass.
func stages(metrics programs.Object) string {
	var broken []string
	for _, name := range metrics.Names() {
		number, is := strings.CutSuffix(name, "_passed")
		if number, isStage := strings.CutPrefix(number, "stage"); !is || !isStage || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if passed, ok, _ := metrics.Metric(name); ok && passed == 0 {
			broken = append(broken, name)
		}
	}
	if len(broken) == 0 {
		return ""
	}
	return programs.Title(strings.Join(broken, ", ") + " is 0")
}

// mean is what OpenEvolve takes for the score of a program without one (get_fitness_score in its
// utils/metrics_utils.py): the mean of what is no feature, and of all where nothing else is there. It is nil where
// there is nothing, or no number comes of it.
func mean(metrics map[string]float64, features []string) *float64 {
	scores := maps.Clone(metrics)
	maps.DeleteFunc(scores, func(name string, _ float64) bool { return slices.Contains(features, name) })
	if len(scores) == 0 {
		scores = metrics
	}
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(scores)) { // sums depend on their order
		sum += scores[name]
	}
	if sum /= float64(len(scores)); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	return &sum
}
