package main

import (
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"track/spec"
)

// yamlBlocks returns the YAML of docs/how-to/ci.md: a spec, a workflow of GitHub Actions, a pipeline of GitLab.
func yamlBlocks(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/how-to/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, match := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, match[1])
	}
	if len(blocks) != 3 {
		t.Fatalf("docs/how-to/ci.md has %d blocks of YAML, want 3", len(blocks))
	}
	return blocks
}

func TestCISpec(t *testing.T) {
	s, err := spec.Parse("docs/how-to/ci.md", []byte(yamlBlocks(t)[0]))
	if err != nil {
		t.Fatal(err)
	}
	if g := s.Gate; g == nil || g.MinSeeds != 35 || *g.MinScore != 0.8 || *g.MaxStd != 0.05 || !g.NoDegradation {
		t.Errorf("the gate of the spec is %+v", s.Gate)
	}
}

// githubScript is what the steps of the workflow run, but for the installation.
func githubScript(t *testing.T, text string) string {
	t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Uses, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
		t.Fatal(err)
	}
	var script []string
	for _, step := range workflow.Jobs["gate"].Steps {
		if (step.Run == "") == (step.Uses == "") {
			t.Errorf("step %q neither runs nor uses something, or both", step.Name)
		}
		if step.Run != "" && step.Name != "Install track" {
			script = append(script, step.Run)
		}
	}
	return strings.Join(script, "\n")
}

// gitlabScript is what the job of the pipeline runs, but for the installation.
func gitlabScript(t *testing.T, text string) string {
	t.Helper()
	var pipeline map[string]struct {
		Script    []string
		Artifacts struct {
			Paths   []string
			Reports struct{ JUnit string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &pipeline); err != nil {
		t.Fatal(err)
	}
	gate := pipeline["gate"]
	if len(gate.Script) != 4 || !strings.HasPrefix(gate.Script[0], "make ") {
		t.Fatalf("the script of the pipeline is %q", gate.Script)
	}
	if gate.Artifacts.Reports.JUnit != "gate.xml" || len(gate.Artifacts.Paths) != 1 || gate.Artifacts.Paths[0] != "gate.md" {
		t.Errorf("the artifacts are %+v", gate.Artifacts)
	}
	return strings.Join(gate.Script[1:], "\n")
}

// simulate prints the values of a real seed as a simulation would. Beyond the ten there are, the seed's own digits at
// the end of each fraction make another one. Seed 4 crashes where CRASH is set.
const simulate = `[ "$1" = 4 ] && [ -n "$CRASH" ] && exit 1
sed -n "$(($1 % 10 + 1))p" examples/bam/growth_plus.jsonl | sed 's/.*"values"://; s/,"configuration".*//' |
	if [ "$1" -ge 10 ]; then sed -E "s/([0-9]\\.[0-9]{6})[0-9]*/\\1$1/g"; else cat; fi
`

func TestCIExamples(t *testing.T) {
	blocks := yamlBlocks(t)
	for _, tt := range []struct{ name, script, crash, verdict string }{
		{"GitHub Actions", githubScript(t, blocks[1]), "", "PASS"},
		{"GitHub Actions with a crash", githubScript(t, blocks[1]), "1", "INCONCLUSIVE"},
		{"GitLab", gitlabScript(t, blocks[2]), "", "PASS"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := cloneFolder(t)
			if err := os.WriteFile(filepath.Join(dir, "simulate.sh"), []byte(simulate), 0o666); err != nil {
				t.Fatal(err)
			}
			summary := filepath.Join(dir, "summary.md")
			run := func(script string) (string, int) {
				shell := exec.Command("sh", "-eu", "-c", script)
				shell.Dir = dir
				shell.Env = append(environ(), "GITHUB_STEP_SUMMARY="+summary, "CI_COMMIT_BRANCH=main", "CRASH="+tt.crash)
				out, err := shell.CombinedOutput()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					t.Fatalf("%v: %s", err, out)
				}
				return string(out), shell.ProcessState.ExitCode()
			}
			if out, code := run("track init; track spec add examples/bam/growth_plus.yaml; " +
				`for seed in $(seq 0 39); do printf '{"kind":"seed","scenario":"growth_plus","seed":"%s","values":%s,"configuration":{"label":"release","commit":"303e61f"}}\n' $seed "$(CRASH= sh simulate.sh $seed)"; done | ` +
				"track record batch --quiet -; track baseline set growth_plus@release --reason 'release 0.10.2'"); code != 0 {
				t.Fatalf("exit %d: %s", code, out)
			}
			out, code := run(tt.script)
			want := map[string]int{"PASS": exitOK, "INCONCLUSIVE": exitInconclusive}[tt.verdict]
			if code != want || !strings.Contains(out, tt.verdict+": growth_plus@") {
				t.Fatalf("exit %d, want %d and %s:\n%s", code, want, tt.verdict, out)
			}
			text, err := os.ReadFile(summary)
			if err != nil || !strings.Contains(string(text), "track gate: "+tt.verdict) {
				t.Errorf("the summary is %q, %v", text, err)
			}
			checkJUnit(t, filepath.Join(dir, "gate.xml"), tt.crash != "")
			pinned, _ := run("track baseline show growth_plus --format csv")
			if moved := strings.Contains(pinned, "main passed its gate"); moved != (tt.verdict == "PASS") {
				t.Errorf("after %s the baselines are\n%s", tt.verdict, pinned)
			}
		})
	}
}

// checkJUnit reads JUnit as a CI server does: three rules, 66 metrics and the one that is left out; the rule and the
// metrics again since the anchor; and one more case in each that says that a seed crashed.
func checkJUnit(t *testing.T, path string, crashed bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Name string `xml:"name,attr"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(data, &suites); err != nil {
		t.Fatal(err)
	}
	own, anchored := 70, 68
	if crashed {
		own, anchored = own+1, anchored+1
	}
	if suites.Tests != own+anchored || len(suites.Suites) != 2 || len(suites.Suites[0].Cases) != own || len(suites.Suites[1].Cases) != anchored || (suites.Failures > 0) != crashed {
		t.Errorf("JUnit has %d tests, %d failures, %d suites", suites.Tests, suites.Failures, len(suites.Suites))
	}
}
