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
)

// The largest database that is measured: configurations of 1,000 seeds, and one of a million. Its seeds have two
// values, so that it takes some 4 GB.
const (
	tenMillion = 10_000_000
	million    = 1_000_000

	largeBatches = 3 // of 10,000 seeds, to be measured
)

const largeSpec = `scenario: large
metrics:
  - {name: a, type: RANGE, weight: 1, min: -3, max: 3}
  - {name: b, type: MEAN_TOLERANCE, weight: 1, target: 10, tolerance: 3}
`

// large records 10⁷ seeds and compares what people wait for with a database of 10⁴.
func (b bench) large() error {
	path, err := b.newLarge(filepath.Join(b.dir, "large.db"))
	if err != nil {
		return err
	}
	questions := [][]string{
		{"stability", "large@c3"}, {"seeds", "--limit", "50"}, {"seeds", "large", "--limit", "50"}, {"show", "seed", "large@c3", "7"}, {"history", "large", "--limit", "10"},
	}
	small, err := b.measureLarge(path, 0, smallest, questions)
	if err != nil {
		return err
	}
	started := time.Now()
	have := (1 + largeBatches) * smallest
	all := tenMillion - million - have
	if _, err := b.recordLarge(path, have, all, perConfiguration); err != nil {
		return err
	}
	if _, err := b.recordLarge(path, tenMillion, million, million); err != nil {
		return err
	}
	rate := float64(all+million) / time.Since(started).Seconds()
	large, err := b.measureLarge(path, tenMillion+million, 0, questions)
	if err != nil {
		return err
	}
	heading("10⁷ seeds of two values (processor time, median)", "command", "10⁴ seeds", "10⁷ seeds", "last against first")
	for i, name := range append([]string{"record batch of 10,000 seeds"}, names(questions)...) {
		row("track "+name, small[i], large[i], ratio(large[i], small[i]))
	}
	return b.printLarge(path, rate)
}

func names(questions [][]string) (list []string) {
	for _, q := range questions {
		list = append(list, fmt.Sprint(q))
	}
	return list
}

func (b bench) newLarge(path string) (string, error) {
	spec := filepath.Join(b.dir, "large.yaml")
	if err := os.WriteFile(spec, []byte(largeSpec), 0o644); err != nil {
		return "", err
	}
	if err := b.command("init", "--db", path); err != nil {
		return "", err
	}
	return path, b.command("spec", "add", spec, "--db", path)
}

// measureLarge records warm seeds from the number first on. It returns the processor time that each batch of 10,000
// more seeds takes, and then each question.
func (b bench) measureLarge(path string, first, warm int, questions [][]string) ([]timings, error) {
	if _, err := b.recordLarge(path, first, warm, perConfiguration); err != nil {
		return nil, err
	}
	measured := make([]timings, 1+len(questions))
	for k := range largeBatches {
		used, err := b.recordLarge(path, first+warm+k*smallest, smallest, perConfiguration)
		if err != nil {
			return nil, err
		}
		measured[0] = append(measured[0], used)
	}
	for range 3 * b.rounds {
		for i, question := range questions {
			command := exec.CommandContext(b.ctx, b.track, append([]string{"--db", path, "--format", "json"}, question...)...)
			if _, err := timedCommand(command); err != nil {
				return nil, err
			}
			measured[i+1] = append(measured[i+1], processorTime(command.ProcessState))
		}
	}
	return measured, nil
}

// recordLarge records n seeds of configurations of the given size, through a pipe, and returns the processor time.
func (b bench) recordLarge(path string, first, n, size int) (time.Duration, error) {
	if n == 0 {
		return 0, nil
	}
	reader, writer := io.Pipe()
	go func() { _ = writer.CloseWithError(writeLarge(writer, first, n, size)) }()
	command := exec.CommandContext(b.ctx, b.track, "record", "batch", "-", "--db", path, "--quiet")
	command.Stdin = reader
	_, err := timedCommand(command)
	return processorTime(command.ProcessState), err
}

func writeLarge(w io.Writer, first, n, size int) error {
	random := rand.New(rand.NewPCG(1, uint64(first)))
	out := bufio.NewWriterSize(w, 1<<20)
	for i := first; i < first+n; i++ {
		_, err := fmt.Fprintf(out, `{"kind":"seed","scenario":"large","seed":"%d","values":{"a":%.6f,"b":%.6f},"configuration":{"label":"c%d","commit":"303e61f"}}`+"\n",
			i%size, random.NormFloat64(), 10+random.NormFloat64(), i/size+size/million*tenMillion)
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// printLarge prints the rate of the whole, the size, and the stability of the configuration of a million seeds.
func (b bench) printLarge(path string, rate float64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	started := time.Now()
	command := exec.CommandContext(b.ctx, b.track, "--db", path, "--format", "json", "stability", fmt.Sprintf("large@c%d", tenMillion/million+tenMillion))
	if _, err := timedCommand(command); err != nil {
		return err
	}
	fmt.Printf("\nRecorded at %.0f seeds a second; %.2f GB. The stability of one configuration of 10⁶ seeds took %.2f s, with %.0f MB of memory.\n",
		rate, float64(info.Size())/1e9, time.Since(started).Seconds(), peakMemory(command.ProcessState))
	return nil
}
