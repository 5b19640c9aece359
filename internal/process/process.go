package process

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"track/internal/masking"
)

const (
	grace = 2 * time.Second // from the request to end to the kill

	firstSample = 20 * time.Millisecond  // of the memory of a process
	nextSample  = 250 * time.Millisecond // at most
)

// Ending is how a process ended.
type Ending struct {
	Err      error // it never started
	TimedOut bool
	ExitCode *int // nil if a signal ended it
	Signal   string
	CPU      *time.Duration
	MaxRSS   *int64
}

// Options say how a command runs.
type Options struct {
	Guard      *Guard        // nil if nothing watches over what outlives this process
	Timeout    time.Duration // 0 for none
	KeptStdout int           // bytes of the end of standard output that are kept
	KeptStderr int
}

// Process is a command that runs in a process group of its own.
type Process struct {
	Stdout, Stderr Tail
	cmd            *exec.Cmd
	guard          *Guard
	timeout        time.Duration
	sampled        int64 // bytes of memory that it was seen to have held at most; see usageOf
}

// New returns a process that runs a command, which was not started.
func New(cmd *exec.Cmd, o Options) *Process {
	cmd.Env = append(cmd.Env, o.Guard.environment()...)
	return &Process{Stdout: Tail{most: o.KeptStdout}, Stderr: Tail{most: o.KeptStderr}, cmd: cmd, guard: o.Guard, timeout: o.Timeout}
}

// Run starts the process and waits for its end. What it leaves running is killed with it, and so is all of it where ctx
// ends.
func (p *Process) Run(ctx context.Context) Ending {
	outputs, err := p.capture()
	if err != nil {
		return Ending{Err: err}
	}
	ownGroup(p.cmd)
	if err := p.cmd.Start(); err != nil {
		outputs.closeAll()
		return Ending{Err: err}
	}
	p.guard.watch(p.cmd.Process.Pid)
	outputs.started()
	ended := make(chan struct{})
	timedOut := make(chan bool, 1)
	go func() { timedOut <- p.watch(ctx, ended) }()
	_ = p.cmd.Wait() // its state says more
	close(ended)
	end := Ending{TimedOut: <-timedOut}
	killGroup(p.cmd.Process, true) // what it left behind; it would hold the pipes open
	p.guard.release(p.cmd.Process.Pid)
	outputs.finish()
	end.ExitCode, end.Signal = exitOf(p.cmd.ProcessState)
	end.CPU, end.MaxRSS = usageOf(p.cmd.ProcessState, p.sampled)
	return end
}

// watch ends the process when its time is up or ctx is done. It asks first, except where ctx is done.
func (p *Process) watch(ctx context.Context, ended <-chan struct{}) (timedOut bool) {
	var late <-chan time.Time
	if p.timeout > 0 {
		timer := time.NewTimer(p.timeout)
		defer timer.Stop()
		late = timer.C
	}
	sampled := time.Now()
	sample := time.NewTimer(firstSample)
	defer sample.Stop()
	for {
		select {
		case <-ended:
			return timedOut
		case <-sample.C:
			p.sampled = max(p.sampled, peakOf(p.cmd.Process.Pid))
			sample.Reset(min(nextSample, time.Since(sampled)/4)) // so that the last is never long before the end
		case <-ctx.Done():
			killGroup(p.cmd.Process, true)
			<-ended
			return timedOut
		case <-late:
			killGroup(p.cmd.Process, timedOut) // the second time for good
			timedOut = true
			late = time.After(grace)
		}
	}
}

// CannotStart reports whether a command could not be started for a reason of the machine, and not of its arguments.
func CannotStart(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, exec.ErrNotFound) ||
		errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOEXEC) || errors.Is(err, syscall.ETXTBSY)
}

// Environment returns the environment that commands inherit: that of this process, without its token of a server.
func Environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "TRACK_TOKEN=") })
}

