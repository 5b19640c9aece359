package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"track/importer/lines"
)

// example returns the values of the example's seeds of growth_plus, 66 metrics each.
func (b bench) exampleValues() ([]map[string]float64, error) {
	file, err := os.Open(filepath.Join(b.example, "growth_plus.jsonl"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var list []map[string]float64
	for record, err := range lines.Read(file.Name(), file) {
		if err != nil {
			return nil, err
		}
		if record.Err != nil {
			return nil, record.Err
		}
		list = append(list, record.Seed.Values)
	}
	return list, nil
}

// writeSeeds writes a line for each seed from the number from to the number to of each configuration: the example's
// values with a little noise.
func (b bench) writeSeeds(w io.Writer, configurations, from, to int) error {
	examples, err := b.exampleValues()
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, uint64(from)))
	out := bufio.NewWriterSize(w, 1<<20)
	for i := range configurations * (to - from) {
		configuration, number := i/(to-from), from+i%(to-from)
		values := make(map[string]float64, 66)
		for name, value := range examples[number%len(examples)] {
			values[name] = value * (1 + 0.01*random.NormFloat64())
		}
		line := map[string]any{
			"kind": "seed", "scenario": "growth_plus", "seed": fmt.Sprint(number), "values": values,
			"configuration": map[string]any{"label": fmt.Sprintf("c%d", configuration), "commit": "303e61f"},
		}
		if err := json.MarshalWrite(out, line); err != nil {
			return err
		}
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return out.Flush()
}

// writeBatch writes a file of n seeds, perConfiguration of each configuration.
func (b bench) writeBatch(name string, n, perConfiguration int) (path string, err error) {
	file, err := os.Create(filepath.Join(b.dir, name))
	if err != nil {
		return "", err
	}
	if err := b.writeSeeds(file, n/perConfiguration, 0, perConfiguration); err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// newDatabase makes a database with the example's spec.
func (b bench) newDatabase(name string) (string, error) {
	path := filepath.Join(b.dir, name)
	if err := b.command("init", "--db", path); err != nil {
		return "", err
	}
	return path, b.command("spec", "add", filepath.Join(b.example, "growth_plus.yaml"), "--db", path)
}

func (b bench) command(args ...string) error {
	_, err := b.timed(args...)
	return err
}

// timed runs track and returns how long it took.
func (b bench) timed(args ...string) (time.Duration, error) {
	return timedCommand(exec.CommandContext(b.ctx, b.track, args...))
}

func timedCommand(command *exec.Cmd) (time.Duration, error) {
	output := new(tail)
	command.Stderr = output
	started := time.Now()
	err := command.Run()
	took := time.Since(started)
	if err != nil {
		return took, fmt.Errorf("%v: %w\n%s", command.Args, err, output.text)
	}
	return took, nil
}

// processes are the times that processes of one kind took.
type processes struct {
	wall timings
	cpu  timings // user and system, which other work on the machine lengthens less
}

// run runs a command and adds its times.
func (p *processes) run(command *exec.Cmd) error {
	took, err := timedCommand(command)
	if err != nil {
		return err
	}
	p.wall = append(p.wall, took)
	p.cpu = append(p.cpu, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
	return nil
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	const kept = 4096
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-kept):]
	return len(p), nil
}

// output runs track and returns what it prints.
func (b bench) output(args ...string) ([]byte, error) {
	text, err := exec.CommandContext(b.ctx, b.track, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("track %v: %w", args, err)
	}
	return text, nil
}
