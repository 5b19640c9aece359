package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"track"
	"track/internal/admission"
	"track/reports"
	"track/reports/escape"
)

// screen says how an answer is shown on a terminal.
type screen struct {
	wide    bool
	width   int // of tables and paragraphs; 0 for the terminal's
	noPager bool
}

// narrowest is the least width for which tables are laid out.
const narrowest = 40

// check returns an error if the flags do not fit together.
func (s screen) check(widthGiven bool) error {
	switch {
	case widthGiven && s.wide:
		return usage("--wide and --width: give one of them")
	case widthGiven && s.width < narrowest:
		return usage("--width %d: must be at least %d; --wide is for any width", s.width, narrowest)
	}
	return nil
}

// terminalSize returns the columns and rows of the terminal to which answers are written; zeros if it is none.
func (p *program) terminalSize() (columns, rows int) {
	answers, _ := p.out.(*answerOutput)
	if answers == nil {
		return 0, 0
	}
	file, _ := answers.Writer.(*os.File)
	if file == nil {
		return 0, 0
	}
	columns, rows, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0
	}
	if given, err := strconv.Atoi(p.getenv("COLUMNS")); err == nil && given > 0 {
		columns = given
	}
	return columns, rows
}

// pageWidth returns how wide tables and paragraphs may be; 0 for any width, as in a file.
func (p *program) pageWidth() int {
	if p.shared.screen.wide || p.shared.screen.width > 0 {
		return p.shared.screen.width
	}
	columns, _ := p.terminalSize()
	if columns == 0 {
		return 0
	}
	return max(columns, narrowest)
}

// logWidth is how wide the tables may be that logs of CI have; 0 for any width.
func (p *program) logWidth() int {
	if p.shared.screen.wide {
		return 0
	}
	return 100
}

// paged runs a command. What it writes to a terminal is shown by a pager if it is longer than the screen, unless the
// command records something.
func (p *program) paged(run func() error) error {
	pager := p.pager()
	answers, _ := p.out.(*answerOutput)
	if pager == nil || answers == nil {
		return run()
	}
	answers.hold()
	err := run()
	_, rows := p.terminalSize()
	switch {
	case errors.Is(err, context.Canceled): // what was left behind may still write
		return err
	case answers.heldLines() < rows || !showIn(pager, answers):
		return errors.Join(err, answers.release())
	}
	answers.discard()
	return err
}

// showIn reports whether a pager showed what is held. Whoever quits it has seen enough.
func showIn(pager *exec.Cmd, answers *answerOutput) bool {
	const cannotRun = 126 // also 127: what a shell returns for a command that it cannot run
	pager.Stdin, pager.Stdout, pager.Stderr = bytes.NewReader(answers.held.Bytes()), answers.Writer, os.Stderr
	if pager.Start() != nil {
		return false
	}
	_ = pager.Wait()
	code := pager.ProcessState.ExitCode()
	return code != cannotRun && code != cannotRun+1
}

// pager returns the command that shows long answers; nil for none.
func (p *program) pager() *exec.Cmd {
	_, rows := p.terminalSize()
	format := p.shared.format
	if rows == 0 || p.shared.screen.noPager || format == "jsonl" || format == "csv" || p.getenv("TERM") == "dumb" {
		return nil
	}
	command, given := p.lookup("TRACK_PAGER")
	if !given {
		command, given = p.lookup("PAGER")
	}
	if !given {
		command = "less"
		if _, err := exec.LookPath(command); err != nil {
			return nil
		}
	}
	if command == "" || command == "cat" {
		return nil
	}
	pager := exec.Command("sh", "-c", command)
	pager.Env = os.Environ()
	if _, given := p.lookup("LESS"); !given {
		pager.Env = append(pager.Env, "LESS=FRX") // stay on the screen, show colours, end at once if all fits
	}
	return pager
}

// progress shows how far a long command is: a bar on a terminal, nothing elsewhere.
type progress struct {
	out   io.Writer // nil where nothing is shown
	verb  string
	noun  string // what is counted
	total int64  // bytes, 0 where unknown
	read  atomic.Int64
	began time.Time
	now   func() time.Time

	mu      sync.Mutex // of what follows
	done    int
	counted time.Time // when done was told, or the bar taken away
	drawn   time.Time // zero where it is not to be seen
}

