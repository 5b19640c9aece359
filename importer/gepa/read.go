package gepa

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"track"
	"track/importer"
	"track/importer/pickle"
	"track/importer/programs"
)

// StateFile is the name of the state in the folder of a run.
const StateFile = "gepa_state.bin"

// Read reads the run at a path: a state, or the folder of one. Its parents are never lost.
func Read(name string) (importer.Run, error) {
	info, err := programs.Stat(name)
	if err != nil {
		return importer.Run{}, err
	}
	if info.IsDir() {
		name = filepath.Join(name, StateFile)
		if _, err := programs.Stat(name); err != nil {
			return importer.Run{}, track.WithHint(err, track.Hint{Text: "name a " + StateFile + ", or the folder that GEPA wrote it to (run_dir)"})
		}
	}
	data, err := readState(name)
	if err != nil {
		return importer.Run{}, fmt.Errorf("read %s: %w", name, err)
	}
	return parse(name, data)
}

// readState reads a file, which is as long as a pickle may be.
func readState(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, pickle.MostBytes+1))
}

// parse reads a state. file is what it is called in messages.
func parse(file string, data []byte) (run importer.Run, err error) {
	value, err := pickle.Decode(data)
	if err != nil {
		return run, invalid(file, "", "is not a state of GEPA that can be read: "+err.Error())
	}
	root, is := value.(*pickle.Dict)
	if !is {
		return run, invalid(file, "", "is a pickle, but not of a dictionary: it is not a state of GEPA")
	}
	s := state{file: file, root: root, Collector: programs.NewCollector()}
	if err := s.candidates(); err != nil {
		return run, err
	}
	if err := s.trace(); err != nil {
		return run, err
	}
	for _, d := range s.drafts {
		if err := s.Add(d); err != nil {
			return run, err
		}
	}
	s.Best(s.best(), file, "prog_candidate_val_subscores")
	run = s.Run()
	run.Rejected, run.Minibatches = s.rejected, s.minibatches
	return run, nil
}

func invalid(file, field, message string) error {
	return fmt.Errorf("%w: %w", track.ErrInvalid, (&track.FieldError{File: file, Field: field, Message: message}).Shorten())
}

// state is a state that is being read.
type state struct {
	*programs.Collector
	file        string
	root        *pickle.Dict
	drafts      []*programs.Draft // by the index of the candidate
	rejected    []importer.RejectedProgram
	minibatches map[string]importer.Minibatch
}

func (s *state) invalid(field, format string, args ...any) error {
	return invalid(s.file, field, fmt.Sprintf(format, args...))
}

// list returns a list of the state. A tuple is one too. n is how many elements it needs; negative for any.
func (s *state) list(name string, required bool, n int) ([]any, error) {
	value, found := s.root.Get(name)
	items, is := itemsOf(value)
	switch {
	case is && n >= 0 && len(items) != n:
		return nil, s.invalid(name, "has %d elements, for %d candidates", len(items), n)
	case is:
		return items, nil
	case !found && required:
		return nil, s.invalid(name, "is missing: this is not a state of GEPA")
	case !required && value == nil:
		return nil, nil
	}
	return nil, s.invalid(name, "must be a list")
}

