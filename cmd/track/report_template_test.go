package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/reports/templates"
)

const exampleTemplates = "../../examples/templates/"

// evolvedLineage has a head, and a mutation that is open.
func evolvedLineage(t *testing.T) trackIn {
	t.Helper()
	in := newTrackIn(t)
	in.must("", "import", "sepa", "../../examples/evolve/sepa", "--lineage", "sepa")
	in.must("", "lineage", "new", "sepa", "--seed", "42", "--at", "2026-03-05T00:00:00Z")
	prompt, err := os.ReadFile("../../examples/evolve/sepa/versions/v002.md")
	if err != nil {
		t.Fatal(err)
	}
	in.must(string(prompt)+"Be brief, and say why.\n", "mutation", "propose", "--lineage", "sepa", "--child", "-", "--id", "m-1", "--operator", "example_inject", "--at", "2026-03-05T00:00:00Z")
	return in
}

// The templates of the examples, filled with real seeds and with a real lineage.
func TestExampleTemplates(t *testing.T) {
	t.Parallel()
	seeds, lineage := exampleDatabase(t, asTheyAre), evolvedLineage(t)
	for _, tt := range []struct {
		name, template string
		in             trackIn
		args           []string
	}{
		{"pull_request_stability", "pull-request.md.tmpl", seeds, []string{"stability", "growth_plus@small-economy"}},
		{"pull_request_improvement", "pull-request.md.tmpl", seeds, []string{"improvement", "growth_plus@small-economy", "--baseline", "growth_plus@bam-engine-0.10.2"}},
		{"pull_request_no_loss", "pull-request.md.tmpl", seeds, []string{"improvement", "buffer_stock", "--baseline", "growth_plus@bam-engine-0.10.2"}},
		{"pull_request_scenario", "pull-request.md.tmpl", seeds, []string{"scenario", "growth_plus@bam-engine-0.10.2"}},
		{"lineage_note", "lineage-note.md.tmpl", lineage, []string{"lineage", "sepa"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "report.md")
			args := append(append([]string{"report"}, tt.args...), "--template", exampleTemplates+tt.template)
			tt.in.must("", append(args, "-o", file)...)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "report/template_"+tt.name+".md", string(text))
			tt.in.must("", append(args, "--check", file)...)
			command := regexp.MustCompile("```sh\n(.*)\n```").FindStringSubmatch(string(text))
			if command == nil {
				t.Fatalf("no command:\n%s", text)
			}
			want := tt.in.must("", append([]string{"report"}, tt.args...)...)
			if got := tt.in.must("", strings.Fields(command[1])[1:]...); got != want {
				t.Errorf("%s gives another report (-want +got):\n%s", command[1], cmp.Diff(want, got))
			}
		})
	}
}

// The answer is what the commands answer, with null for what JSON leaves out.
func TestTemplateAnswers(t *testing.T) {
	t.Parallel()
	seeds, lineage := exampleDatabase(t, asTheyAre), evolvedLineage(t)
	for _, tt := range []struct {
		in       trackIn
		report   []string
		source   string
		question []string
		part     func(answer map[string]any) any // that the template has; nil for the whole
	}{
		{seeds, []string{"stability", "growth_plus@small-economy"}, "{{json .Answer}}", []string{"stability", "growth_plus@small-economy"}, nil},
		{seeds, []string{"stability", "growth_plus@small-economy"}, "{{json .Gate}}", []string{"gate", "growth_plus@small-economy"}, nil},
		{seeds, []string{"improvement", "buffer_stock", "--baseline", "growth_plus@bam-engine-0.10.2"}, "{{json .Answer}}", []string{"improvement", "buffer_stock", "--baseline", "growth_plus@bam-engine-0.10.2"}, nil},
		{seeds, []string{"scenario", "growth_plus@bam-engine-0.10.2", "--limit", "2"}, "{{json .Answer.history}}", []string{"history", "growth_plus", "--limit", "2"}, nil},
		{seeds, []string{"scenario", "growth_plus@bam-engine-0.10.2"}, "{{json .Answer.stability}}", []string{"stability", "growth_plus@bam-engine-0.10.2"}, nil},
		{lineage, []string{"lineage", "sepa"}, "{{json .Answer.show}}", []string{"lineage", "show", "sepa"}, nil},
		{lineage, []string{"lineage", "sepa"}, "{{json .Answer.replay}}", []string{"replay", "--lineage", "sepa", "--strict"}, func(a map[string]any) any { return a["items"].([]any)[0] }},
		{lineage, []string{"lineage", "sepa"}, "{{json .Answer.mutations}}", []string{"mutation", "list", "--lineage", "sepa"}, func(a map[string]any) any { return a["items"] }},
	} {
		template := writeTemplate(t, "a.txt.tmpl", tt.source)
		got := tt.in.must("", append(append([]string{"report"}, tt.report...), "--template", template)...)
		want, problem, _ := tt.in.run("", append(tt.question, "--format", "json")...) // a gate that fails answers too
		var gotValue, wantValue any
		if err := json.Unmarshal([]byte(got), &gotValue); err != nil {
			t.Fatalf("%v: %v:\n%s", tt.report, err, got)
		}
		if err := json.Unmarshal([]byte(want), &wantValue); err != nil {
			t.Fatalf("%v: %v:\n%s%s", tt.question, err, want, problem)
		}
		if tt.part != nil {
			wantValue = tt.part(wantValue.(map[string]any))
		}
		if diff := cmp.Diff(withoutNull(wantValue), withoutNull(gotValue)); diff != "" {
			t.Errorf("%v, %s (-track %v +template):\n%s", tt.report, tt.source, tt.question, diff)
		}
	}
}