func (p *program) newProgress(verb, noun string, total int64) *progress {
	bar := &progress{verb: verb, noun: noun, total: total, began: p.now(), now: p.now}
	bar.counted = bar.began
	if isTerminal(p.screen) && !p.shared.quiet {
		bar.out = p.screen
	}
	return bar
}

// showProgress returns a context in which long computations draw a bar; end takes it away.
func (p *program) showProgress(ctx context.Context, words [2]string) (_ context.Context, end func()) {
	if words == [2]string{} {
		return ctx, func() {}
	}
	bar := p.newProgress(words[0], words[1], 0)
	return track.WithProgress(ctx, func(done, total int) {
		bar.total = int64(total)
		bar.read.Store(int64(done))
		if bar.update(done); done == total {
			bar.clear() // the answer follows
		}
	}), bar.clear
}

// reader counts the bytes that are read through it.
func (b *progress) reader(r io.Reader) io.Reader { return &countingReader{r, &b.read} }

type countingReader struct {
	io.Reader
	n *atomic.Int64
}

func (r *countingReader) Read(buffer []byte) (int, error) {
	n, err := r.Reader.Read(buffer)
	r.n.Add(int64(n))
	return n, err
}

// update draws the bar at most ten times a second.
func (b *progress) update(done int) {
	const interval = 100 * time.Millisecond
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.done, b.counted = done, now; b.out != nil && now.Sub(b.drawn) >= interval {
		b.draw(now)
	}
}

// watch draws the bar every second while nothing is counted, until stop is called: one line can take seconds.
func (b *progress) watch() (stop func()) {
	if b.out == nil {
		return func() {}
	}
	ticker, stopped := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				b.redraw()
			case <-stopped:
				ticker.Stop()
				return
			}
		}
	}()
	return func() { close(stopped) }
}

// redraw draws the bar if nothing was counted, and nothing else written, for a second.
func (b *progress) redraw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.now(); now.Sub(b.counted) >= time.Second {
		b.draw(now)
	}
}

func (b *progress) draw(now time.Time) {
	b.drawn = now
	rate := float64(b.done) / now.Sub(b.began).Seconds()
	line := fmt.Sprintf("%s %d %s, %.0f/s", b.verb, b.done, b.noun, rate)
	if b.total > 0 {
		const width = 24
		share := min(float64(b.read.Load())/float64(b.total), 1)
		filled := int(share * width)
		line = fmt.Sprintf("%s %s%s %3.0f%%", line, strings.Repeat("█", filled), strings.Repeat("░", width-filled), 100*share)
	}
	if waited := now.Sub(b.counted); waited >= time.Second {
		line += fmt.Sprintf(", %.0f s since the last", waited.Seconds())
	}
	fmt.Fprintf(b.out, "\r\x1b[K%s", line)
}

// clear takes the bar away so that a line can be written in its place.
func (b *progress) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.counted = b.now(); b.out != nil && !b.drawn.IsZero() {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.drawn = time.Time{}
	}
}

// statusLine tells how far a long command is: on a terminal a line that is drawn again and again, elsewhere a line now
// and then.
type statusLine struct {
	p        *program
	terminal bool
	plain    bool // a line now and then
	began    time.Time
	text     func() string

	mutex   sync.Mutex // of what text reads, too
	drawn   time.Time
	ended   chan struct{}
	ticking sync.WaitGroup
}

func (p *program) newStatusLine(text func() string) *statusLine {
	s := &statusLine{p: p, began: p.now(), text: text, ended: make(chan struct{})}
	s.terminal = isTerminal(p.screen) && !p.shared.quiet
	s.plain = !s.terminal && !p.shared.quiet
	if s.terminal {
		s.ticking.Go(s.tick)
	}
	return s
}