// candidates reads the candidates with their parents and scores.
func (s *state) candidates() error {
	texts, err := s.list("program_candidates", true, -1)
	if err != nil {
		return err
	}
	for i, value := range texts {
		content, err := s.content(fmt.Sprintf("program_candidates[%d]", i), value)
		if err != nil {
			return err
		}
		d := &programs.Draft{ParentField: "parent_program_for_candidate"}
		d.ID, d.Content, d.File = strconv.Itoa(i), content, s.file
		s.drafts = append(s.drafts, d)
	}
	if len(s.drafts) == 0 {
		return s.invalid("program_candidates", "is empty: the run has no candidate")
	}
	for _, read := range []func() error{s.parents, s.scores, s.objectives, s.calls} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// content returns the text of the only component of a candidate, or the object of all of them.
func (s *state) content(field string, value any) (string, error) {
	components, is := value.(*pickle.Dict)
	if !is || len(components.Keys) == 0 {
		return "", s.invalid(field, "must be a dictionary of texts by component")
	}
	texts := map[string]string{}
	for k, key := range components.Keys {
		name, named := key.(string)
		text, isText := components.Values[k].(string)
		if !named || !isText {
			return "", s.invalid(fmt.Sprintf("%s.%v", field, key), "must be a text")
		}
		texts[name] = strings.ToValidUTF8(text, "\uFFFD")
	}
	for _, text := range texts {
		if len(texts) == 1 && text != "" {
			return text, nil
		}
	}
	object, err := json.Marshal(texts)
	if err != nil {
		return "", s.invalid(field, "%v", err)
	}
	return importer.Canonical(object), nil
}

// parents reads the parents, and the depths, of which the generations are made.
func (s *state) parents() error {
	const name = "parent_program_for_candidate"
	lists, err := s.list(name, true, len(s.drafts))
	if err != nil {
		return err
	}
	for i, value := range lists {
		d, generation := s.drafts[i], 0
		items, _ := itemsOf(value)
		for _, item := range items {
			if item == nil {
				continue
			}
			parent, is := item.(int64)
			if !is || parent < 0 || parent >= int64(i) {
				return s.invalid(fmt.Sprintf("%s[%d]", name, i), "%v is not an earlier candidate", item)
			}
			d.Parents = append(d.Parents, strconv.FormatInt(parent, 10))
			generation = max(generation, *s.drafts[parent].Generation+1)
		}
		d.Generation = &generation
		switch len(d.Parents) {
		case 0:
		case 1:
			d.Operator = "reflection"
		default:
			d.Operator = "merge"
		}
	}
	return nil
}

// scores reads the scores on the validation instances.
func (s *state) scores() error {
	const name = "prog_candidate_val_subscores"
	lists, err := s.list(name, true, len(s.drafts))
	if err != nil {
		return err
	}
	for i, value := range lists {
		field := fmt.Sprintf("%s[%d]", name, i)
		named, problem := numbersOf(value)
		if problem != "" {
			return s.invalid(field, "%s", problem)
		}
		sum, n := 0.0, 0
		for _, v := range named {
			trial := importer.ProgramTrial{Task: "val-" + v.name, Score: v.value}
			if err := track.CheckName(trial.Task); err != nil {
				return s.invalid(field, "instance %q %v", v.name, err)
			}
			if trial.Score != nil {
				sum, n = sum+*trial.Score, n+1
			}
			s.drafts[i].Trials = append(s.drafts[i].Trials, trial)
		}
		mean := sum / float64(max(n, 1))
		if s.drafts[i].Score = numberOf(mean); n == 0 || s.drafts[i].Score == nil {
			s.drafts[i].Score, s.drafts[i].Failed, s.drafts[i].Message = nil, importer.FailedInvalid, "no mean of the validation instances"
		}
	}
	return nil
}

// objectives reads what else was measured of the candidates.
func (s *state) objectives() error {
	const name = "prog_candidate_objective_scores"
	lists, err := s.list(name, false, -1)
	if err != nil {
		return err
	}
	for i, value := range lists[:min(len(lists), len(s.drafts))] {
		named, problem := numbersOf(value)
		if problem != "" {
			s.Skip(s.file, 0, fmt.Sprintf("%s[%d]", name, i), problem)
			continue
		}
		for _, v := range named {
			s.measure(i, v.name, v.value)
		}
	}
	return nil
}

// calls reads how often the metric was called until each candidate was found.
func (s *state) calls() error {
	lists, err := s.list("num_metric_calls_by_discovery", false, -1)
	for i, value := range lists[:min(len(lists), len(s.drafts))] {
		s.measure(i, "metric_calls", numberOf(value))
	}
	return err
}

func (s *state) measure(i int, name string, value *float64) {
	if value == nil || track.CheckName(name) != nil {
		return
	}
	if s.drafts[i].Metrics == nil {
		s.drafts[i].Metrics = map[string]float64{}
	}
	s.drafts[i].Metrics[name] = *value
}

// best returns the id of the candidate with the highest mean, the first of equals.
func (s *state) best() (id string) {
	var most *float64
	for _, d := range s.drafts {
		if d.Score != nil && (most == nil || *d.Score > *most) {
			id, most = d.ID, d.Score
		}
	}
	return id
}

// trace reads the iterations: when candidates were found, on which minibatches, and what was rejected.
func (s *state) trace() error {
	const name = "full_program_trace"
	iterations, err := s.list(name, false, -1)
	if err != nil {
		return err
	}
	s.minibatches = map[string]importer.Minibatch{}
	for at, value := range iterations {
		d, is := value.(*pickle.Dict)
		if !is {
			s.Skip(s.file, 0, fmt.Sprintf("%s[%d]", name, at), "must be a dictionary")
			continue
		}
		s.iteration(at, d)
	}
	return nil
}

func (s *state) iteration(at int, d *pickle.Dict) {
	number := at
	if i, is := get(d, "i").(int64); is && i >= 0 {
		number = int(i)
	}
	batch := minibatchOf(d)
	if index, is := get(d, "new_program_idx").(int64); is && index >= 0 && index < int64(len(s.drafts)) {
		found := s.drafts[index]
		found.Iteration, found.Feedback = &number, feedbackOf(d)
		if batch != nil {
			s.minibatches[found.ID] = *batch
		}
		return
	}
	if batch == nil || len(batch.After) == 0 {
		return // nothing was proposed
	}
	rejected := importer.RejectedProgram{ID: fmt.Sprintf("iteration-%d", at), Operator: "reflection", Iteration: number, Feedback: feedbackOf(d), Minibatch: batch}
	if parent, is := get(d, "selected_program_candidate").(int64); is && parent >= 0 && parent < int64(len(s.drafts)) {
		rejected.Parents = []string{strconv.FormatInt(parent, 10)}
	}
	s.rejected = append(s.rejected, rejected)
}

func get(d *pickle.Dict, key string) any {
	value, _ := d.Get(key)
	return value
}

// minibatchOf returns the test of an iteration; nil if it has none.
func minibatchOf(d *pickle.Dict) *importer.Minibatch {
	ids, _ := itemsOf(get(d, "subsample_ids"))
	b := importer.Minibatch{Before: numbers(get(d, "subsample_scores")), After: numbers(get(d, "new_subsample_scores"))}
	if len(b.Before) == 0 && len(b.After) == 0 {
		return nil
	}
	for i := range max(len(b.Before), len(b.After)) {
		task := fmt.Sprint("#", i)
		if i < len(ids) {
			if name, ok := nameOf(ids[i]); ok {
				task = name
			}
		}
		b.Tasks = append(b.Tasks, importer.Name("train-"+task))
	}
	return &b
}

// numbers returns the numbers of a list, if all of its elements are.
func numbers(value any) (list []float64) {
	items, _ := itemsOf(value)
	for _, item := range items {
		number := numberOf(item)
		if number == nil {
			return nil
		}
		list = append(list, *number)
	}
	return list
}

// feedbackOf returns the texts of an iteration that say how its proposal was made.
func feedbackOf(d *pickle.Dict) string {
	var texts []string
	for i, key := range d.Keys {
		name, _ := key.(string)
		text, is := d.Values[i].(string)
		if is && (strings.Contains(name, "feedback") || strings.Contains(name, "reflection")) {
			texts = append(texts, strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
	return strings.Join(texts, "\n\n")
}

// namedNumber is a number of a dictionary or a list.
type namedNumber struct {
	name  string
	value *float64 // nil if it is not a finite number
}

func itemsOf(value any) (items []any, is bool) {
	switch v := value.(type) {
	case *pickle.List:
		return v.Items, true
	case pickle.Tuple:
		return v, true
	}
	return nil, false
}

// numbersOf returns the numbers of a dictionary, or those of a list by their places.
func numbersOf(value any) (list []namedNumber, problem string) {
	if items, is := itemsOf(value); is {
		for i, item := range items {
			list = append(list, namedNumber{fmt.Sprint(i), numberOf(item)})
		}
		return list, ""
	}
	d, is := value.(*pickle.Dict)
	if !is {
		return nil, "must be a dictionary or a list of numbers"
	}
	seen := map[string]bool{}
	for i, key := range d.Keys {
		name, ok := nameOf(key)
		if !ok || seen[name] {
			return nil, fmt.Sprintf("key %d is not a number or a text, or is duplicated", i)
		}
		seen[name] = true
		list = append(list, namedNumber{name, numberOf(d.Values[i])})
	}
	return list, ""
}

// nameOf returns the name of an instance: a text or an integer.
func nameOf(value any) (name string, ok bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int64:
		return fmt.Sprint(v), true
	}
	return "", false
}

// numberOf returns a finite number; nil for anything else.
func numberOf(value any) *float64 {
	var number float64
	switch v := value.(type) {
	case float64:
		number = v
	case int64:
		number = float64(v)
	case bool:
		if v {
			number = 1
		}
	default:
		return nil
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return nil
	}
	return &number
}
