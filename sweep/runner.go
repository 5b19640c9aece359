package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"track"
	"track/importer/lines"
	"track/internal/keptfiles"
	"track/internal/process"
	"track/internal/separated"
	"track/internal/sizes"
	"track/series"
)

const (
	keptStderr = 64 << 10
	keptStdout = 4 << 20 // what the last line may have
)

// Job is one run of the command: a seed of a configuration.
type Job struct {
	Scenario      string
	Configuration track.Configuration
	Seed          track.SeedNumber
	Repeated      bool // it is recorded, and run again to be compared
}

// Runner runs jobs. Its methods may be called from several goroutines.
type Runner struct {
	Command       Command
	Dir           string           // where the folders of the runs are made; each is removed after its run unless Keep
	Keep          bool             // the folders stay, as DIR/SCENARIO/CONFIGURATION/SEED
	Env           []string         // of the command, beside the variables of the job
	Secrets       process.Secrets  // texts that standard error must not show
	Guard         *process.Guard   // nil if nothing watches over what outlives this process
	Timeout       time.Duration    // of each attempt; 0 for none
	Limits        Limits           // of each process
	Retries       int              // attempts after one that failed
	CollapsedExit int              // the exit code by which the command says that the simulation collapsed; 0 for none
	Series        []string         // patterns of files of series in the folder of the run; those that are called series where empty
	Largest       sizes.Size       // what a file of series may hold when it is unpacked; sizes.Unpacked if zero
	Format        separated.Format // of files of CSV
	KeepFiles     keptfiles.Rules  // which files in the folder of a run are recorded with its seed
	Now           func() time.Time

	// LeftOut hears which columns of a file of series are left out because they hold texts; nil to refuse them. Runs
	// that go on at once call it.
	LeftOut func(file string, columns []string)
	// Kept hears what was found of the files to keep of a run; nil for nobody. Runs that go on at once call it.
	Kept func(keptfiles.Kept)

	temporary string // folder that is removed in the end; empty for none
}

// Run runs one job to its end, with as many attempts as it takes, and returns the seed with its Run. An error is not
// the command's but the machine's, that no folder can be made, say; or it is that of the context, whose end kills the
// command with its children.
func (r Runner) Run(ctx context.Context, job Job) (seed track.Seed, err error) {
	for attempt := 1; ; attempt++ {
		var kept keptfiles.Kept
		if seed, kept, err = r.attempt(ctx, job, attempt); err != nil {
			return seed, err
		}
		if seed.Outcome == track.OutcomeOK || seed.Outcome == track.OutcomeCollapsed || attempt > r.Retries {
			if r.Kept != nil {
				r.Kept(kept)
			}
			return seed, nil
		}
	}
}

func (r Runner) attempt(ctx context.Context, job Job, attempt int) (seed track.Seed, kept keptfiles.Kept, err error) {
	seed = track.Seed{Scenario: job.Scenario, Configuration: job.Configuration, Number: job.Seed, Run: &track.Run{Attempts: attempt}}
	out, err := r.folder(job)
	if err != nil {
		return seed, kept, err
	}
	if !r.Keep {
		defer func() { _ = os.RemoveAll(out) }()
	}
	params, err := words(job.Configuration.Params)
	if err != nil {
		return seed, kept, err
	}
	values := maps.Clone(params)
	values[placeSeed], values[placeOut] = job.Seed.String(), out
	words := r.Command.arguments(values)
	cmd := exec.Command(words[0], words[1:]...)
	r.Limits.wrap(cmd)
	cmd.Env = slices.Concat(process.Environment(), r.Env, environment(job, params, out, attempt))
	p := process.New(cmd, process.Options{Guard: r.Guard, Timeout: r.Timeout, KeptStdout: keptStdout, KeptStderr: keptStderr})
	seed.StartedAt = r.Now()
	started := time.Now()
	end := p.Run(ctx)
	if end.Err != nil && r.Command.fixedProgram() && process.CannotStart(end.Err) {
		return seed, kept, fmt.Errorf("the command cannot be started: %w", end.Err)
	}
	duration := time.Since(started).Round(time.Microsecond)
	if ctx.Err() != nil {
		return seed, kept, context.Cause(ctx)
	}
	seed.Duration = &duration
	seed.Run.ExitCode, seed.Run.Signal, seed.Run.CPU, seed.Run.MaxRSS = end.ExitCode, end.Signal, end.CPU, end.MaxRSS
	seed.Run.Stderr = r.Secrets.Mask(string(p.Stderr.Text()))
	r.judge(&seed, end, p, out)
	kept, err = r.keep(&seed, job, out)
	return seed, kept, err
}

