package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// largestConfiguration is the number of seeds in the largest single configuration.
const largestConfiguration = 100_000

// oneConfiguration measures commands that read one configuration, or compare it with its baseline, as both grow.
func (b bench) oneConfiguration() error {
	path, err := b.newDatabase("one.db")
	if err != nil {
		return err
	}
	questions := b.configurationQuestions()
	var sizes []int
	var took, used []map[string]timings
	for have, size := 0, smallest/10; size <= min(b.largest, largestConfiguration); have, size = size, size*10 {
		if err := b.growConfigurations(path, have, size); err != nil {
			return err
		}
		wall, cpu, err := b.askConfiguration(path, questions, size)
		if err != nil {
			return err
		}
		sizes, took, used = append(sizes, size), append(took, wall), append(used, cpu)
	}
	printConfiguration(questions, sizes, took, used)
	return nil
}

// configurationQuestion is a command, and the number of configurations that it reads.
type configurationQuestion struct {
	name  string
	sides int // 0 if it reads one seed
	args  []string
}

func (b bench) configurationQuestions() []configurationQuestion {
	file := func(name string) string { return filepath.Join(b.dir, name) }
	return []configurationQuestion{
		{"show seed", 0, []string{"show", "seed", "growth_plus@c0", "7"}},
		{"stability", 1, []string{"stability", "growth_plus@c0"}},
		{"gate", 1, []string{"gate", "growth_plus@c0"}},
		{"improvement", 2, []string{"improvement", "growth_plus@c0", "--baseline", "growth_plus@c1"}},
		{"report stability", 1, []string{"report", "stability", "growth_plus@c0", "-o", file("stability.md")}},
		{"report scenario", 2, []string{"report", "scenario", "growth_plus@c0", "-o", file("scenario.md")}},
		{"report improvement", 2, []string{"report", "improvement", "growth_plus@c0", "--baseline", "growth_plus@c1", "-o", file("improvement.md")}},
		{"report index", 2, []string{"report", "index", "-o", file("reports/index.md")}},
		{"noise", 1, []string{"noise", "growth_plus@c0"}},
	}
}

// growConfigurations records more seeds of two configurations, until each has size of them instead of have.
func (b bench) growConfigurations(path string, have, size int) error {
	reader, writer := io.Pipe()
	go func() { _ = writer.CloseWithError(b.writeSeeds(writer, 2, have, size)) }()
	command := exec.CommandContext(b.ctx, b.track, "record", "batch", "-", "--db", path, "--quiet")
	command.Stdin = reader
	_, err := timedCommand(command)
	return err
}

// askConfiguration returns how long each command took, and how much processor time it used. The largest configuration
// is asked about once: all reports of it take a minute.
func (b bench) askConfiguration(path string, questions []configurationQuestion, size int) (took, used map[string]timings, err error) {
	took, used = map[string]timings{}, map[string]timings{}
	rounds := b.rounds
	if size == largestConfiguration {
		rounds = 1
	}
	for range rounds {
		for _, q := range questions {
			command := exec.CommandContext(b.ctx, b.track, append([]string{"--db", path}, q.args...)...)
			started := time.Now()
			text, err := command.CombinedOutput()
			if command.ProcessState == nil || command.ProcessState.ExitCode() > 4 || command.ProcessState.ExitCode() == 2 {
				return nil, nil, fmt.Errorf("%v: %w\n%s", command.Args, err, text)
			}
			took[q.name] = append(took[q.name], time.Since(started))
			used[q.name] = append(used[q.name], processorTime(command.ProcessState))
		}
	}
	return took, used, nil
}

func printConfiguration(questions []configurationQuestion, sizes []int, took, used []map[string]timings) {
	columns := []string{"command"}
	for _, size := range sizes {
		columns = append(columns, fmt.Sprintf("%d seeds", size))
	}
	heading("Commands on one configuration of 66 values, as it grows (whole process, median; once of the largest)", append(columns, "a seed that it reads", "processor time a seed")...)
	last := len(sizes) - 1
	for _, q := range questions {
		cells := []any{"track " + q.name}
		for i := range sizes {
			cells = append(cells, took[i][q.name])
		}
		perSeed := func(t timings) string {
			if q.sides == 0 {
				return ""
			}
			return fmt.Sprintf("%.1f µs", float64(t.median().Nanoseconds())/1000/float64(q.sides*sizes[last]))
		}
		row(append(cells, perSeed(took[last][q.name]), perSeed(used[last][q.name]))...)
	}
}

// peakMemory returns the most memory that a process held, in MB.
func peakMemory(state *os.ProcessState) float64 {
	return float64(state.SysUsage().(*syscall.Rusage).Maxrss) / 1e3
}

// processorTime returns the processor time that a process used; 0 for one that was not started.
func processorTime(state *os.ProcessState) time.Duration {
	if state == nil {
		return 0
	}
	return state.UserTime() + state.SystemTime()
}
