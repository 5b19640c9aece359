package evolution

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// TaskCounts counts the trials of each task.
type TaskCounts map[string]int

// Add counts the tasks that a decision which ended was made on.
func (c TaskCounts) Add(r Record) {
	if r.Decision.State == Continue {
		return
	}
	for _, t := range r.Evidence.Child {
		if t.Key != "" {
			c[t.Key]++
		}
	}
}

// TaskOrder is the order in which both sides of a mutation try the tasks that decide. It is drawn when the mutation is
// proposed and recorded with it. After the last task the order begins again.
type TaskOrder struct {
	Draw  Draw     `json:"draw"`
	Tasks []string `json:"tasks"`
}

// LabelTasks is the label of the draw of a [TaskOrder].
const LabelTasks = "tasks"

// tasksDomain keeps these hashes apart from all others.
const tasksDomain = "track/tasks/1\x00"

// NewTaskOrder orders tasks by how often earlier decisions of the lineage used them, the least used first, so that all
// tasks come round. Tasks that were used equally often are in the order of the first 8 bytes of
// SHA-256("track/tasks/1" 0x00 || u64be(raw of the draw) || task).
func NewTaskOrder(tasks []string, used TaskCounts, draw Draw) TaskOrder {
	place := make(map[string]uint64, len(tasks))
	for _, task := range tasks {
		hash := sha256.Sum256(append(binary.BigEndian.AppendUint64([]byte(tasksDomain), uint64(draw.Raw)), task...))
		place[task] = binary.BigEndian.Uint64(hash[:])
	}
	order := slices.Clone(tasks)
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(used[a], used[b]), cmp.Compare(place[a], place[b]), cmp.Compare(a, b))
	})
	return TaskOrder{draw, order}
}

// Task returns the task of a pair, from 1.
func (o TaskOrder) Task(pair int) string { return o.Tasks[(pair-1)%len(o.Tasks)] }

// ParentFirst reports whether the parent is tried before the child in a pair, from 1: in every other one, beginning as
// the draw says.
func (o TaskOrder) ParentFirst(pair int) bool { return (pair%2 == 0) == (o.Draw.U < 0.5) }

// TaskSettings are the tasks of a lineage.
type TaskSettings struct {
	Names []string `json:"names"` // in the order of their list; nil if they are unknown
	// Measured is how many of them an accepted child is measured on, the first ones; 0 for all. Holdout tasks are
	// measured in any case.
	Measured int `json:"measured,omitempty"`
	// Numbered says that there is no list: the names are numbers. [Threshold], which is for executions without tasks,
	// then accepts without a measurement.
	Numbered bool `json:"numbered,omitempty"`
}

func (s *TaskSettings) validate() error {
	if s == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, name := range s.Names {
		if name == "" || seen[name] {
			return fmt.Errorf("tasks: task %q is empty or duplicated", name)
		}
		seen[name] = true
	}
	if s.Measured < 0 {
		return errors.New("tasks: the number of measured tasks is negative")
	}
	return nil
}

// Deciding returns the tasks that are not held out.
func (s Settings) Deciding() []string {
	var names []string
	if s.Tasks != nil {
		for _, name := range s.Tasks.Names {
			if !s.Holdout.Has(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Measurement returns the run that follows the acceptance of a child; nil if the tasks are unknown.
func (s Settings) Measurement() *Measurement {
	deciding := s.Deciding()
	if len(deciding) == 0 || s.Tasks.Numbered && s.Policy == (Threshold{}).Name() {
		return nil
	}
	m := &Measurement{Tasks: deciding, Held: []string{}, Child: []Trial{}, Parent: []Trial{}}
	if n := s.Tasks.Measured; n > 0 && n < len(deciding) {
		m.Tasks = deciding[:n:n]
	}
	for _, name := range s.Tasks.Names {
		if s.Holdout.Has(name) {
			m.Tasks, m.Held = append(m.Tasks, name), append(m.Held, name)
		}
	}
	return m
}
