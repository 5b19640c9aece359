package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const formatSpec = `
scenario: s
title: "a | b"
metrics:
  - {name: a, type: RANGE, min: 0, max: 1, group: G}
  - {name: b, type: BOOLEAN, threshold: 0.5, target_desc: "> 0.5 | *high*"}
`

const formatSeeds = `{"kind":"seed","scenario":"s","seed":"1","values":{"a":0.5,"b":1},"configuration":{"label":"v|1"}}
{"kind":"seed","scenario":"s","seed":"2","values":{"a":"NaN","b":1,"extra":"Infinity"},"configuration":{"label":"v|1"}}
{"kind":"seed","scenario":"s","seed":"3","values":{"a":0.5},"configuration":{"label":"v|1"}}
{"kind":"seed","scenario":"s","seed":"4","outcome":"error","message":"first line\nsecond \"line\", \u001b[31mred","configuration":{"label":"v|1"}}
`

// formatFolder makes a folder with a database of seeds that are awkward to print.
func formatFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"prompt.md": "Be | *brief*.\n```\n", "child.md": "Be | <brief>.\n```\n\n", "spec.yaml": formatSpec, "next.yaml": strings.Replace(formatSpec, "0.5,", "1.5,", 1), "seeds.jsonl": formatSeeds,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mustTrack(t, dir, "spec", "add", "spec.yaml")
	mustTrack(t, dir, "record", "batch", "seeds.jsonl")
	mustTrack(t, dir, "lineage", "new", "l|*x*", "--root", filepath.Join(dir, "prompt.md"), "--seed", "1")
	mustTrack(t, dir, "mutation", "next")
	mustTrack(t, dir, "mutation", "propose", "--child", filepath.Join(dir, "child.md"), "--id", "m|1", "--operator", "o|", "--note", "a | *b*\n<c>")
	mustTrack(t, dir, "record", "execution", "--lineage", "l|*x*", "--version", "v001", "--score", "50")
	mustTrack(t, dir, "record", "execution", "--lineage", "l|*x*", "--version", "v002", "--score", "60", "--task", "t|")
	mustTrack(t, dir, "mutation", "decide", "m|1", "--policy", "threshold")
	return dir
}

// TestFormats reads everything in every format: valid, nothing on standard error, and no escape sequence where there
// is no terminal.
func TestFormats(t *testing.T) {
	t.Chdir(formatFolder(t))
	for _, command := range [][]string{
		{"init"},
		{"migrate"},
		{"spec", "list"},
		{"spec", "show", "s"},
		{"spec", "diff", "s", "next.yaml"},
		{"spec", "diff", "s", "s"},
		{"spec", "lint", "next.yaml"},
		{"spec", "add", "spec.yaml"},
		{"record", "batch", "seeds.jsonl"},
		{"record", "seed", "--scenario", "s", "--seed", "4", "--commit", "x", "--outcome", "error"},
		{"stability", "s"},
		{"stability", "s", "--seeds", "4"},
		{"seeds"},
		{"seeds", "s", "--label", "nosuch"},
		{"show", "seed", "s", "1"},
		{"show", "seed", "s", "2"},
		{"show", "seed", "s", "3"},
		{"show", "seed", "s@v|1", "4"},
		{"history", "s"},
		{"history", "s", "--metric", "a"},
		{"baseline", "list"},
		{"baseline", "set", "s", "--reason", "a | *b* <c>"},
		{"baseline", "show", "s"},
		{"gate", "s@v|1", "--min-score", "0", "--fail-on", "fail"},
		{"compare", "s", "s@v|1"},
		{"noise", "s@v|1", "--resamples", "20", "--sizes", "5"},
		{"seeds-needed", "s@v|1", "--effect", "0.1"},
		{"rescore", "s"},
		{"lineage", "list"},
		{"lineage", "show", "l|*x*"},
		{"lineage", "head", "l|*x*"},
		{"lineage", "new", "l|*x*"},
		{"lineage", "set", "l|*x*", "interval=4"},
		{"mutation", "propose", "--child", "child.md", "--parent", "v001", "--operator", "o|", "--id", "m|1"},
		{"mutation", "next"},
		{"mutation", "decide", "m|1", "--policy", "threshold"},
		{"mutation", "list"},
		{"mutation", "list", "--state", "refused"},
		{"mutation", "show", "m|1"},
		{"mutation", "diff", "m|1"},
		{"rollback", "l|*x*", "--if-triggered"},
		{"operators", "--suggest"},
		{"draws"},
		{"version", "list"},
		{"version", "show", "l|*x*@v002"},
		{"version", "diff", "l|*x*@v002"},
		{"replay", "--strict", "--counterfactual", "confirm"},
		{"replay", "--lineage", "l|*x*"},
		{"replay", "--decision", "d-"},
		{"lineage", "freeze", "l|*x*"},
		{"query", "SELECT * FROM v_ledger"},
		{"query", "SELECT * FROM v_result"},
		{"query", "SELECT * FROM v_seed WHERE seed = 'none'"},
	} {
		t.Run(strings.Join(command, " "), func(t *testing.T) {
			for format, check := range formatChecks {
				code, stdout, stderr := inProcess(t, append(command, "--quiet", "--format", format))
				if code != exitOK || stderr != "" {
					t.Fatalf("%s: exit code %d, standard error %q", format, code, stderr)
				}
				if strings.ContainsAny(stdout, "\x1b\r") {
					t.Errorf("%s: escape sequence or carriage return in %q", format, stdout)
				}
				check(t, stdout)
			}
		})
	}
}

