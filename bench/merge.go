package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Shards as a cluster leaves them: seeds of a dozen metrics, judged where they ran.
const (
	shards         = 8
	seedsOfShard   = 100_000
	metricsOfShard = 12
)

// merge measures track merge: shards into a new database, all at once and then again, and the batch that recorded
// them beside it.
func (b bench) merge() error {
	spec := filepath.Join(b.dir, "shard.yaml")
	if err := os.WriteFile(spec, []byte(shardSpec()), 0o666); err != nil {
		return err
	}
	var files []string
	var recording time.Duration
	for i := range shards {
		file := filepath.Join(b.dir, fmt.Sprintf("shard-%d.db", i))
		defer func() { _ = os.Remove(file) }()
		if err := errors.Join(b.command("init", "--db", file), b.command("spec", "add", spec, "--db", file)); err != nil {
			return err
		}
		lines := filepath.Join(b.dir, "shard.jsonl")
		if err := writeShard(lines, i); err != nil {
			return err
		}
		took, err := b.timed("record", "batch", lines, "--db", file)
		if err != nil {
			return err
		}
		recording += took
		files = append(files, file)
	}
	target := filepath.Join(b.dir, "merged.db")
	defer func() { _ = os.Remove(target) }()
	if err := b.command("init", "--db", target); err != nil {
		return err
	}
	heading(fmt.Sprintf("Merging %d databases of %d seeds of %d metrics, whole process", shards, seedsOfShard, metricsOfShard), "what", "took", "seeds a second", "processor time", "peak resident memory")
	const n = shards * seedsOfShard
	row("track record batch, for comparison", fmt.Sprintf("%.1f s", recording.Seconds()), fmt.Sprintf("%.0f", n/recording.Seconds()), "", "")
	for _, run := range []struct {
		name string
		args []string
	}{
		{"track merge --dry-run", []string{"--dry-run"}}, {"track merge", nil}, {"track merge, again", nil},
	} {
		command := exec.CommandContext(b.ctx, b.track, append(append([]string{"merge", "--db", target}, run.args...), files...)...)
		if err := measured(run.name, n, command); err != nil {
			return err
		}
	}
	bundled := filepath.Join(b.dir, "bundle.db")
	defer func() { _ = os.Remove(bundled) }()
	return measured("track export bundle, of all", n, exec.CommandContext(b.ctx, b.track, "export", "bundle", "-o", bundled, "--db", target))
}

func measured(name string, n int, command *exec.Cmd) error {
	began := time.Now()
	output, err := command.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, output)
	}
	peak, processor := int64(0), command.ProcessState.UserTime()+command.ProcessState.SystemTime()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = usage.Maxrss
	}
	row(name, fmt.Sprintf("%.1f s", took.Seconds()), fmt.Sprintf("%.0f", float64(n)/took.Seconds()), fmt.Sprintf("%.1f s", processor.Seconds()), fmt.Sprintf("%d MB", peak/1024))
	return nil
}

func shardSpec() string {
	var s strings.Builder
	s.WriteString("scenario: shard\nmetrics:\n")
	for k := range metricsOfShard {
		fmt.Fprintf(&s, "  - {name: m%d, type: RANGE, min: 0.05, max: 0.9}\n", k)
	}
	return s.String()
}

// writeShard writes the seeds of a shard, which no other shard has.
func writeShard(path string, shard int) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	random := rand.New(rand.NewPCG(1, uint64(shard)))
	out := bufio.NewWriter(file)
	for i := range seedsOfShard {
		fmt.Fprintf(out, `{"kind":"seed","scenario":"shard","seed":"%d","configuration":{"label":"v1","commit":"303e61f"},"values":{`, i*shards+shard)
		for k := range metricsOfShard {
			if k > 0 {
				_, _ = io.WriteString(out, ",")
			}
			fmt.Fprintf(out, `"m%d":%v`, k, random.Float64())
		}
		_, _ = io.WriteString(out, "}}\n")
	}
	return out.Flush()
}
