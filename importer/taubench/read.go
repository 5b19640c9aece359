package taubench

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/importer/chat"
)

// Read reads an array of episodes. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.TauBench, file, r)
		if err != nil {
			yield(importer.Item{}, err)
			return
		}
		if err := readArray(file, importer.NewScanner(reader), yield); err != nil {
			yield(importer.Item{File: file}, fmt.Errorf("read %s: %w", file, err))
		}
	}
}

func readArray(file string, scanner *importer.Scanner, yield func(importer.Item, error) bool) error {
	pass := func(items ...importer.Item) bool {
		for _, item := range items {
			if !yield(item.In(file), nil) {
				return false
			}
		}
		return true
	}
	isArray, err := scanner.Take('[')
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if !isArray {
		pass(importer.Skipf(scanner.Line, "no array of episodes begins here"))
		return nil
	}
	err = scanner.Elements(func(raw []byte, line int) (bool, error) {
		items, err := decode(raw, line)
		return err != nil || pass(items...), err
	}, func(line int, reason string) bool { return pass(scanner.Damage(line, reason)) })
	if errors.Is(err, importer.ErrNoObject) {
		pass(scanner.Damage(scanner.Line, "no record begins here"))
		return nil
	}
	return err
}

type episode struct {
	Task   jsontext.Value `json:"task_id"`
	Trial  *int           `json:"trial"`
	Reward *float64       `json:"reward"`
	Info   jsontext.Value `json:"info"`
	Traj   []chat.Message `json:"traj"`
}

func decode(raw []byte, line int) ([]importer.Item, error) {
	var e episode
	if err := importer.Unmarshal(raw, &e); err != nil {
		return nil, err
	}
	task := strings.Trim(string(e.Task), `"`)
	if task == "" || task == "null" {
		return nil, errors.New("an episode without task_id")
	}
	draft := importer.NewDraft(importer.NewBudget(), line, track.Execution{
		Key:    importer.Key(importer.TauBench, task, strconv.Itoa(trial(e)), importer.Shape(raw)),
		Source: importer.TauBench, Task: importer.Name(task), Trial: trial(e),
	})
	if e.Reward != nil {
		draft.Truths = map[string]float64{"reward": *e.Reward}
	}
	replay(draft, e.Traj)
	if message := failure(e.Info); message != "" {
		draft.Status, draft.Message = track.ExecutionError, message
	}
	return draft.Close(), nil
}

func trial(e episode) int {
	if e.Trial == nil || *e.Trial < 0 {
		return 0
	}
	return *e.Trial
}

// failure returns the error that ended an episode: tau-bench then writes it in place of the rest of info.
func failure(info jsontext.Value) string {
	var i struct {
		Error string `json:"error"`
	}
	if info.Kind() != '{' || importer.Unmarshal(info, &i) != nil {
		return ""
	}
	return i.Error
}

// replay goes through the conversation.
func replay(draft *importer.Draft, conversation []chat.Message) {
	r := chat.Replay{Draft: draft, Judge: func(call *track.ToolCall, text string) {
		if strings.HasPrefix(text, "Error") {
			draft.Fail(call, text)
		}
	}}
	for _, m := range conversation {
		r.Add(m)
	}
}
