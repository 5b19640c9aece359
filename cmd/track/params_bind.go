package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/internal/shell"
	"track/tracker/names"
)

// boundParams are the parameters of a question as flags and arguments of a command.
type boundParams struct {
	command string
	params  param.List
	given   []*givenTexts // for each parameter
	read    readers
}

// readers read the files that parameters name, by the name of the parameter: each returns the text that the parameter
// is set to.
type readers map[string]func(text string) (string, error)

// givenTexts keeps what a flag was given, until all are known.
type givenTexts struct{ texts []string }

func (g *givenTexts) Set(text string) error {
	g.texts = append(g.texts, text)
	return nil
}

func (g *givenTexts) String() string { return "" }

// bindParams binds parameters to flags and arguments. The files that they name are read by read, or as their names say.
func (p *program) bindParams(command string, params param.List, read readers) *boundParams {
	b := &boundParams{command: "track " + command, params: params, given: make([]*givenTexts, len(params)), read: read}
	if read == nil {
		b.read = readers{
			"operators": readOperatorsFile, "setting": readSettingFile, "manifest": readManifestFile,
			"root": p.readContentFile("--root"), "child": p.readContentFile("--child"), "design": p.readDesign,
		}
	}
	for i := range params {
		b.given[i] = &givenTexts{}
	}
	return b
}

// complete offers what the first argument can be; nil unless it names a scenario or a lineage.
func (b *boundParams) complete(p *program) cli.BashCompleteFunc {
	i := slices.IndexFunc(b.params, func(p param.Param) bool { return p.Arg })
	if i < 0 {
		return nil
	}
	switch b.params[i].Name {
	case "scenario", "candidate":
		return p.completeScenarios
	case "lineage":
		return p.completeLineages
	}
	return nil
}

// flags returns a flag for each parameter; arguments have a hidden one.
func (b *boundParams) flags() []cli.Flag {
	var list []cli.Flag
	for i, p := range b.params {
		if p.Value.Type() == "boolean" {
			list = append(list, &cli.BoolFlag{Name: p.Name, Usage: p.Help, Hidden: p.Arg, Action: func(_ *cli.Context, on bool) error {
				return p.Value.Set(map[bool]string{true: "true", false: "false"}[on])
			}})
			continue
		}
		byDefault := p.Value.String()
		if p.Required {
			byDefault = ""
		}
		list = append(list, &cli.GenericFlag{Name: p.Name, Usage: flagHelp(p), Value: b.given[i], DefaultText: byDefault, Hidden: p.Arg})
	}
	return list
}

// flagHelp returns the help of a flag, in which its unit is marked for package cli.
func flagHelp(p param.Param) string {
	help := cmp.Or(p.FileHelp, p.Help)
	if p.Unit != "" && !strings.Contains(help, "`") {
		help = strings.Replace(help, p.Unit, "`"+p.Unit+"`", 1)
	}
	switch last := len(p.Enum) - 1; {
	case last == 0:
		help += ": " + p.Enum[last]
	case last > 0:
		help += ": " + strings.Join(p.Enum[:last], ", ") + " or " + p.Enum[last]
	}
	return help
}

func (b *boundParams) usageText() string {
	text := b.command
	for _, p := range b.params {
		switch {
		case p.Required:
			text += " " + neededName(p)
		case p.Arg:
			text += " [" + p.Unit + "]"
		default:
			continue
		}
		if p.Value.Type() == "array" {
			text += "..."
		}
	}
	return text + " [FLAGS]"
}

// neededName returns what a user writes for a required parameter.
func neededName(p param.Param) string {
	if p.Arg {
		return p.Unit
	}
	return "--" + p.Name + " " + p.Unit
}

// set sets the parameters from the command line.
func (b *boundParams) set(c *cli.Context) error {
	arguments := c.Args().Slice()
	for i, p := range b.params {
		given := b.given[i].texts
		if p.Arg {
			n := min(1, len(arguments))
			if p.Value.Type() == "array" {
				n = len(arguments)
			}
			if n > 0 && len(given) > 0 && given[len(given)-1] != arguments[0] {
				return usage("both %s and --%s %s are given", arguments[0], p.Name, given[0])
			}
			given, arguments = append(given, arguments[:n]...), arguments[n:]
		}
		if len(given) > 1 && p.Value.Type() != "array" {
			given = given[len(given)-1:] // as with flags elsewhere, the last one counts
		}
		if p.Required && len(given) == 0 {
			return usage("%s: %s is missing", b.command, neededName(p))
		}
		for _, text := range given {
			if err := b.setOne(p, text); err != nil {
				return err
			}
		}
	}
	if len(arguments) > 0 {
		return b.unexpected(arguments[0])
	}
	return nil
}