// Guard kills what commands left running when this process ends before it could: it is a shell that knows their process
// groups, and reads from a pipe that ends with this process, however that ends. On Linux it also kills every process
// with the variable of this guard in its environment: one that left its group, and one that was started so late that
// the guard never heard of its group. Its methods do nothing on a nil Guard.
type Guard struct {
	variable string // of the environment of all commands
	mutex    sync.Mutex
	pipe     io.WriteCloser
	shell    *exec.Cmd
}

// guardScript keeps the groups that it is told of, and kills those that are left at the end of its input. If that comes
// without the sign of an orderly end, it looks for other processes until there are none: they may be starting more.
const guardScript = `trap '' INT TERM HUP
groups=
killed=yes
while read -r sign group; do
  [ "$sign" = . ] && killed=
  left=
  for g in $groups; do [ "$g" = "$group" ] || left="$left $g"; done
  groups=$left
  [ "$sign" = - ] || groups="$groups $group"
done
for g in $groups; do kill -KILL "-$g"; done 2>/dev/null
while [ -n "$killed" ]; do
  killed=
  for e in /proc/[0-9]*/environ; do
    grep -qsF "$2" "$e" || continue
    e=${e#/proc/}
    kill -KILL "${e%/environ}" && killed=yes
  done 2>/dev/null
done
[ -z "$1" ] || rm -rf -- "$1"`

// NewGuard starts a guard that also removes a folder in the end, unless it is empty. Where there is no shell there is
// none, which is no error: then only the commands themselves end with this process.
func NewGuard(folder string) *Guard {
	g := &Guard{variable: "TRACK_GUARDED_PROCESS=" + rand.Text()}
	g.shell = exec.Command("sh", "-c", guardScript, "sh", folder, g.variable)
	var err error
	if g.pipe, err = g.shell.StdinPipe(); err != nil {
		return nil
	}
	apart(g.shell)
	if g.shell.Start() != nil {
		return nil
	}
	return g
}

// environment returns the variable by which the guard knows a command and all that it starts.
func (g *Guard) environment() []string {
	if g == nil {
		return nil
	}
	return []string{g.variable}
}

func (g *Guard) watch(group int) { g.send("+", group) }

func (g *Guard) release(group int) { g.send("-", group) }

func (g *Guard) send(sign string, group int) {
	if g == nil {
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	_, _ = fmt.Fprintln(g.pipe, sign, group) // a guard that is gone guards nothing
}

// Close ends the guard, which kills the groups that are still running. What left its group on purpose stays.
func (g *Guard) Close() {
	if g == nil {
		return
	}
	g.send(".", 0)
	g.mutex.Lock()
	defer g.mutex.Unlock()
	_ = g.pipe.Close()
	_ = g.shell.Wait()
}

// Interruptions turns the first interruption by the user, which ends ctx, into a call of stopping and a closed stop,
// which lets the running seeds finish. The second one ends kill, and with it the running seeds. The caller calls
// release in the end.
func Interruptions(ctx context.Context, stopping func()) (kill context.Context, stop chan struct{}, release func()) {
	kill, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop = make(chan struct{})
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	released := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-released:
			return
		}
		stopping()
		close(stop)
		select { // the first one came through both channels
		case <-signals:
		case <-time.After(100 * time.Millisecond):
		case <-released:
			return
		}
		select {
		case <-signals:
			cancel()
		case <-released:
		}
	}()
	return kill, stop, func() {
		signal.Stop(signals)
		close(released)
		cancel()
	}
}

// outputs are the pipes that a process writes to.
type outputs struct {
	readers, writers []*os.File
	done             chan struct{}
	tails            []*Tail
}

func (p *Process) capture() (*outputs, error) {
	o := &outputs{done: make(chan struct{}, 2), tails: []*Tail{&p.Stdout, &p.Stderr}}
	for range o.tails {
		r, w, err := os.Pipe()
		if err != nil {
			o.closeAll()
			return nil, err
		}
		o.readers, o.writers = append(o.readers, r), append(o.writers, w)
	}
	p.cmd.Stdout, p.cmd.Stderr = o.writers[0], o.writers[1]
	return o, nil
}

