package gepa

import (
	"fmt"
	"strconv"
	"strings"

	"track/importer"
	"track/importer/pickle"
)

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
