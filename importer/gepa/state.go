package gepa

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"track"
	"track/importer"
	"track/importer/pickle"
	"track/importer/programs"
)

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
