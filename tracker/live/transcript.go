package live

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"track"
	"track/importer"
	"track/importer/claudecode"
	"track/importer/claudehooks"
)

const (
	lookBack        = 64 << 10         // bytes before the place where a transcript ended when the prompt came
	mostTranscript  = 16 << 20         // bytes that are read of a transcript; a longer one is read from the place of the prompt only
	clockDifference = 10 * time.Second // between a prompt's hook and its line in the transcript
)

// transcripts returns the files that may hold the transcript of an event's thread, the best first.
func transcripts(e body) []string {
	if e.Agent == "" {
		return []string{e.Transcript}
	}
	list := []string{e.AgentTranscript}
	if e.Transcript != "" && filepath.Base(e.Agent) == e.Agent {
		file := "agent-" + e.Agent + ".jsonl"
		list = append(list, filepath.Join(strings.TrimSuffix(e.Transcript, ".jsonl"), "subagents", file), filepath.Join(filepath.Dir(e.Transcript), file))
	}
	return list
}

// fromTranscript returns the execution as the transcript has it, or nil.
func fromTranscript(ctx context.Context, t claudehooks.Turn, bodies map[string]body) *importer.Item {
	first := bodies[identity(t.Events[0])]
	for i := len(t.Events) - 1; i >= 0; i-- {
		for _, path := range transcripts(bodies[identity(t.Events[i])]) {
			info, err := os.Stat(path)
			if path == "" || err != nil || !info.Mode().IsRegular() {
				continue
			}
			from := max(0, first.TranscriptSize-lookBack)
			if first.TranscriptSize == 0 || from > info.Size() {
				from = max(0, info.Size()-mostTranscript)
			}
			item, sure := findExecution(ctx, path, from, t)
			if !sure && from > 0 && info.Size() <= mostTranscript {
				item, _ = findExecution(ctx, path, 0, t)
			}
			return item
		}
	}
	return nil
}

// findExecution reads a transcript from a place on and looks for the execution of a turn. It is sure of one whose
// prompt it saw.
func findExecution(ctx context.Context, path string, from int64, t claudehooks.Turn) (found *importer.Item, sure bool) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return nil, false
	}
	closest := time.Duration(0)
	first := 0 // line of the first execution, which may have begun before
	for item, err := range claudecode.Read(path, io.LimitReader(timely{ctx, file}, 4*mostTranscript)) {
		if err != nil {
			return nil, false
		}
		if item.Execution == nil || t.Events[0].Agent == "" && item.Subagent {
			continue
		}
		if first == 0 || item.Line < first {
			first = item.Line
		}
		if far, possible := distance(*item.Execution, t); possible && (found == nil || far <= closest) {
			found, closest = &item, far
		}
	}
	if found == nil || from > 0 && found.Line == first {
		return nil, false
	}
	return found, true
}

// timely is a reader that ends with an error when there is no more time.
type timely struct {
	ctx context.Context
	io.Reader
}

func (r timely) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, errors.Join(err, io.ErrUnexpectedEOF)
	}
	return r.Reader.Read(p)
}

// distance says how far a transcript's execution is from being that of a turn: not at all where they share a call;
// else, where the turn has none, the time between their beginnings. A turn whose beginning nobody saw may be any, the
// last the most likely.
func distance(e track.Execution, t claudehooks.Turn) (far time.Duration, possible bool) {
	keys := map[string]bool{}
	for _, event := range t.Events {
		if event.Call.Key != "" {
			keys[event.Call.Key] = true
		}
	}
	for _, c := range e.Calls {
		if keys[c.Key] {
			return 0, true
		}
	}
	began, ended := t.Events[0].At, t.Events[len(t.Events)-1].At
	if len(keys) > 0 || e.Session != t.Events[0].Session || e.StartedAt.After(ended.Add(clockDifference)) {
		return 0, false
	}
	if !t.Begun {
		began = ended
	}
	far = began.Sub(e.StartedAt).Abs()
	return far, !t.Begun || far <= clockDifference
}