// keep takes over the files to keep of a run, however it ended. Those of a run that is compared with its record are
// not: logs hold times.
func (r Runner) keep(seed *track.Seed, job Job, out string) (kept keptfiles.Kept, err error) {
	if len(r.KeepFiles.Patterns) == 0 || job.Repeated {
		return kept, nil
	}
	rules := r.KeepFiles
	rules.Patterns = make([]string, len(r.KeepFiles.Patterns))
	for i, pattern := range r.KeepFiles.Patterns {
		rules.Patterns[i] = strings.ReplaceAll(pattern, "{"+placeSeed+"}", job.Seed.String())
	}
	if kept, err = rules.Find(out); err != nil {
		return kept, err
	}
	for i, pattern := range rules.Patterns { // people know them as they are written
		for j, unmatched := range kept.Unmatched {
			if unmatched == pattern {
				kept.Unmatched[j] = r.KeepFiles.Patterns[i]
			}
		}
	}
	for i := range kept.Artifacts {
		if a := &kept.Artifacts[i]; utf8.ValidString(a.Content) {
			a.Content = r.Secrets.Remove(a.Content)
		}
	}
	seed.Artifacts = kept.Artifacts
	return kept, nil
}

// folder makes the folder of a run, which nothing is in yet.
func (r Runner) folder(job Job) (string, error) {
	if !r.Keep {
		return os.MkdirTemp(r.Dir, "seed-"+job.Seed.String()+"-")
	}
	name := job.Seed.String()
	if job.Repeated { // what belongs to the record stays
		name += ".repeated"
	}
	out := filepath.Join(r.Dir, folderName(job.Scenario), track.ShortHash(job.Configuration.Hash()), name)
	if err := os.RemoveAll(out); err != nil {
		return "", err
	}
	return out, os.MkdirAll(out, 0o755)
}

// folderName is a name for a folder that no other scenario has.
func folderName(scenario string) string {
	if strings.Trim(scenario, ".") == "" { // which would lead elsewhere
		return strings.ReplaceAll(scenario, ".", "%2E")
	}
	return url.PathEscape(scenario)
}

// environment are the variables that tell a command what to run.
func environment(job Job, params map[string]string, out string, attempt int) []string {
	list := []string{
		"TRACK_SEED=" + job.Seed.String(), "TRACK_OUT=" + out, "TRACK_SCENARIO=" + job.Scenario, "TRACK_ATTEMPT=" + strconv.Itoa(attempt),
		"TRACK_PARAMS=" + string(job.Configuration.Params.JSON()),
	}
	for name, value := range params {
		if !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00") {
			list = append(list, "TRACK_PARAM_"+name+"="+value)
		}
	}
	return list
}

// judge says how the attempt ended, and takes over what it measured, whatever its end.
func (r Runner) judge(seed *track.Seed, end process.Ending, p *process.Process, out string) {
	values, list, problem := r.measured(out, &p.Stdout)
	fail := func(outcome track.Outcome, format string, args ...any) {
		seed.Outcome = outcome
		seed.Message = r.Secrets.Mask(fmt.Sprintf(format, args...))
		if line := r.Secrets.LastWords(&p.Stderr); line != "" {
			seed.Message += ": " + line
		}
	}
	switch {
	case end.Err != nil:
		fail(track.OutcomeError, "the command cannot be started: %v", end.Err)
	case r.Limits.usedUp(end):
		fail(track.OutcomeTimeout, "no end after %v of processor time", r.Limits.CPU)
	case end.TimedOut:
		fail(track.OutcomeTimeout, "no end after %v", r.Timeout)
	case end.Signal == "SIGKILL":
		fail(track.OutcomeError, "killed by SIGKILL, as the system does where memory runs out%s", r.Limits.memoryText(end))
	case end.Signal != "":
		fail(track.OutcomeError, "killed by %s%s", end.Signal, r.Limits.memoryText(end))
	case *end.ExitCode != 0 && *end.ExitCode == r.CollapsedExit:
		fail(track.OutcomeCollapsed, "exit code %d", *end.ExitCode)
	case *end.ExitCode != 0:
		fail(track.OutcomeError, "exit code %d%s", *end.ExitCode, r.Limits.memoryText(end))
	case problem != nil:
		fail(track.OutcomeError, "%s", strings.ReplaceAll(problem.Error(), out+string(filepath.Separator), "")) // each run has a folder of its own
	default:
		seed.Outcome = track.OutcomeOK
	}
	seed.Values, seed.Series = values, list
	if failure := seed.Validate(); failure != nil {
		seed.Values, seed.Series = nil, nil
		seed.Outcome, seed.Message = track.OutcomeError, "exit code 0, and what it measured is refused: "+failure.Error()
	}
}

// fixedProgram reports whether the program is the same for all seeds and configurations.
func (c Command) fixedProgram() bool {
	return !slices.ContainsFunc(c.words[0], func(p piece) bool { return p.name != "" })
}

