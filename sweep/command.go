package sweep

import (
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"track"
	"track/internal/process"
	"track/internal/sizes"
)

// Command is a command line with placeholders: {seed}, {out} and {NAME} for each parameter. Doubled braces stand for
// themselves.
type Command struct {
	words    [][]piece
	usesSeed bool
}

// piece is literal text, or the name of what stands in its place.
type piece struct{ text, name string }

// The placeholders that are no parameters.
const (
	placeSeed = "seed"
	placeOut  = "out"
)

// placeholder is one, or a doubled brace. What looks like an expansion of a shell, ${HOME}, is left alone.
var placeholder = regexp.MustCompile(`\{\{|\}\}|\$\{|\{[A-Za-z_][A-Za-z0-9_.-]*\}`)

// parseCommand reads a command line whose parameters have these names.
func parseCommand(words, params []string) (Command, error) {
	var c Command
	if len(words) == 0 || words[0] == "" {
		return c, fmt.Errorf("%w: no command", track.ErrInvalid)
	}
	known := append([]string{placeSeed, placeOut}, params...)
	for _, word := range words {
		var pieces []piece
		literal := func(s string) { pieces = append(pieces, piece{text: s}) }
		end := 0
		for _, at := range placeholder.FindAllStringIndex(word, -1) {
			literal(word[end:at[0]])
			end = at[1]
			switch found := word[at[0]:at[1]]; found {
			case "{{", "}}":
				literal(found[:1])
			case "${":
				literal(found)
			default:
				name := found[1 : len(found)-1]
				if !slices.Contains(known, name) {
					return c, unknownPlaceholder(name, known)
				}
				c.usesSeed = c.usesSeed || name == placeSeed
				pieces = append(pieces, piece{name: name})
			}
		}
		literal(word[end:])
		c.words = append(c.words, pieces)
	}
	return c, nil
}

// unknownPlaceholder returns the error for a placeholder that has no value.
func unknownPlaceholder(name string, known []string) error {
	err := fmt.Errorf("%w: the command has a placeholder {%s}, and there is no parameter %s", track.ErrInvalid, name, name)
	text := fmt.Sprintf("known are {%s}, and {{%s}} is the text {%s}; or declare a parameter", strings.Join(known, "}, {"), name, name)
	return track.WithHint(err, track.Hint{Text: text}.With("param", name+"=VALUE"))
}

// UsesSeed reports whether the command line holds the seed. If not, the command has to read TRACK_SEED.
func (c Command) UsesSeed() bool { return c.usesSeed }

// Lines returns the words of the command line with each set of parameters in their place; {seed} and {out} stand as
// they are.
func (c Command) Lines(grid []track.Params) (lines [][]string, err error) {
	for _, params := range grid {
		values, err := words(params)
		if err != nil {
			return nil, err
		}
		values[placeSeed], values[placeOut] = "{seed}", "{out}"
		line := c.arguments(values)
		if len(lines) == 0 || !slices.Equal(line, lines[len(lines)-1]) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// arguments are the words of the command line with the values of the placeholders in their place.
func (c Command) arguments(values map[string]string) []string {
	words := make([]string, len(c.words))
	for i, pieces := range c.words {
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(p.text)
			if p.name != "" {
				b.WriteString(values[p.name])
			}
		}
		words[i] = b.String()
	}
	return words
}

// Limits bound what each process of a run may use.
type Limits struct {
	CPU    time.Duration // of processor time, in whole seconds; 0 for none
	Memory int64         // bytes of its own memory, which is neither shared nor of a file; 0 for none
}

// ParseMemory reads a size such as 512MiB.
func ParseMemory(text string) (int64, error) {
	var size sizes.Size
	if text == "" {
		return 0, nil
	}
	err := size.Set(text)
	return int64(size), err
}

// check says what is wrong with the limits on this system.
func (l Limits) check() *track.FieldError {
	wrong := func(field, format string, args ...any) *track.FieldError {
		return &track.FieldError{Field: field, Message: fmt.Sprintf(format, args...)}
	}
	const leastMemory = 1 << 20
	switch {
	case l.CPU < 0 || l.CPU%time.Second != 0:
		return wrong("limit_cpu", "%v is not a whole number of seconds", l.CPU)
	case l.Memory != 0 && l.Memory < leastMemory:
		return wrong("limit_memory", "%v: no program runs with less than %v", sizes.Size(l.Memory), sizes.Size(leastMemory))
	}
	return nil
}

// supported returns an error if this system cannot enforce the limits.
func (l Limits) supported() error {
	switch {
	case l.CPU > 0 && runtime.GOOS == "windows":
		return track.WithHint(fmt.Errorf("%w: limit-cpu: this system has no limit of processor time", track.ErrInvalid), track.Hint{Text: "limit the time instead"}.With("timeout", l.CPU.String()))
	case l.Memory > 0 && runtime.GOOS != "linux":
		return fmt.Errorf("%w: limit-memory: only Linux limits the memory of a process so", track.ErrInvalid)
	}
	return nil
}

// limitScript sets the limits and becomes the command. At the soft limit of processor time the system asks the process
// to end (SIGXCPU), a second later it kills it.
const limitScript = `[ "$1" = 0 ] || { ulimit -S -t "$1" && ulimit -H -t "$(($1 + 1))"; } || exit 125
[ "$2" = 0 ] || ulimit -d "$2" || exit 125
shift 2
exec "$@"`

// wrap makes a command run under the limits. Its program must have been found.
func (l Limits) wrap(cmd *exec.Cmd) {
	if l == (Limits{}) || cmd.Err != nil {
		return
	}
	seconds, kibibytes := fmt.Sprint(int64(l.CPU/time.Second)), fmt.Sprint((l.Memory+1023)>>10)
	cmd.Args = append([]string{"sh", "-c", limitScript, "sh", seconds, kibibytes, cmd.Path}, cmd.Args[1:]...)
	cmd.Path, cmd.Err = "/bin/sh", nil
}

// usedUp reports whether a run was ended because its processor time was used up. The system counts by its clock tick,
// so that the signal may come before the time that it reports.
func (l Limits) usedUp(end process.Ending) bool {
	if l.CPU == 0 || end.CPU == nil || *end.CPU < l.CPU/2 {
		return false
	}
	const xcpu, killed = 128 + 24, 128 + 9 // exit codes of a shell whose command such a signal ended
	code := 0
	if end.ExitCode != nil {
		code = *end.ExitCode
	}
	return end.Signal == "SIGXCPU" || code == xcpu || (end.Signal == "SIGKILL" || code == killed) && *end.CPU >= l.CPU
}

// memoryText says under which limit a failed run was; empty without one.
func (l Limits) memoryText(end process.Ending) string {
	if l.Memory == 0 {
		return ""
	}
	text := fmt.Sprintf(" under a memory limit of %v", sizes.Size(l.Memory))
	if end.MaxRSS != nil {
		text += fmt.Sprintf(", having held at most %d MiB", (*end.MaxRSS+1<<20-1)>>20)
	}
	return text
}