// unexpected returns the error of an argument that the command does not take. A name may belong to a flag.
func (b *boundParams) unexpected(argument string) error {
	err := usage("%s: unexpected argument %q", b.command, argument)
	for i, p := range b.params {
		if !p.Arg && len(b.given[i].texts) == 0 && (p.Name == "lineage" || p.Name == "scenario") {
			return track.WithHint(err, track.Hint{Text: "give it as a flag"}.With(p.Name, argument))
		}
	}
	return err
}

// setOne sets a parameter to a text, or to the content of the file that the text names.
func (b *boundParams) setOne(p param.Param, text string) error {
	if read := b.read[p.Name]; read != nil {
		var err error
		if text, err = read(text); err != nil {
			return err
		}
	}
	return b.usageError(p.Set(text))
}

// usageError makes an error about a parameter one about its flag or argument.
func (b *boundParams) usageError(err error) error { return usageOf(b.params, err) }

// usageOf makes an error about one of the parameters one about its flag or argument.
func usageOf(params param.List, err error) error {
	var problem *param.Error
	if !errors.As(err, &problem) || errors.Is(err, context.Canceled) {
		return err
	}
	if p, _ := params.Find(problem.Param); p.Arg {
		return usage("%s: %s", p.Unit, problem.Message)
	}
	return usage("--%s: %s", problem.Param, problem.Message)
}

// repeated is an input that can be read once more from its beginning, also while its first reader waits for more of it.
type repeated struct {
	mu     sync.Mutex
	source io.Reader
	file   *os.File // what was read so far
	size   int64
}

func newRepeated(source io.Reader) (*repeated, error) {
	file, err := os.CreateTemp("", "track-batch-")
	return &repeated{source: source, file: file}, err
}

func (r *repeated) close() {
	_ = r.file.Close()
	_ = os.Remove(r.file.Name())
}

// Read reads what nobody has read yet.
func (r *repeated) Read(text []byte) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read(text)
}

func (r *repeated) read(text []byte) (n int, err error) {
	n, err = r.source.Read(text)
	if _, writeErr := r.file.WriteAt(text[:n], r.size); writeErr != nil {
		return n, writeErr
	}
	r.size += int64(n)
	return n, err
}

// again returns a reader of everything.
func (r *repeated) again() io.Reader { return &repetition{of: r} }

type repetition struct {
	of *repeated
	at int64
}

func (r *repetition) Read(text []byte) (n int, err error) {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if left := r.of.size - r.at; left > 0 {
		n, err = r.of.file.ReadAt(text[:min(int64(len(text)), left)], r.at)
	} else {
		n, err = r.of.read(text)
	}
	r.at += int64(n)
	return n, err
}

// completionFlag ends the command line by which a shell asks what the word before it, which may be empty, can become.
// bash asks with bashLineFlag after the line up to the cursor and the characters that part words.
const (
	completionFlag = "--generate-bash-completion"
	bashLineFlag   = "--complete-bash-line"
)

// completeFor prints what the last word can become, if a shell asks for that with the last of args.
func (p *program) completeFor(ctx context.Context, args []string) bool {
	last := len(args) - 1
	switch {
	case last > 0 && args[last] == completionFlag:
		p.complete(ctx, p.app(""), args[1:last])
	case last == 3 && args[last] == bashLineFlag:
		line := shell.ParseTyped(args[1], args[2])
		p.insert = line.Insert
		p.complete(ctx, p.app(""), line.Arguments())
	default:
		return false
	}
	return true
}

// complete prints what the last of words can become, one on a line; nothing where that is a file, or anything at all.
func (p *program) complete(ctx context.Context, app *cli.App, words []string) {
	if len(words) == 0 {
		return
	}
	command := &cli.Command{Subcommands: app.Commands, Flags: append(p.sharedFlags(), cli.VersionFlag)}
	valueOf := "" // the flag whose value comes next
	for _, word := range words[:len(words)-1] {
		next := find(command.Subcommands, word)
		switch {
		case valueOf == "db":
			p.shared.db, valueOf = word, ""
		case valueOf != "":
			valueOf = ""
		case len(word) > 1 && word[0] == '-':
			if !strings.Contains(word, "=") && takesValue(word, command.Flags, command.Subcommands) {
				valueOf = strings.TrimLeft(word, "-")
			}
		case next != nil:
			command = next
		}
	}
	p.typed = words[len(words)-1]
	switch {
	case valueOf != "":
		p.completeValue(ctx, valueOf)
	case strings.HasPrefix(p.typed, "-"):
		p.completeFlag(command)
	case len(command.Subcommands) > 0:
		p.offer(commandNames(command.Subcommands)...)
	case command.BashComplete != nil:
		c := cli.NewContext(app, flag.NewFlagSet("", flag.ContinueOnError), nil)
		c.Context = ctx
		command.BashComplete(c)
	}
}

