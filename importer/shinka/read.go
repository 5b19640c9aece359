package shinka

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"track"
	"track/importer"
	"track/importer/programs"
)

const ways = "name a programs.jsonl with one program a line"

// Read reads the run at a path: a file of one program a line, or the folder of a programs.jsonl. Beside an error, the
// run says what was skipped.
func Read(name string) (importer.Run, error) {
	info, err := programs.Stat(name)
	if err != nil {
		return importer.Run{}, err
	}
	if info.IsDir() {
		name = filepath.Join(name, "programs.jsonl")
		if _, err := programs.Stat(name); err != nil {
			return importer.Run{}, track.WithHint(err, track.Hint{Text: ways})
		}
	}
	dir, file := filepath.Split(name)
	return readFile(dir, os.DirFS(filepath.Clean(dir)), file)
}

// readFile reads a run from a file of one program a line. dir is where files stand, for messages.
func readFile(dir string, files fs.FS, name string) (importer.Run, error) {
	r := reader{programs.NewCollector()}
	err := r.Lines(dir, files, name, r.program)
	if err == nil && r.Found() == 0 {
		err = r.Nothing(path.Join(dir, name), "Shinka", ways)
	}
	return r.Run(), err
}

// reader reads the lines of one run.
type reader struct{ *programs.Collector }

// program takes one program.
func (r reader) program(o programs.Object, file string, line int) error {
	if r.Found() == 0 && (o.Has("iteration_found") || o.Has("metrics") && !o.Has("correct")) {
		err := &track.FieldError{File: file, Line: line, Message: "this is a program of OpenEvolve, not of Shinka"}
		return track.WithHint(err, track.NewHint("import it in its own format", "import openevolve"))
	}
	metadata, name := o.Child("metadata"), "id"
	d := draft(o, metadata)
	d.File, d.Line = file, line
	if o.Kind("id") != 'n' {
		byID(d, o)
	} else {
		name = "generation"
		byGeneration(d, o)
	}
	if !o.Needs(name, d.ID) || !o.NeedsCode("code", d.Content) {
		r.LeaveOut()
		return nil
	}
	judge(&d.Program, o, metadata)
	return r.Add(d)
}

// draft reads what is not a matter of the score. Shinka keeps the patch in the metadata of a program.
func draft(o, metadata programs.Object) *programs.Draft {
	d := &programs.Draft{}
	d.Content, d.Generation, d.At = o.Text("code"), o.Count("generation"), o.Time("timestamp")
	if d.Content == "" {
		d.Digest = o.Digest("code_sha256")
	}
	d.Island = o.Count("island_idx")
	d.Feedback = cmp.Or(o.Or(metadata, "patch_description").Text("patch_description"), o.Or(metadata, "text_feedback").Text("text_feedback"))
	patch := o.Or(metadata, "patch_type").Text("patch_type")
	d.Operator = programs.OperatorName(patch)
	d.Title = programs.Title(o.Or(metadata, "patch_name").Text("patch_name"), o.Text("title"))
	if d.Crossover = d.Operator == "cross"; d.Crossover {
		d.Inspirations = append(o.IDs("archive_inspiration_ids"), o.IDs("top_k_inspiration_ids")...)
	}
	return d
}

// byID reads the identity and the parents of a program that has an id.
func byID(d *programs.Draft, o programs.Object) {
	d.ParentField = "parent_id"
	d.ID, d.Parents = o.ID("id"), o.ParentIDs()
	if len(d.Parents) == 0 && o.Kind("parent_generation") != 'n' {
		o.Note("parent_generation", "names no program of a file that has ids: its parent is taken as unknown; say parent_id")
	}
}

// byGeneration reads the identity and the parents of a program that only its generation names.
func byGeneration(d *programs.Draft, o programs.Object) {
	d.ParentField = "parent_generation"
	if d.Generation != nil {
		d.ID = strconv.Itoa(*d.Generation)
	}
	parent, hash := o.ID("parent_generation"), o.Text("parent_normalized_sha256")
	d.Candidates = o.IDs("parent_candidates")
	switch {
	case parent != "":
		d.Parents = []string{parent}
	case len(d.Candidates) == 0 && track.CheckName(hash) == nil:
		d.Parents = []string{"sha256:" + hash}
	}
	d.Parents = append(d.Parents, o.ParentIDs()...)
}

// judge finds the score of a program, or why it has none.
func judge(p *importer.Program, o, metadata programs.Object) {
	name := "combined_score"
	if o.Kind(name) == 'n' {
		name = "combined_score_rounded"
	}
	score, scored, problem := o.Metric(name)
	p.Metrics = metrics(o)
	message := programs.Title(o.Or(metadata, "error").Text("error"))
	correct := o.Flag("correct")
	switch incorrect := o.Kind("correct") != 'n' && (correct == nil || !*correct); {
	case incorrect && programs.TellsTimeout(message):
		p.Failed, p.Message = importer.FailedTimeout, message
	case incorrect:
		p.Failed, p.Message = importer.FailedInvalid, message
	case scored:
		p.Score = &score
		return
	case problem != "":
		p.Failed, p.Message = importer.FailedInvalid, programs.Title(name+" "+problem)
	default:
		p.Failed, p.Message = importer.FailedInvalid, "no score: the source has none of it"
	}
	if scored {
		p.Partial = &score
	}
}

// metrics returns what the source measured beside the score; where public and private ones share a name, the public.
func metrics(o programs.Object) map[string]float64 {
	all := o.Child("private_metrics").Metrics()
	for name, value := range o.Child("public_metrics").Metrics() {
		if all == nil {
			all = map[string]float64{}
		}
		all[name] = value
	}
	return all
}
