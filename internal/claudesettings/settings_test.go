package claudesettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

const command = `'/opt/my tools/track' hook claude-code`

// files are settings in the forms that people and programs write them.
var files = map[string]string{
	"pretty":       "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
	"tabs":         "{\n\t\"model\": \"opus\"\n}",
	"four spaces":  "{\n    \"env\": {},\n    \"b\": 1.50e+3,\n    \"c\": \"\\u00e9 \\\"x\\\" \\\\\"\n}\n",
	"crlf":         "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"one line":     `{"model": "opus", "x": [1,2]}`,
	"no spaces":    `{"model":"opus","x":[1,2]}` + "\n",
	"empty":        "{}",
	"empty, line":  "{}\n",
	"other hooks":  "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"say done\" }\n        ]\n      }\n    ]\n  },\n  \"last\": true\n}\n",
	"same matcher": "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"check\"}]}\n    ],\n    \"Notification\": []\n  }\n}\n",
	"odd":          "  {\"z\":1 ,\n\"a\" : [ ] , \"hooks\":{\"PostToolUse\":[{\"matcher\":\"x\",\"hooks\":[{\"type\":\"command\",\"command\":\"y\"}]}]}}\n\n",
}

func TestRoundTrip(t *testing.T) {
	for name, text := range files {
		t.Run(name, func(t *testing.T) { roundTrip(t, text) })
	}
}

func roundTrip(t *testing.T, text string) {
	t.Helper()
	installed, err := Install([]byte(text), command)
	if err != nil {
		t.Fatal(err)
	}
	checkInstalled(t, text, installed)
	if again, err := Install(installed, command); err != nil || !bytes.Equal(again, installed) {
		t.Errorf("the second time it became\n%s%v", again, err)
	}
	moved, err := Install(installed, `"/usr/bin/track" hook claude-code --lineage x`)
	if err != nil || strings.Contains(string(moved), command) || strings.Count(string(moved), "--lineage x") != len(events) {
		t.Errorf("with another command: %v\n%s", err, moved)
	}
	for _, from := range [][]byte{installed, moved} {
		without, n, err := uninstall(from)
		same := string(without) == text
		if strings.Contains(text, `"hooks"`) { // which are written anew
			same = sameJSON(t, without, []byte(text))
		}
		if err != nil || n != len(events) || !same {
			t.Errorf("%d taken out, %v; from %q\nto   %q\nwant %q", n, err, from, without, text)
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// checkInstalled looks at settings as Claude Code does: what was there is there, and each event runs the command once.
func checkInstalled(t *testing.T, before string, installed []byte) {
	t.Helper()
	var was, is map[string]any
	if err := json.Unmarshal([]byte(before), &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(installed, &is); err != nil {
		t.Fatalf("%v in\n%s", err, installed)
	}
	hadHooks, _ := was["hooks"].(map[string]any)
	hasHooks := is["hooks"].(map[string]any)
	for _, event := range events {
		had, _ := hadHooks[event].([]any)
		has := hasHooks[event].([]any)
		if len(has) != len(had)+1 || len(had) > 0 && !reflect.DeepEqual(has[:len(had)], had) {
			t.Errorf("%s: %v, it was %v", event, has, had)
			continue
		}
		hook := has[len(had)].(map[string]any)["hooks"].([]any)[0].(map[string]any)
		if hook["type"] != "command" || hook["command"] != command {
			t.Errorf("%s: %v", event, hook)
		}
		delete(hasHooks, event)
		delete(hadHooks, event)
	}
	if len(hasHooks) == 0 {
		delete(is, "hooks")
		delete(was, "hooks")
	}
	if !reflect.DeepEqual(was, is) {
		t.Errorf("the rest is %v, it was %v", is, was)
	}
}

// TestRestoreAfterEdits takes the hooks out of settings that somebody edited meanwhile.
func TestRestoreAfterEdits(t *testing.T) {
	for name, text := range files {
		installed, err := Install([]byte(text), command)
		if err != nil {
			t.Fatal(err)
		}
		if without, err := Restore(installed, [][]byte{[]byte(text)}); err != nil || string(without) != text {
			t.Errorf("%s: %v; got %q, want the backup", name, err, without)
		}
		edit := func(text string) string { return strings.Replace(text, `"opus"`, `"haiku" `, 1) }
		without, err := Restore([]byte(edit(string(installed))), [][]byte{[]byte(text)})
		if err != nil || !sameJSON(t, without, []byte(edit(text))) {
			t.Errorf("%s: %v; got %q, want %q", name, err, without, edit(text))
		}
	}
}

func TestInstallIntoNothing(t *testing.T) {
	installed, err := Install(nil, command)
	if err != nil {
		t.Fatal(err)
	}
	checkInstalled(t, "{}", installed)
	if commands, err := Commands(installed); err != nil || len(commands) != len(events) || commands["Stop"][0] != command {
		t.Errorf("%v, %v", commands, err)
	}
}

func TestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  // mine\n  \"a\": 1\n}": "line 2: ",
		"{\"a\": 1,}":                 "line 1: ",
		"{\"a\": 1":                   "unexpected",
		"[]":                          "not a JSON object",
		"{} {}":                       "something follows",
		"{\"hooks\": []}":             `"hooks" is not a JSON object`,
		"{\"hooks\": {\"Stop\": {}}}": "hooks.Stop is not a JSON array",
		"{\"a\": 1, \"a\": 2}":        "duplicate",
		"{\"hooks\": {\"Stop\": [], \"Stop\":[]}}": "duplicate",
	} {
		for _, change := range []func() error{
			func() error { _, err := Install([]byte(text), command); return err },
			func() error { _, _, err := uninstall([]byte(text)); return err },
		} {
			if err := change(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
	}
}

// Whatever the settings are, hooks go in without a change to the rest, or are refused, and come out.
func FuzzInstall(f *testing.F) {
	for _, text := range files {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		installed, err := Install(text, command)
		if err != nil {
			return
		}
		if again, err := Install(installed, command); err != nil || !bytes.Equal(again, installed) {
			t.Fatalf("%q became %q and then %q, %v", text, installed, again, err)
		}
		without, _, err := uninstall(installed)
		if err != nil {
			t.Fatalf("%q: %v", installed, err)
		}
		if commands, err := Commands(without); err != nil || len(commands) > 0 {
			t.Fatalf("%q: %v, %v", without, commands, err)
		}
	})
}