func withoutNull(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutNull(v[i])
		}
	case map[string]any:
		// What of a gate names the argument, which a report has by its hash.
		for name := range v {
			if v[name] = withoutNull(v[name]); v[name] == nil || name == "name" && v["fail_on"] != nil {
				delete(v, name)
			}
		}
	}
	return v
}

func writeTemplate(t *testing.T, name, source string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// The pictures that a report by a template names stand beside it, and only those.
func TestTemplatePictures(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	template := writeTemplate(t, "a.md.tmpl", "{{.Title}}\n\n{{section \"Scores over seeds\"}}\n")
	folder := t.TempDir()
	report := []string{"report", "stability", "buffer_stock", "--template", template}
	for _, name := range []string{"report.md", "page.html", "text.slack"} {
		in.must("", append(report, "-o", filepath.Join(folder, name))...)
		in.must("", append(report, "--check", filepath.Join(folder, name))...)
	}
	files := readFolder(t, folder)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"page.html", "report.md", "report_files/scores.svg", "text.slack", "text_files/scores.svg"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(files["page.html"], "<svg") || !strings.Contains(files["report.md"], "](report_files/scores.svg)") {
		t.Errorf("no pictures:\n%s\n%.300s", files["report.md"], files["page.html"])
	}
	if out := in.must("", report...); !strings.Contains(out, "Picture: ") || strings.Contains(out, "![") {
		t.Errorf("on standard output:\n%s", out)
	}
	for _, suffix := range []string{".md", ".html", ".txt"} {
		named := writeTemplate(t, "a"+suffix+".tmpl", `{{picture "scores"}}{{len .Pictures}}`)
		if out := in.must("", "report", "stability", "buffer_stock", "--template", named); !strings.HasPrefix(out, "Picture: Total scores") || strings.Contains(out, "<svg") || !strings.HasSuffix(strings.TrimSpace(out), "0") {
			t.Errorf("%s on standard output: %s", suffix, out)
		}
	}
	if err := os.Remove(filepath.Join(folder, "report_files", "scores.svg")); err != nil {
		t.Fatal(err)
	}
	if out, _, code := in.run("", append(report, "--check", filepath.Join(folder, "report.md"))...); code != exitFail || !strings.Contains(out, "scores.svg is missing") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestTemplateProblems(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	template := writeTemplate(t, "a.md.tmpl", "line\n{{.Answer.nosuch}}")
	for _, tt := range []struct {
		want string
		code int
		args []string
	}{
		{`a.md.tmpl:2: .Answer.nosuch: there is no field "nosuch"; there are combined_score, configuration, `, exitInvalid, []string{"--template", template}},
		{`a.md.tmpl:1: unclosed`, exitInvalid, []string{"--template", writeTemplate(t, "a.md.tmpl", "{{if .x")}},
		{`there is no section "Nosuch"; there are "Summary", "Gate", `, exitInvalid, []string{"--template", writeTemplate(t, "a.md.tmpl", `{{section "Nosuch"}}`)}},
		{"nosuch.tmpl", exitNotFound, []string{"--template", "nosuch.tmpl"}},
		{"is a folder", exitUsage, []string{"--template", t.TempDir()}},
		{"is the file that the report would be written to", exitUsage, []string{"--template", template, "-o", template}},
		{"ends in .md or .html", exitUsage, []string{"-o", "a.txt"}},
	} {
		out, problem, code := in.run("", append([]string{"report", "stability", "baseline@bam-engine-0.10.2"}, tt.args...)...)
		if code != tt.code || out != "" || !strings.Contains(problem, tt.want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", tt.args, code, tt.code, tt.want, out, problem)
		}
	}
}

// A template that cannot be filled shows nothing, so it is no look.
func TestTemplateProblemIsNoLook(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	compare := []string{"improvement", "buffer_stock", "--baseline", "growth_plus@bam-engine-0.10.2"}
	count := func() string {
		return in.must("", "query", "SELECT count(*) AS n FROM look", "--format", "csv")
	}
	before := count()
	in.run("", append(append([]string{"report"}, compare...), "--template", writeTemplate(t, "a.md", "{{.Nosuch}}"))...)
	if after := count(); after != before {
		t.Errorf("looks: %s, then %s", before, after)
	}
	in.must("", append(append([]string{"report"}, compare...), "--template", writeTemplate(t, "a.md", "{{.Title}}"))...)
	if after := count(); after == before {
		t.Errorf("a report by a template is a look: %s", after)
	}
}

// What is recorded is text in the templates of the examples, whatever it looks like.
func TestTemplatesOfHostileNames(t *testing.T) {
	t.Parallel()
	evil := "<script>alert(1)</script> | `x` ](y) **b** end"
	in := newTrackIn(t)
	in.must(strings.ReplaceAll(twoMetrics, "name: a,", "name: "+quoteJSON(evil)+","), "spec", "add", "-")
	in.must(recordedSeeds("old", 7, func(int) string { return `"values":{` + quoteJSON(evil) + `:0.9,"b":1}` })+
		recordedSeeds(evil, 7, func(i int) string {
			if i == 0 {
				return `"outcome":"error","message":` + quoteJSON(evil+"\n# "+evil)
			}
			return `"values":{` + quoteJSON(evil) + `:7,"b":1}`
		}), "record", "batch", "-", "--quiet")
	in.must("", "baseline", "set", "s@old", "--reason", "before", "--quiet")
	for _, kind := range []string{"stability", "improvement", "scenario"} {
		for _, suffix := range []string{".md", ".html"} {
			file := filepath.Join(t.TempDir(), "report"+suffix)
			in.must("", "report", kind, "s", "--template", exampleTemplates+"pull-request.md.tmpl", "-o", file)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "<script") || strings.Contains(string(text), "**b**") && suffix == ".md" || !strings.Contains(string(text), "alert(1)") {
				t.Errorf("%s%s:\n%s", kind, suffix, text)
			}
		}
	}
}

func quoteJSON(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // of a test
	}
	return string(text)
}