// tick draws what was not drawn because it came too soon after something else, and what changes by itself: the time
// that is left, and the width.
func (s *statusLine) tick() {
	ticker := time.NewTicker(4 * drawInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-ticker.C:
			s.mutex.Lock()
			if !s.drawn.IsZero() {
				s.draw(true)
			}
			s.mutex.Unlock()
		}
	}
}

// end takes the line away.
func (s *statusLine) end() {
	close(s.ended)
	s.ticking.Wait()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.clear()
}

// report writes a line of its own.
func (s *statusLine) report(format string, args ...any) {
	s.clear()
	s.p.notice(format, args...)
	s.draw(true)
}

func (s *statusLine) clear() {
	if s.terminal && !s.drawn.IsZero() {
		fmt.Fprint(s.p.screen, "\r\x1b[K")
	}
}

const drawInterval = 100 * time.Millisecond

// draw draws the line at most ten times a second.
func (s *statusLine) draw(now bool) {
	if at := s.p.now(); s.terminal && (now || at.Sub(s.drawn) >= drawInterval) {
		s.drawn = at
		fmt.Fprint(s.p.screen, "\r\x1b[K"+escape.Line(cutLine(escape.Line(s.text()), terminalWidth(s.p.screen)-1)))
	}
}

// print writes the line as a line of its own.
func (s *statusLine) print() { fmt.Fprint(s.p.screen, "track: "+escape.Line(s.text())+"\n") }

// bar returns a bar with a space behind it; nothing on a terminal that is too narrow for it.
func (s *statusLine) bar(share float64) string {
	const width, narrow = 12, 40
	if s.terminal && terminalWidth(s.p.screen) < narrow {
		return ""
	}
	filled := int(min(1, share) * width)
	return strings.Repeat("█", filled) + strings.Repeat("░", width-filled) + " "
}

// runningText names what runs, on a terminal.
func (s *statusLine) runningText(running map[string]int) string {
	const most = 4
	names := slices.Sorted(maps.Keys(running))
	if !s.terminal || len(names) == 0 {
		return ""
	}
	text := ", running " + strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += "…"
	}
	return text
}

// significant writes a rate with two digits where it is small.
func significant(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// shortDuration writes 1h02m, 3m20s, 12s and 350ms.
func shortDuration(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d >= 10*time.Second:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d >= time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// terminalWidth is the number of columns of a terminal.
func terminalWidth(stream any) int {
	if file, ok := stream.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 1 {
			return columns
		}
	}
	return 80
}

// cutLine shortens a text to a number of runes.
func cutLine(s string, longest int) string {
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return s
}

// secretNamesFlag is the flag of every command that records names.
func (p *program) secretNamesFlag() cli.Flag {
	return &cli.BoolFlag{
		Name: "allow-secret-name", Usage: "record names, ledgers and versions in which something looks like a secret", Destination: &p.shared.secretNames,
	}
}

// admitting returns a command that records, with the flags that all of those have.
func (p *program) admitting(c *cli.Command) *cli.Command {
	c.Flags = append(c.Flags, p.secretNamesFlag())
	return c
}

// withoutSecrets returns what an error says as it may be shown: it may quote what was given.
func (p *program) withoutSecrets(text string) string {
	masked, _ := p.texts().Text(text)
	return masked
}

// texts returns the rules by which texts are recorded.
func (p *program) texts() *admission.Rules { return admission.New(p.shared.secretNames) }

func formatKnown(format string) bool {
	switch format {
	case "table", "json", "jsonl", "csv", "md":
		return true
	}
	return false
}

// text returns standard output for texts that are written as they are recorded. On a terminal nothing in them steers
// it.
func (p *program) text() io.Writer {
	if isTerminal(p.out) {
		return escape.Writer(p.out)
	}
	return p.out
}

func isTerminal(stream any) bool {
	if answers, ok := stream.(*answerOutput); ok {
		stream = answers.Writer
	}
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// shellHint writes a hint as a person types it.
func shellHint(h track.Hint) string { return reports.ShellHint(h) }

// parseSince reads a date, a time, or a duration before now.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since: %q is neither a time such as 2026-01-02T15:04:05Z nor a duration such as 24h", text)
}