func (o *outputs) closeAll() {
	for _, f := range append(o.readers, o.writers...) {
		_ = f.Close()
	}
}

// started begins to read.
func (o *outputs) started() {
	for _, w := range o.writers {
		_ = w.Close()
	}
	for i, r := range o.readers {
		go func() {
			_, _ = io.Copy(o.tails[i], r) // an error is its end
			o.done <- struct{}{}
		}()
	}
}

// finish reads what is left. Whoever escaped from the group of the process is listened to no longer than this.
func (o *outputs) finish() {
	const most = time.Second
	for _, r := range o.readers {
		_ = r.SetReadDeadline(time.Now().Add(most))
	}
	for range o.readers {
		<-o.done
	}
	for _, r := range o.readers {
		_ = r.Close()
	}
}

// Secrets are texts that nothing a command writes may show.
type Secrets []string

// SecretsOf returns the values of variables that are masked where they are recorded.
func SecretsOf(env []string) (secrets Secrets) {
	for _, entry := range env {
		_, value, _ := strings.Cut(entry, "=")
		if masked, n := masking.Mask(entry); n > 0 && value != "" && !strings.HasSuffix(masked, "="+value) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// Remove returns a text without the secrets.
func (s Secrets) Remove(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "[masked]")
	}
	return text
}

// Mask returns a text without the secrets, and without what looks like one.
func (s Secrets) Mask(text string) string {
	text, _ = masking.Mask(strings.ToValidUTF8(s.Remove(text), "\uFFFD"))
	return text
}

// LastWords returns the last line of standard error, which is often the reason of a failure.
func (s Secrets) LastWords(stderr *Tail) string {
	const most = 300
	line, _ := stderr.LastLine()
	text := s.Mask(strings.TrimSpace(string(line)))
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Tail keeps the last bytes that are written to it.
type Tail struct {
	most  int
	bytes []byte // up to twice as many, so that they are moved seldom
	cut   bool
}

// Write implements [io.Writer].
func (t *Tail) Write(p []byte) (int, error) {
	n := len(p)
	if n > t.most {
		p, t.bytes, t.cut = p[n-t.most:], t.bytes[:0], true
	}
	if len(t.bytes)+len(p) > 2*t.most {
		keep := t.most - len(p)
		t.bytes = append(t.bytes[:0], t.bytes[len(t.bytes)-keep:]...)
		t.cut = true
	}
	t.bytes = append(t.bytes, p...)
	return n, nil
}

// Text is what was kept; where something is cut off, it starts with a whole line if one begins soon, else with a whole
// character.
func (t *Tail) Text() []byte {
	kept := t.bytes
	if len(kept) > t.most {
		kept = kept[len(kept)-t.most:]
	}
	if len(kept) < len(t.bytes) || t.cut {
		if i := bytes.IndexByte(kept, '\n'); i >= 0 && i < t.most/16 && i+1 < len(kept) {
			return kept[i+1:]
		}
		for i := 0; i < utf8.UTFMax-1 && len(kept) > 0 && !utf8.RuneStart(kept[0]); i++ {
			kept = kept[1:]
		}
	}
	return kept
}

// LastLine is the last line that is not blank, and whether it is whole.
func (t *Tail) LastLine() (line []byte, whole bool) {
	kept := bytes.TrimRight(t.bytes, " \t\r\n")
	start := bytes.LastIndexByte(kept, '\n') + 1
	return kept[start:], start > 0 || !t.cut
}

// Whole returns everything that was written; whole is false if only its end is kept.
func (t *Tail) Whole() (text []byte, whole bool) {
	return t.bytes, !t.cut && len(t.bytes) <= t.most
}