// offer prints the candidates that begin with what is typed; for bash with the quotes that they need, since other
// shells quote what they insert. A name that is not a line of visible characters is not offered.
func (p *program) offer(candidates ...string) {
	for _, candidate := range candidates {
		if !strings.HasPrefix(candidate, p.typed) || !shell.Visible(candidate) {
			continue
		}
		insert := candidate
		if p.insert != nil {
			var safe bool
			if insert, safe = p.insert(candidate); !safe {
				continue
			}
		}
		fmt.Fprintln(p.out, insert)
	}
}

func (p *program) completeFlag(command *cli.Command) {
	p.offer("--help")
	for _, flag := range command.VisibleFlags() {
		p.offer("--" + flag.Names()[0])
	}
}

func (p *program) completeValue(ctx context.Context, flag string) {
	switch flag {
	case "format":
		p.offer("table", "json", "jsonl", "csv", "md")
	case "outcome":
		p.offer("ok", "error", "timeout", "collapsed")
	case "status":
		p.offer("PASS", "WARN", "FAIL")
	case "scenario":
		p.offerScenarios(ctx)
	case "lineage":
		p.offerLineages(ctx)
	case "policy", "counterfactual":
		p.offer(evolution.Policies()...)
	case "risk":
		p.offer("LOW", "MEDIUM", "HIGH")
	}
}

// completeScenarios offers the names of the scenarios as the arguments of a command.
func (p *program) completeScenarios(c *cli.Context) { p.offerScenarios(c.Context) }

func (p *program) offerScenarios(ctx context.Context) {
	st, err := p.open(ctx)
	if err != nil {
		return // a shell has no use for the reason
	}
	defer func() { _ = st.Close() }()
	scenarios, _ := st.Scenarios(ctx)
	p.offer(scenarios...)
}

// completeLineages offers the names of the lineages as the arguments of a command.
func (p *program) completeLineages(c *cli.Context) { p.offerLineages(c.Context) }

func (p *program) offerLineages(ctx context.Context) {
	st, err := p.open(ctx)
	if err != nil {
		return
	}
	defer func() { _ = st.Close() }()
	lineages, _ := st.Lineages(ctx)
	p.offer(lineages...)
}

// sharedOptions are the flags that every command has.
type sharedOptions struct {
	db     string
	server string
	format string
	quiet  bool
	// safeCSV keeps text from being taken for a formula.
	safeCSV bool
	// secretNames says to record names that look like secrets.
	secretNames bool
	screen      screen
}

func (p *program) sharedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "db", Usage: "use the database `FILE`; else TRACK_DB, else .track/track.db here or in a folder above", Destination: &p.shared.db},
		&cli.StringFlag{Name: "server", Usage: "ask the server at `URL`, or of this name in track remote; else TRACK_SERVER, unless a database is named", Destination: &p.shared.server},
		&cli.StringFlag{Name: "format", Usage: "write the answer in this `FORMAT`: table, json, jsonl, csv or md", Value: "table", Destination: &p.shared.format},
		&cli.BoolFlag{Name: "csv-safe", Usage: "write an apostrophe before text like =1+1 in CSV, so that no spreadsheet computes it", Destination: &p.shared.safeCSV},
		&cli.BoolFlag{Name: "wide", Usage: "show all columns of tables on one line each, even if the terminal is narrower", Destination: &p.shared.screen.wide},
		&cli.IntFlag{Name: "width", Usage: "lay out tables for `N` columns (default: the terminal's; any width in a file)", Destination: &p.shared.screen.width},
		&cli.BoolFlag{Name: "no-pager", Usage: "do not show long answers with TRACK_PAGER, PAGER or less", Destination: &p.shared.screen.noPager},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no notices and no progress", Destination: &p.shared.quiet},
	}
}

// optional returns the number that a flag was given; nil if it was not given.
func optional(c *cli.Context, name string) *float64 {
	if !c.IsSet(name) {
		return nil
	}
	x := c.Float64(name)
	return &x
}

// maxSizeFlag says what a file may hold that is unpacked into the memory or onto the disk.
func (p *program) maxSizeFlag() cli.Flag {
	return &cli.GenericFlag{Name: "max-size", Usage: "read a file that holds up to `SIZE` when it is unpacked, such as 512MiB or 4GB", Value: &p.maxSize}
}

// newFlag goes on with a name that is not known although names like it are.
func newFlag(isNew *bool) cli.Flag {
	return &cli.BoolFlag{Name: "new", Usage: "take names that are not known although names like them are", Destination: isNew}
}

// newNames checks the names of what a command records.
func newNames(isNew bool) *names.Checker {
	if isNew {
		return nil
	}
	return names.New(names.Refuse)
}