// docs/reference/report-templates.md has every field and every function, and no other.
func TestTemplatesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reference/report-templates.md")
	if err != nil {
		t.Fatal(err)
	}
	section := string(text)
	names := func(pattern string) (list []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(section, -1) {
			list = append(list, m[1])
		}
		slices.Sort(list)
		return list
	}
	var fields []string
	for _, name := range templates.Fields() {
		fields = append(fields, "."+name)
	}
	if diff := cmp.Diff(fields, names("(?m)^\\| `(\\.[A-Za-z]+)` \\|")); diff != "" {
		t.Errorf("fields (-there are +documented):\n%s", diff)
	}
	if diff := cmp.Diff(templates.Functions(), names("(?m)^\\| `([a-z]+) ")); diff != "" {
		t.Errorf("functions (-there are +documented):\n%s", diff)
	}
	answers := strings.Join(names("`\\.(Answer\\.[a-z]+)`"), " ")
	in, lineage := exampleDatabase(t, asTheyAre), evolvedLineage(t)
	keys := writeTemplate(t, "a.txt", `{{range $name, $value := .Answer}}Answer.{{$name}} {{end}}`)
	for _, there := range []string{in.must("", "report", "scenario", "baseline@bam-engine-0.10.2", "--template", keys), lineage.must("", "report", "lineage", "sepa", "--template", keys)} {
		for _, name := range strings.Fields(there) {
			if !strings.Contains(answers, name) {
				t.Errorf("%s is not documented", name)
			}
		}
	}
	// The fields of answers are those of docs/reference/answers.schema.json.
	reference, err := os.ReadFile("../../docs/reference/answers.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{"history": true, "stability": true, "improvement": true}
	for _, name := range regexp.MustCompile(`\w+`).FindAllString(string(reference), -1) {
		documented[name] = true
	}
	all := writeTemplate(t, "b.txt", "{{json .Answer}}{{json .Gate}}")
	for _, args := range [][]string{{"stability", "growth_plus@bam-engine-0.10.2"}, {"improvement", "buffer_stock", "--baseline", "growth_plus@bam-engine-0.10.2"}, {"scenario", "growth_plus@bam-engine-0.10.2"}} {
		out := in.must("", append(append([]string{"report"}, args...), "--template", all)...)
		out = regexp.MustCompile(`"params":\{[^}]*\}`).ReplaceAllString(out, "")
		for _, m := range regexp.MustCompile(`"([a-z_0-9]+)":`).FindAllStringSubmatch(out, -1) {
			if name := m[1]; !documented[name] {
				t.Errorf("%v: %s is not in docs/reference/answers.schema.json", args, name)
			}
		}
	}
}
