package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// runs are repeated measurements of one thing.
type runs struct {
	wall []time.Duration
	cpu  []time.Duration // user and system; other work on the machine lengthens it less
	peak int64           // the largest resident memory, in bytes
}

// command runs a command, and adds what it took.
func (r *runs) command(command *exec.Cmd) error {
	var stderr bytes.Buffer
	command.Stderr = &stderr
	started := time.Now()
	err := command.Run()
	r.wall = append(r.wall, time.Since(started))
	if err != nil {
		return fmt.Errorf("%v: %w\n%s", command.Args, err, stderr.Bytes())
	}
	r.cpu = append(r.cpu, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = max(r.peak, usage.Maxrss*1024)
	}
	return nil
}

// percentile returns the duration that so many percent do not exceed.
func percentile(list []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

func median(list []time.Duration) time.Duration { return percentile(list, 50) }

// inTurns measures each program once a round, and returns the runs of each.
func (b bench) inTurns(rounds int, once func(p program, round int, r *runs) error) ([]runs, error) {
	all := make([]runs, len(b.programs))
	for round := range rounds {
		for i, p := range b.programs {
			if err := once(p, round, &all[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return all, nil
}

func (b bench) index(p program) int { return slices.Index(b.programs, p) }

// command returns a command of a program.
func (b bench) command(p program, args ...string) *exec.Cmd {
	return exec.CommandContext(b.ctx, p.path, args...)
}

// do runs commands of a program that are not measured.
func (b bench) do(p program, commands ...[]string) error {
	for _, args := range commands {
		if err := new(runs).command(b.command(p, args...)); err != nil {
			return err
		}
	}
	return nil
}

func heading(title string) {
	fmt.Printf("\n## %s\n\n| what | program | median | 90 %% | processor time | peak memory | a second |\n|---|---|---|---|---|---|---|\n", title)
}

// rows prints a row for each program; n is how many records one run is about, or 0.
func (b bench) rows(what string, all []runs, n int) {
	for i, p := range b.programs {
		row(what, p.name, all[i], n)
	}
}

func row(what, program string, r runs, n int) {
	processor, peak, rate := "", "", ""
	if len(r.cpu) > 0 {
		processor = duration(median(r.cpu))
	}
	if r.peak > 0 {
		peak = fmt.Sprintf("%d MB", r.peak/1_000_000)
	}
	if n > 0 {
		rate = fmt.Sprintf("%.0f", float64(n)/median(r.wall).Seconds())
	}
	fmt.Println("| " + strings.Join([]string{what, program, duration(median(r.wall)), duration(percentile(r.wall, 90)), processor, peak, rate}, " | ") + " |")
}

func duration(d time.Duration) string {
	if d >= 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}
