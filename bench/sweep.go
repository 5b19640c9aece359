package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sweep measures what recording adds to a command that is run once for each seed, against xargs -P, which runs the
// same and records nothing; and the memory of a long sweep.
func (b bench) sweep() error {
	heading("A sweep, two runs at a time", "command", "seeds", "xargs -P 2", "track sweep", "added to a seed", "added")
	for _, c := range []struct {
		name, script  string
		seeds, rounds int
	}{
		{"one second", `sleep 1; echo '{"m": 1}'`, 20, min(b.rounds, 3)},
		{"as short as can be", `echo '{"m": 1}'`, 1000, b.rounds},
	} {
		script := filepath.Join(b.dir, strings.ReplaceAll(c.name, " ", "_")+".sh")
		if err := os.WriteFile(script, []byte(c.script+"\n"), 0o666); err != nil {
			return err
		}
		var bare, ours timings
		for round := range c.rounds {
			took, err := b.xargs(script, c.seeds)
			if err != nil {
				return err
			}
			bare = append(bare, took)
			if took, _, err = b.runSweep(fmt.Sprintf("sweep-%d-%d.db", c.seeds, round), c.seeds, "sh", script, "{seed}"); err != nil {
				return err
			}
			ours = append(ours, took)
		}
		added := ours.median() - bare.median()
		fmt.Printf("| %s | %d | %.2f s | %.2f s | %.2f ms | %.1f %% |\n", c.name, c.seeds, bare.median().Seconds(), ours.median().Seconds(),
			2*added.Seconds()*1e3/float64(c.seeds), 100*added.Seconds()/bare.median().Seconds())
	}
	fmt.Println("\nMedians, in turns; of two runs at a time, a seed takes twice its share of the whole.")
	const many = 100_000
	took, peak, err := b.runSweep("sweep-true.db", many, "true")
	if err != nil {
		return err
	}
	heading("A sweep of 100,000 seeds of true", "wall time", "seeds/s", "peak resident memory of track")
	fmt.Printf("| %.0f s | %.0f | %.0f MB |\n", took.Seconds(), many/took.Seconds(), float64(peak)/1e6)
	return nil
}

func (b bench) xargs(script string, seeds int) (time.Duration, error) {
	var numbers strings.Builder
	for n := range seeds {
		numbers.WriteString(strconv.Itoa(n) + "\n")
	}
	cmd := exec.CommandContext(b.ctx, "xargs", "-P", "2", "-n", "1", "sh", script)
	cmd.Stdin, cmd.Stderr = strings.NewReader(numbers.String()), os.Stderr
	started := time.Now()
	err := cmd.Run()
	return time.Since(started), err
}

// runSweep returns how long a sweep took, and the most memory in bytes that track held.
func (b bench) runSweep(database string, seeds int, command ...string) (time.Duration, int64, error) {
	args := []string{"sweep", "--db", filepath.Join(b.dir, database), "--scenario", "s", "--commit", "c", "--seeds", fmt.Sprintf("0..%d", seeds-1), "-j", "2", "--quiet", "--"}
	cmd := exec.CommandContext(b.ctx, b.track, append(args, command...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	started := time.Now()
	err := cmd.Run()
	took := time.Since(started)
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // all seeds of true fail: it measures nothing
		return took, 0, fmt.Errorf("%w: %s", err, stderr.String())
	}
	return took, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, nil
}
