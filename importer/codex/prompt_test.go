package codex_test

import (
	"testing"

	"track/importer/codex"
	"track/importer/importertest"
)

// Where no event tells of prompts, the messages of the user do; where one does, they are not counted again.
func TestPromptsWithoutEvents(t *testing.T) {
	user := func(at, text string) string {
		return `{"timestamp":"2026-03-01T10:00:0` + at + `Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + text + `"}]}}` + "\n"
	}
	event := func(at string) string {
		return `{"timestamp":"2026-03-01T10:00:0` + at + `Z","type":"event_msg","payload":{"type":"user_message","message":"x"}}` + "\n"
	}
	answer := `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}` + "\n"
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"messages":             {user("1", "<environment_context>x") + user("2", "do") + answer + user("3", "do more") + answer, 2},
		"messages and events":  {user("1", "do") + event("1") + answer + user("2", "more") + event("2") + answer, 2},
		"a message within one": {user("1", "do") + event("1") + answer + user("2", "a notice of the program") + answer, 1},
	} {
		items, err := importertest.ReadBytes(t, codex.Read, []byte(tt.text))
		if err != nil || len(items) != tt.want {
			t.Errorf("%s: %d executions, want %d: %v", name, len(items), tt.want, err)
		}
	}
}
