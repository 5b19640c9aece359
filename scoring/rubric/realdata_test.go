package rubric

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// agents holds real logs of agents; its README says where they are from.
const agents = "../../../shared/data/agents"

func realFiles(t *testing.T, pattern string) []string {
	t.Helper()
	if _, err := os.Stat(agents); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the logs of agents are not beside the project: no %s", agents)
	}
	files, err := filepath.Glob(filepath.Join(agents, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: no %s", err, pattern)
	}
	return files
}

// jsonLines reads the lines of a file that are objects of type T.
func jsonLines[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []T
	for line := range bytes.Lines(data) {
		var v T
		if json.Unmarshal(line, &v) == nil {
			list = append(list, v)
		}
	}
	return list
}

// result is what a tool gave, with what the log itself says of its success.
type result struct {
	output string
	failed bool
}

// claudeResults are those of Claude Code transcripts, by is_error; and the last text of each.
func claudeResults(t *testing.T) (results []result, texts []string) {
	t.Helper()
	type line struct {
		Message struct {
			Role    string
			Content json.RawMessage
		}
	}
	type item struct {
		Type, Text string
		Content    json.RawMessage
		IsError    bool `json:"is_error"`
	}
	for _, name := range realFiles(t, "claude-code-transcript/*.jsonl") {
		last := ""
		for _, l := range jsonLines[line](t, name) {
			var items []item
			if json.Unmarshal(l.Message.Content, &items) != nil {
				continue
			}
			for _, i := range items {
				switch {
				case i.Type == "tool_result":
					results = append(results, result{contentText(i.Content), i.IsError})
				case i.Type == "text" && l.Message.Role == "assistant":
					last = i.Text
				}
			}
		}
		if last != "" {
			texts = append(texts, last)
		}
	}
	return results, texts
}

// contentText is the text of a result: a string, or a list of texts.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		s += p.Text + "\n"
	}
	return s
}

// codexResults are those of Codex rollouts that carry an exit code.
func codexResults(t *testing.T) []result {
	t.Helper()
	type line struct {
		Payload struct {
			Type   string
			Output json.RawMessage
		}
	}
	exited := regexp.MustCompile(`(?m)^Process exited with code (\d+)`)
	var results []result
	for _, name := range realFiles(t, "codex-rollout/*.jsonl") {
		for _, l := range jsonLines[line](t, name) {
			var textExecution string
			if l.Payload.Type != "function_call_output" || json.Unmarshal(l.Payload.Output, &textExecution) != nil {
				continue
			}
			var old struct {
				Output   string
				Metadata *struct {
					ExitCode int `json:"exit_code"`
				}
			}
			if json.Unmarshal([]byte(textExecution), &old) == nil && old.Metadata != nil {
				results = append(results, result{old.Output, old.Metadata.ExitCode != 0})
			} else if code := exited.FindStringSubmatch(textExecution); code != nil {
				_, output, _ := strings.Cut(textExecution, "Output:\n")
				results = append(results, result{output, code[1] != "0"})
			}
		}
	}
	return results
}

// TestWordsAgainstAnchors takes the exit status from real results and lets each rubric judge by the output alone. The
// words of rubric/1 condemn many good results; the anchors of rubric/2 hardly any. Neither finds most failures, which
// is why both look at the exit status first.
func TestWordsAgainstAnchors(t *testing.T) {
	results, _ := claudeResults(t)
	results = append(results, codexResults(t)...)
	good, bad := 0, 0
	flagged, found := map[string]int{}, map[string]int{}
	for _, r := range results {
		if r.failed {
			bad++
		} else {
			good++
		}
		for _, name := range Names() {
			if outcome := named(t, name).judge(Call{Output: &r.output}).outcome; outcome != failed {
				continue
			}
			if r.failed {
				found[name]++
			} else {
				flagged[name]++
			}
		}
	}
	t.Logf("of %d good results, rubric/1 flags %d and rubric/2 %d; of %d failures they find %d and %d", good, flagged[v1], flagged[V2], bad, found[v1], found[V2])
	if good < 150 || bad < 5 {
		t.Fatalf("%d good and %d bad results", good, bad)
	}
	if 10*flagged[v1] < good || 50*flagged[V2] > good {
		t.Errorf("rubric/1 flags %d and rubric/2 %d of %d good results", flagged[v1], flagged[V2], good)
	}
}

// TestRealTexts: the last text of every transcript is scored by both rubrics, with a reason for everything.
func TestRealTexts(t *testing.T) {
	_, texts := claudeResults(t)
	if len(texts) < 8 {
		t.Fatalf("%d texts", len(texts))
	}
	for _, output := range texts {
		for _, name := range Names() {
			s := named(t, name).Score(textExecution(taskCoding, output), Options{})
			quality := component(t, s, OutputQuality)
			if quality.Value == nil {
				t.Errorf("%s: %s", name, quality.Reason)
			}
			t.Logf("%s: %.60q: %s; %s", name, output, component(t, s, completeness).Reason, component(t, s, accuracy).Reason)
		}
	}
}

// TestTauBench scores the 64 episodes of gpt-4o that have a true reward, and finds the counts of the README: 431
// results, of which 50 begin with "Error", and 11 episodes without a call.
func TestTauBench(t *testing.T) {
	data, err := os.ReadFile(realFiles(t, "tau-bench/*.json")[0])
	if err != nil {
		t.Fatal(err)
	}
	var episodes []struct {
		Reward float64
		Traj   []struct {
			Role    string
			Name    string
			Content *string
		}
	}
	if err := json.Unmarshal(data, &episodes); err != nil {
		t.Fatal(err)
	}
	calls, failures, withoutCall := 0, 0, 0
	sum, n := map[bool]float64{}, map[bool]float64{}
	for _, episode := range episodes {
		e := Execution{TaskType: "service", Complexity: medium, Output: ptr("")}
		for _, m := range episode.Traj {
			switch {
			case m.Role == "tool":
				e.Calls, e.Output = append(e.Calls, Call{Tool: m.Name, Answered: true, Output: m.Content}), ptr("")
			case m.Role == "assistant" && m.Content != nil:
				*e.Output += *m.Content + "\n\n"
			}
		}
		s := named(t, V2).Score(e, Options{})
		if !s.Defined {
			t.Errorf("no score: %+v", s)
		}
		calls, failures = calls+s.NCalls, failures+s.NFailed
		if s.NCalls == 0 {
			withoutCall++
			if component(t, s, toolSuccessRate).Value != nil {
				t.Error("0/0 has a value")
			}
		}
		sum[episode.Reward == 1] += s.Value
		n[episode.Reward == 1]++
	}
	t.Logf("mean score %.2f of %v solved tasks, %.2f of %v others", sum[true]/n[true], n[true], sum[false]/n[false], n[false])
	if len(episodes) != 64 || calls != 431 || failures != 50 || withoutCall != 11 || n[true] != 14 {
		t.Errorf("%d episodes, %d calls, %d failures, %d episodes without a call, %v solved", len(episodes), calls, failures, withoutCall, n[true])
	}
}
