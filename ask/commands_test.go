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
	"track/internal/jsondoc"
)

// answersOfCommands returns the answers of commands that are no questions, because they read files or run programs.
func answersOfCommands() []jsondoc.Named {
	return []jsondoc.Named{
		{Name: "record seed, execution and batch into a spool", Help: "keep records where nobody writes the database", Value: answer.Spooled{}},
		{Name: "record seed", Help: "record a seed, and judge it", Value: answer.SeedReceipt{}},
		{Name: "record execution", Help: "record an execution of an agent, and score it", Value: answer.ExecutionReceipt{}},
		{Name: "record batch", Help: "record many seeds and executions", Value: answer.RecordedLines{}},
		{Name: "ingest", Help: "record the lines in a spool", Value: answer.Ingested{}},
		{Name: "push", Help: "send to a server what was recorded for it", Value: answer.Pushed{}},
		{Name: "status", Help: "show what waits to be sent or recorded", Value: answer.Status{}},
		{Name: "push --all", Help: "send the records of a database to a server", Value: answer.PushedDatabase{}},
		{Name: "remote list", Help: "list the servers that have names", Value: answer.Remotes{}},
		{Name: "remote add, remote remove", Help: "give a server a name, or forget it", Value: answer.ChangedRemote{}},
		{Name: "spec diff", Help: "compare two versions of a spec", Value: answer.SpecDiff{}},
		{Name: "design", Help: "spread configurations over ranges of parameters", Value: answer.Design{}},
		{Name: "sweep", Help: "run a command over seeds, and record them", Value: answer.SweepResult{}},
		{Name: "repeat", Help: "run a recorded seed again, and compare", Value: answer.RepeatedSeed{}},
		{Name: "evolve", Help: "evolve a lineage by commands", Value: answer.Evolved{}},
		{Name: "import", Help: "record executions from the logs of agents", Value: answer.Imported{}},
		{Name: "import lineage", Help: "record an exported lineage", Value: answer.ImportedLineage{}},
		{Name: "import openevolve, shinka, gepa and dgm", Help: "record the programs of an evolver", Value: answer.ImportedPrograms{}},
		{Name: "merge, import bundle", Help: "record what other databases hold", Value: answer.Merged{}},
		{Name: "hook install, hook uninstall", Help: "change the settings of an agent", Value: answer.HookSettings{}},
		{Name: "hook status", Help: "show what hooks have recorded", Value: answer.HookStatus{}},
		{Name: "init", Help: "create a database", Value: answer.DatabaseCreated{}},
		{Name: "backup", Help: "write a copy of a database", Value: answer.DatabaseBackedUp{}},
		{Name: "migrate", Help: "bring a schema up to date", Value: answer.DatabaseMigrated{}},
	}
}

// allAnswers returns every answer, with what gives it.
func allAnswers() (list []jsondoc.Named) {
	for _, q := range ask.All() {
		list = append(list, jsondoc.Named{Name: q.Name, Help: q.Help, Value: q.Zero})
	}
	for _, q := range ask.Exports() {
		if _, isReport := q.Zero.(answer.ReportFiles); !isReport {
			list = append(list, jsondoc.Named{Name: q.Name, Help: q.Help, Value: q.Zero})
		}
	}
	list = append(list, jsondoc.Named{Name: "report stability files, and those of other reports", Help: "write the files of a report, through a server", Value: answer.ReportFiles{}})
	return append(list, answersOfCommands()...)
}

// TestAllAnswers holds that every type with tables is among all answers, so that none goes untested and undescribed.
func TestAllAnswers(t *testing.T) {
	files, err := filepath.Glob("../answer/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	known := map[string]bool{}
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