var formatChecks = map[string]func(t *testing.T, stdout string){
	"table": func(t *testing.T, stdout string) {
		if strings.TrimSpace(stdout) == "" {
			t.Error("table: nothing is said")
		}
		for line := range strings.Lines(stdout) {
			if strings.TrimRight(line, " ") != line {
				t.Errorf("table: %q ends in spaces", line)
			}
		}
	},
	"json": func(t *testing.T, stdout string) {
		if !json.Valid([]byte(stdout)) || !strings.HasSuffix(stdout, "\n") {
			t.Errorf("json: %q", stdout)
		}
	},
	"jsonl": func(t *testing.T, stdout string) {
		for line := range strings.Lines(stdout) {
			if !json.Valid([]byte(line)) || line[0] != '{' {
				t.Errorf("jsonl: %q is no object", line)
			}
		}
	},
	"csv": func(t *testing.T, stdout string) { // the reader refuses rows of another length than the first
		if rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll(); err != nil || len(rows) == 0 {
			t.Errorf("csv: %v in %q", err, stdout)
		}
	},
	"md": func(t *testing.T, stdout string) {
		cells := 0
		for line := range strings.Lines(stdout) {
			bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if !strings.HasPrefix(line, "|") {
				bars = 0
			}
			if cells > 0 && bars > 0 && bars != cells {
				t.Errorf("md: %q is a row of another table", line)
			}
			cells = bars
		}
	},
}

// TestJSONLinesAreTheDocument holds the lines of --format jsonl against the elements of --format json.
func TestJSONLinesAreTheDocument(t *testing.T) {
	t.Parallel()
	dir := formatFolder(t)
	for _, command := range [][]string{{"seeds"}, {"spec", "list"}, {"spec", "diff", "s", "next.yaml"}, {"query", "SELECT * FROM v_result"}, {"mutation", "list"}, {"version", "list"}, {"lineage", "list"}, {"draws"}} {
		elements := listElements(t, mustTrack(t, dir, append(command, "--format", "json")...))
		lines := strings.Split(strings.TrimSpace(mustTrack(t, dir, append(command, "--format", "jsonl")...)), "\n")
		if len(elements) == 0 || len(lines) != len(elements) {
			t.Errorf("%v: %d lines, %d elements", command, len(lines), len(elements))
			continue
		}
		for i, line := range lines {
			var fromLine, fromDocument any
			if json.Unmarshal([]byte(line), &fromLine) != nil || json.Unmarshal(elements[i], &fromDocument) != nil {
				t.Fatalf("%v: %s is no JSON", command, line)
			}
			a, _ := json.Marshal(fromLine)
			b, _ := json.Marshal(fromDocument)
			if string(a) != string(b) {
				t.Errorf("%v: line %d is %s, element %s", command, i+1, a, b)
			}
		}
	}
}

// listElements returns the elements of a list: of a page of items, or of an array.
func listElements(t *testing.T, document string) (elements []json.RawMessage) {
	t.Helper()
	var page struct {
		Items []json.RawMessage `json:"items"`
	}
	if json.Unmarshal([]byte(document), &page) == nil {
		return page.Items
	}
	if err := json.Unmarshal([]byte(document), &elements); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	return elements
}
