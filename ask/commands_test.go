package ask_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"track/answer"
	"track/ask"
)

// named is an answer that says nothing, with the commands or the question that give it, separated by a comma and a space.
type named struct {
	Name  string
	Value any
}

// answersOfCommands returns the answers of commands that are no questions, because they read files or run programs.
func answersOfCommands() []named {
	return []named{
		{Name: "record seed --spool, record execution --spool, record batch --spool", Value: answer.Spooled{}},
		{Name: "record seed", Value: answer.SeedReceipt{}},
		{Name: "record execution", Value: answer.ExecutionReceipt{}},
		{Name: "record batch", Value: answer.RecordedLines{}},
		{Name: "ingest", Value: answer.Ingested{}},
		{Name: "push", Value: answer.Pushed{}},
		{Name: "status", Value: answer.Status{}},
		{Name: "remote list", Value: answer.Remotes{}},
		{Name: "remote add, remote remove", Value: answer.ChangedRemote{}},
		{Name: "spec diff", Value: answer.SpecDiff{}},
		{Name: "design", Value: answer.Design{}},
		{Name: "sweep", Value: answer.SweepResult{}},
		{Name: "evolve", Value: answer.Evolved{}},
		{Name: "import", Value: answer.Imported{}},
		{Name: "import openevolve, import shinka, import gepa, import dgm", Value: answer.ImportedPrograms{}},
		{Name: "merge", Value: answer.Merged{}},
		{Name: "hook install, hook uninstall", Value: answer.HookSettings{}},
		{Name: "hook status", Value: answer.HookStatus{}},
		{Name: "init", Value: answer.DatabaseCreated{}},
		{Name: "backup", Value: answer.DatabaseBackedUp{}},
		{Name: "migrate", Value: answer.DatabaseMigrated{}},
	}
}

// allAnswers returns every answer, with what gives it.
func allAnswers() (list []named) {
	for _, q := range ask.All() {
		list = append(list, named{Name: q.Name, Value: q.Zero})
	}
	for _, q := range ask.Exports() {
		if _, isReport := q.Zero.(answer.ReportFiles); !isReport {
			list = append(list, named{Name: q.Name, Value: q.Zero})
		}
	}
	list = append(list, named{Name: "report stability files, report improvement files, report scenario files, report lineage files, report index files, report params files", Value: answer.ReportFiles{}})
	return append(list, answersOfCommands()...)
}

// TestAllAnswers holds that every type with tables is among all answers, so that none goes untested and undescribed.
func TestAllAnswers(t *testing.T) {
	files, err := filepath.Glob("../answer/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	known := map[string]bool{}
	for _, part := range []answer.Answer{ // of reports alone
		answer.LineageReview{}, answer.LineageFacts{}, answer.Decisions{}, answer.LineageNoise{}, answer.Provenance{}, answer.SeedScores{}, answer.PairedScores{},
	} {
		known[reflect.TypeOf(part).Name()] = true
	}
	for _, a := range allAnswers() {
		known[reflect.TypeOf(a.Value).Name()] = true
	}
	declaration := regexp.MustCompile(`(?m)^func \((?:\w+ )?\*?(\w+)\) Tables\(\)`)
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range declaration.FindAllStringSubmatch(string(text), -1) {
			if names = append(names, match[1]); !known[match[1]] {
				t.Errorf("%s: %s is the answer of no question and of no command", file, match[1])
			}
		}
	}
	if slices.Sort(names); len(slices.Compact(names)) < 50 {
		t.Errorf("found only %v", names)
	}
}
