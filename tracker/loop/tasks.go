package loop

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/evolution"
	"track/internal/jsonio"
)

// Task is what a version is tried on.
type Task struct {
	Name  string
	Input jsontext.Value // the object that a file of tasks has; nil for a name alone
}

// ParseTasks reads tasks, one a line: a name, or a JSON object whose member task, id or name is the name. file names
// the source in errors.
func ParseTasks(file, text string) (tasks []Task, err error) {
	known := map[string]int{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for number := 1; scanner.Scan(); number++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		task, problem := parseTask(line)
		if before := known[task.Name]; problem == nil && before > 0 {
			problem = &track.FieldError{Message: fmt.Sprintf("task %s is duplicated: line %d has it, too", task.Name, before)}
		}
		if problem != nil {
			problem.File, problem.Line = file, number
			return nil, problem.Shorten()
		}
		known[task.Name] = number
		tasks = append(tasks, task)
	}
	if len(tasks) == 0 {
		return nil, &track.FieldError{File: file, Message: "has no task: write one a line"}
	}
	return tasks, nil
}

func parseTask(line []byte) (t Task, problem *track.FieldError) {
	t.Name = string(line)
	if line[0] == '{' {
		var names struct {
			Task string `json:"task"`
			ID   string `json:"id"`
			Name string `json:"name"`
		}
		if err := json.Unmarshal(line, &names); err != nil {
			return t, jsonio.FieldError(err)
		}
		t.Name, t.Input = cmp.Or(names.Task, names.ID, names.Name), jsontext.Value(bytes.Clone(line))
		if t.Name == "" {
			return t, &track.FieldError{Field: "task", Message: "is missing"}
		}
	}
	if err := track.CheckName(t.Name); err != nil {
		return t, &track.FieldError{Field: "task", Message: err.Error(), Hint: &track.Hint{Text: `give a long task a name: {"task": "t-17", "prompt": "…"}`}}
	}
	return t, nil
}

// numberedTasks is how many numbers are the tasks of a loop without a list: as many as pairs that decide. An accepted
// child is measured on the first half of them.
const numberedTasks = 40

// taskList is the tasks that trials may be run on.
type taskList struct {
	names    []string
	inputs   map[string]jsontext.Value
	measured int  // how many of the names an accepted child is measured on; 0 for all
	numbered bool // there is no list, and the names are numbers
}

func newTaskList(tasks []Task, measured int) taskList {
	l := taskList{inputs: map[string]jsontext.Value{}, measured: measured}
	for _, t := range tasks {
		l.names, l.inputs[t.Name] = append(l.names, t.Name), t.Input
	}
	if tasks == nil {
		for n := 1; n <= numberedTasks; n++ {
			l.names = append(l.names, strconv.Itoa(n))
		}
		l.numbered, l.measured = true, cmp.Or(measured, numberedTasks/2)
	}
	return l
}

// set makes the tasks those of the settings.
func (l taskList) set(s *evolution.Settings) error {
	s.Tasks = &evolution.TaskSettings{Names: l.names, Measured: l.measured, Numbered: l.numbered}
	if len(s.Deciding()) == 0 {
		return fmt.Errorf("%w: all %d tasks are held out, so none can decide", track.ErrInvalid, len(l.names))
	}
	return nil
}
