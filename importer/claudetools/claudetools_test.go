package claudetools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track/importer/claudetools"
)

func TestExit(t *testing.T) {
	for text, want := range map[string]int{"Exit code 1\nno": 1, "Exit code 127": 127, "Error: Exit code 2\nx": 2, "Exit code -1": -1} {
		if got := claudetools.Exit(text); got == nil || *got != want {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "exit code 1", "the Exit code 1", "Exit code one", "Exit code 99999999999", "Exit code 1x"} {
		if got := claudetools.Exit(text); got != nil {
			t.Errorf("%q: %d", text, *got)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`{"durationMs":12}`: 12 * time.Millisecond, `{"durationSeconds":1.5}`: 1500 * time.Millisecond,
		`{"totalDurationMs":3400,"durationMs":1}`: 3400 * time.Millisecond,
	} {
		if got := claudetools.Duration(jsontext.Value(text)); got == nil || *got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", `"x"`, `{}`, `{"durationMs":-1}`, `{"durationMs":"1"}`} {
		if got := claudetools.Duration(jsontext.Value(text)); got != nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestWritten(t *testing.T) {
	for _, tt := range []struct{ tool, input, result, want string }{
		{"Write", `{"file_path":"a","content":"x"}`, `{}`, "x"},
		{"Write", `{"file_path":"a","content":""}`, ``, ""},
		{"Edit", `{"file_path":"a","old_string":"b","new_string":"$1"}`, `{"originalFile":"abcb"}`, "a$1cb"},
		{"Edit", `{"file_path":"a","old_string":"b","new_string":"B","replace_all":true}`, `{"originalFile":"abcb"}`, "aBcB"},
		{"MultiEdit", `{"file_path":"a","edits":[{"old_string":"a","new_string":"b"},{"old_string":"b","new_string":"c"}]}`, `{"originalFile":"a"}`, "c"},
	} {
		name, got, ok := claudetools.Written(tt.tool, jsontext.Value(tt.input), jsontext.Value(tt.result))
		if !ok || name != "a" || got != tt.want {
			t.Errorf("%s %s: %q, %q, %v", tt.tool, tt.input, name, got, ok)
		}
	}
	huge := strings.Repeat("a", 1<<20)
	for _, tt := range []struct{ tool, input, result string }{
		{"Read", `{"file_path":"a","content":"x"}`, `{}`}, {"Write", `{"content":"x"}`, `{}`}, {"Write", `{"file_path":"a"}`, `{}`}, {"Write", `[]`, `{}`},
		{"Edit", `{"file_path":"a","old_string":"b","new_string":"c"}`, `{"originalFile":null}`}, // what the file was is not told
		{"Edit", `{"file_path":"a","old_string":"x","new_string":"c"}`, `{"originalFile":"abc"}`},
		{"Edit", `{"file_path":"a","old_string":"","new_string":"c"}`, `{"originalFile":"abc"}`},
		{"MultiEdit", `{"file_path":"a","edits":[]}`, `{"originalFile":"abc"}`},
		{"Edit", `{"file_path":"a","old_string":"a","new_string":"` + huge[:100] + `","replace_all":true}`, `{"originalFile":"` + huge + `"}`},
	} {
		if _, got, ok := claudetools.Written(tt.tool, jsontext.Value(tt.input), jsontext.Value(tt.result)); ok {
			t.Errorf("%s %.80s: %.80q", tt.tool, tt.input, got)
		}
	}
}

func TestText(t *testing.T) {
	for content, want := range map[string]string{
		`"a"`: "a", `[{"type":"text","text":"a"},7,{"type":"image"},{"type":"text","text":"b"}]`: "a\nb", `null`: "", `7`: "", ``: "",
	} {
		if got := claudetools.Text(jsontext.Value(content)); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}
