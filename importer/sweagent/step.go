package sweagent

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"track"
	"track/importer"
)

// commands are those that SWE-agent itself brings; every other one is the shell's.
var commands = []string{
	"create", "edit", "insert", "append", "open", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "find_file", "submit", "view_image",
	"str_replace_editor", "exit_forfeit", "exit_cost", "filemap", "undo_edit", "view", "str_replace", "decompile", "disassemble", "debug_start", "debug_stop",
	"debug_continue", "debug_step", "debug_exec", "debug_add_breakpoint", "connect_start", "connect_stop", "connect_sendline", "connect_exec",
	"open_site", "close_site", "screenshot_site", "click_mouse", "type_text", "image_read", "review_on_submit_m",
}

// step adds a step of SWE-agent.
func (t *trajectory) step(raw []byte) error {
	var s struct {
		Action      string   `json:"action"`
		Observation *string  `json:"observation"`
		Thought     string   `json:"thought"`
		Response    string   `json:"response"`
		Time        *float64 `json:"execution_time"` // seconds
	}
	if err := importer.Unmarshal(raw, &s); err != nil {
		return err
	}
	t.note(raw, true, s.Time != nil && *s.Time > 0)
	if s.Thought == "" {
		s.Thought = s.Response
	}
	t.draft.Speak(s.Thought)
	if strings.TrimSpace(s.Action) == "" {
		return nil
	}
	key := strconv.Itoa(len(t.draft.Calls))
	call := track.ToolCall{Key: key, Tool: strings.Fields(s.Action)[0], Input: strings.ToValidUTF8(s.Action, "\uFFFD")}
	if !slices.Contains(commands, call.Tool) {
		call.Tool, call.Command = "bash", strings.TrimSpace(s.Action)
	}
	if s.Time != nil {
		call.Duration = importer.Seconds(*s.Time)
	}
	t.draft.Call(call)
	if found := t.draft.Find(key); found != nil && s.Observation != nil {
		t.draft.Answer(found, *s.Observation, time.Time{})
	}
	return nil
}