// lookUp returns an error if the command cannot be found. It is called before the first seed, so that no seed fails
// because of it.
func (c Command) lookUp() error {
	word := c.arguments(map[string]string{})[0]
	if !c.fixedProgram() {
		return nil
	}
	_, err := exec.LookPath(word)
	if errors.Is(err, fs.ErrPermission) {
		return track.WithHint(fmt.Errorf("%w: command %s: it may not be executed", track.ErrInvalid, word), track.Hint{Text: "chmod +x " + word + ", or name the program that reads it first"})
	}
	if errors.Is(err, exec.ErrDot) {
		return track.WithHint(fmt.Errorf("command %s: it lies in the working directory: %w", word, track.ErrNotFound), track.Hint{Text: "./" + word + " names it"})
	}
	if err != nil {
		return track.WithHint(fmt.Errorf("command %s: %w", word, track.ErrNotFound), track.Hint{Text: "a program on the PATH, or a path to one; a line of shell needs sh -c '…'"})
	}
	return nil
}

// NewRunner returns a runner of a plan. It makes the folders of the runs in dir, or in a temporary folder if dir is
// empty. An error reports whether the command cannot be found. The caller calls Close when no job runs any more.
func NewRunner(plan Plan, dir string, keep bool, now func() time.Time) (r Runner, err error) {
	r = Runner{
		Keep: keep, Env: plan.Env, Timeout: plan.Timeout, Limits: plan.Limits, Retries: plan.Retries, CollapsedExit: plan.CollapsedExit, Series: plan.Series,
		KeepFiles: keptfiles.Rules{Patterns: plan.KeepFiles, Largest: plan.MaxFileSize},
		Secrets:   process.SecretsOf(plan.Env), Now: func() time.Time { return now().UTC().Truncate(time.Microsecond) },
	}
	if r.Command, err = plan.ParsedCommand(); err != nil {
		return r, err
	}
	if err := plan.Limits.supported(); err != nil {
		return r, err
	}
	if err := r.Command.lookUp(); err != nil {
		return r, err
	}
	if dir == "" {
		r.Dir, err = os.MkdirTemp("", "track-sweep-")
		r.temporary = r.Dir
	} else if err = os.MkdirAll(dir, 0o755); err == nil {
		r.Dir, err = filepath.Abs(dir)
	}
	if err == nil {
		r.Guard = process.NewGuard(r.temporary)
	}
	return r, err
}

// Close removes the temporary folder of the runs, and kills what they left running.
func (r Runner) Close() {
	r.Guard.Close()
	if r.temporary != "" {
		_ = os.RemoveAll(r.temporary)
	}
}

// measured collects what a run wrote: its values from values.json or values.csv in its folder, or else from a JSON
// object on the last line of its standard output; and its series.
func (r Runner) measured(out string, stdout *process.Tail) (values map[string]float64, list []track.Series, err error) {
	files, seriesErr := r.seriesFiles(out)
	if seriesErr == nil {
		if list, seriesErr = series.ReadFiles(files, r.seriesOptions(out)); seriesErr != nil {
			list = nil
		}
	}
	values, found, err := valuesIn(out, r.Format)
	if err == nil && !found {
		values, found, err = valuesOn(stdout)
	}
	if err = errors.Join(err, seriesErr); err == nil && !found && len(list) == 0 {
		err = errors.New("no values: neither values.json nor values.csv in the folder that {out} and TRACK_OUT name, nor a JSON object on the last line of standard output")
	}
	return values, list, err
}

// seriesOptions say how files of series are read. Who hears of columns that are left out hears names within the folder.
func (r Runner) seriesOptions(out string) series.Options {
	o := series.Options{Largest: cmp.Or(r.Largest, sizes.Unpacked), Format: r.Format}
	if r.LeftOut != nil {
		o.LeftOut = func(file string, columns []string) {
			r.LeftOut(strings.TrimPrefix(file, out+string(filepath.Separator)), columns)
		}
	}
	return o
}

// seriesFiles are the files of series that a run left, in the order of their names.
func (r Runner) seriesFiles(out string) (files []string, err error) {
	patterns := r.Series
	if len(patterns) == 0 {
		patterns = []string{"series.*", "series_*", "series-*", "*.series.*", "series/*"}
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(escapeGlob(out), pattern))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	files = slices.DeleteFunc(slices.Compact(files), func(file string) bool {
		info, err := os.Stat(file)
		return err != nil || !info.Mode().IsRegular() // reading a pipe would wait for who writes it
	})
	return files, nil
}

// escapeGlob quotes what a pattern would read as something else.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

func valuesIn(out string, format separated.Format) (values map[string]float64, found bool, err error) {
	const largest = 256 << 20
	for _, name := range []string{"values.json", "values.csv"} {
		path := filepath.Join(out, name)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("is not a regular file")
		}
		if err == nil && info.Size() > largest {
			err = errors.New("is larger than 256 MiB")
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(path)
		}
		if err != nil {
			return nil, true, &track.FieldError{File: name, Message: err.Error()}
		}
		values, err = lines.ParseValuesAs(name, data, format)
		return values, true, err
	}
	return nil, false, nil
}

func valuesOn(stdout *process.Tail) (values map[string]float64, found bool, err error) {
	const name = "the last line of standard output"
	line, whole := stdout.LastLine()
	line = bytes.TrimSpace(line)
	if !whole || !bytes.HasPrefix(line, []byte("{")) {
		return nil, false, nil
	}
	values, err = lines.ParseValues(name, line)
	return values, true, err
}
