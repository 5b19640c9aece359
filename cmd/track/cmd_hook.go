package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/importer"
	"track/store"
	"track/tracker/live"
)

const (
	hookPatience    = 2 * time.Second // after which the agent goes on, and the event waits in a file
	transcriptTime  = time.Second     // for reading transcripts
	longestPayload  = importer.LongestRecord
	hookLogFile     = "hook.log"
	hookSpoolFolder = "hook.spool"
)

func (p *program) hookCommand() *cli.Command {
	return &cli.Command{
		Name:  "hook",
		Usage: "record what an agent does while it works",
		Subcommands: []*cli.Command{
			p.hookClaudeCodeCommand(),
			p.hookInstallCommand(),
			p.hookUninstallCommand(),
			p.hookStatusCommand(),
		},
	}
}

type hookOptions struct{ lineage, version string }

func (o *hookOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "lineage", Usage: "`NAME` of the lineage that the agent belongs to; else TRACK_LINEAGE, else the name of the project folder", Destination: &o.lineage},
		&cli.StringFlag{Name: "version", Usage: "`NAME` of the version of its prompt; else TRACK_VERSION, else none", Destination: &o.version},
	}
}

func (p *program) hookClaudeCodeCommand() *cli.Command {
	var o hookOptions
	return &cli.Command{
		Name:      "claude-code",
		Usage:     "take one payload of a hook of Claude Code",
		UsageText: "track hook claude-code [--lineage L] [--version V] < PAYLOAD",
		Description: `Claude Code calls it for each event, once track hook install claude-code has told it to. It prints nothing on standard output and
always exits 0: what goes wrong stands in hook.log beside the database, and track hook status shows it.

Example:
   track hook claude-code --lineage mine < payload.json`,
		Flags: o.flags(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track hook claude-code takes no argument: the payload comes on standard input")
			}
			p.hook(context.WithoutCancel(c.Context), o)
			return nil
		},
	}
}

// isHookCall says whether an agent waits for this command line: an exit code that is not 0 would hold it up.
func isHookCall(args []string) bool {
	return len(args) > 2 && args[1] == "hook" && args[2] == "claude-code"
}

// hookCall is one call of a hook. Another goroutine may have to end it.
type hookCall struct {
	sync.Mutex
	event  *store.HookEvent // nil as long as it is not known
	folder string           // of the database; empty as long as it is not known
}

func (c *hookCall) set(folder string, event *store.HookEvent) {
	c.Lock()
	defer c.Unlock()
	c.folder, c.event = folder, event
}

// hook records one event within the time that the agent can wait.
func (p *program) hook(ctx context.Context, o hookOptions) {
	call := &hookCall{}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if problem := recover(); problem != nil {
				done <- fmt.Errorf("a defect of track: %v", problem)
			}
		}()
		done <- p.takeHook(ctx, o, call)
	}()
	patience := time.NewTimer(hookPatience)
	defer patience.Stop()
	var err error
	select {
	case err = <-done:
	case <-patience.C:
		err = fmt.Errorf("not done after %v", hookPatience)
	}
	if err == nil {
		return
	}
	call.Lock()
	defer call.Unlock()
	what := "payload"
	if call.event != nil {
		what = call.event.Name
		if spoolErr := live.Spool(filepath.Join(call.folder, hookSpoolFolder)).Put(*call.event); spoolErr != nil {
			err = fmt.Errorf("%w; the event is lost: %w", err, spoolErr)
		} else {
			err = fmt.Errorf("%w; the event waits for the next call", err)
		}
	}
	p.logHook(call.folder, what, err)
}

// logHook writes what went wrong where somebody finds it.
func (p *program) logHook(folder, what string, err error) {
	message := what + ": " + strings.TrimPrefix(err.Error(), "track: ")
	for _, hint := range track.Hints(err) {
		message += "; hint: " + shellHint(hint)
	}
	if folder == "" {
		if path, err := p.hookDatabase(""); err == nil {
			folder = filepath.Dir(path)
		}
	}
	if folder == "" || live.Log(filepath.Join(folder, hookLogFile)).Add(p.now(), message) != nil {
		fmt.Fprintln(p.err, "track: hook: "+printable(message))
	}
}

// takeHook reads a payload and records it, after what waits for that.
func (p *program) takeHook(ctx context.Context, o hookOptions, call *hookCall) error {
	received := p.now().UTC().Truncate(time.Microsecond)
	payload, err := io.ReadAll(io.LimitReader(p.in, longestPayload+1))
	switch {
	case err != nil:
		return fmt.Errorf("read standard input: %w", err)
	case len(payload) > longestPayload:
		return fmt.Errorf("the payload is longer than %d MiB", longestPayload>>20)
	}
	event, err := live.Receive(payload, importer.Name(p.getenv("TRACK_TASK")), received)
	if err != nil {
		return err
	}
	event.Lineage, event.Version = p.hookLineage(o, event.Folder), importer.Name(cmp.Or(o.version, p.getenv("TRACK_VERSION")))
	path, err := p.hookDatabase(event.Folder)
	missing := errors.Is(err, track.ErrNotFound)
	if missing {
		path, err = filepath.Join(p.projectFolder(event.Folder), store.DefaultDir, store.DefaultFile), nil
	}
	if err != nil {
		return err
	}
	call.set(filepath.Dir(path), &event.HookEvent)
	return p.recordHook(ctx, path, missing, event.HookEvent)
}

func (p *program) recordHook(ctx context.Context, path string, missing bool, event store.HookEvent) error {
	if _, err := os.Stat(path); missing || errors.Is(err, os.ErrNotExist) {
		if _, err := store.Init(ctx, path); err != nil {
			return err
		}
	}
	st, err := store.OpenForUpdate(ctx, path, p.now)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	spool := live.Spool(filepath.Join(filepath.Dir(path), hookSpoolFolder))
	events, forget, err := spool.Events()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, transcriptTime)
	defer cancel()
	warnings, err := live.NewRecorder(st, bufio.NewReader(rand.Reader)).Record(ctx, append(events, event)...)
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		p.logHook(filepath.Dir(path), event.Name, warning)
	}
	if err := forget(); err != nil { // recording them again would change nothing
		p.logHook(filepath.Dir(path), event.Name, err)
	}
	return nil
}

// projectFolder is the top folder of the agent's project, else its working directory, else that of this process.
func (p *program) projectFolder(folder string) string {
	for _, candidate := range []string{p.getenv("CLAUDE_PROJECT_DIR"), folder} {
		if info, err := os.Stat(candidate); candidate != "" && err == nil && info.IsDir() {
			return candidate
		}
	}
	return "."
}

// hookDatabase is where the database of a working directory is.
func (p *program) hookDatabase(folder string) (string, error) {
	if p.shared.db != "" || p.getenv("TRACK_DB") != "" {
		return p.databasePath()
	}
	if info, err := os.Stat(folder); folder == "" || err != nil || !info.IsDir() {
		folder = p.projectFolder("")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return store.Find(folder)
}

// hookLineage is the lineage of an event: what the user says, else the name of the project folder.
func (p *program) hookLineage(o hookOptions, folder string) string {
	if name := importer.Name(cmp.Or(o.lineage, p.getenv("TRACK_LINEAGE"))); name != "" {
		return name
	}
	name := filepath.Base(filepath.Clean(cmp.Or(p.getenv("CLAUDE_PROJECT_DIR"), folder)))
	if name = importer.Name(strings.ReplaceAll(name, "@", "-")); name == "" || name == "." || name == string(filepath.Separator) {
		return importer.ClaudeCode
	}
	return name
}
