package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

const commandsReference = "../../docs/reference/commands.md"

// TestCommandReference holds docs/reference/commands.md to the declarations of the commands; make docs writes it.
func TestCommandReference(t *testing.T) {
	p := &program{}
	app := p.app("")
	prepared := map[string]*cli.Command{}
	for _, c := range app.Commands {
		prepared[c.Name] = c
	}
	var page commandPage
	page.begin(p.sharedFlags())
	for _, g := range p.commandGroups() {
		fmt.Fprintf(&page, "## %s\n\n", capitalised(g.name))
		for _, c := range g.commands {
			page.command("track", prepared[c.name])
		}
	}
	want := regexp.MustCompile(`\n{3,}`).ReplaceAllString(page.String(), "\n\n")
	if *update {
		if err := os.WriteFile(commandsReference, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(commandsReference)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-commands +file); make docs writes it:\n%s", commandsReference, diff)
	}
}

// commandPage writes commands as Markdown.
type commandPage struct {
	strings.Builder
	shared map[string]bool // flags that every command has
}

func (b *commandPage) begin(shared []cli.Flag) {
	b.shared = map[string]bool{"help": true}
	b.WriteString("<!-- Generated from the declarations of the commands. make docs writes this page. -->\n\n# Commands\n\n" +
		"Flags may stand before and after arguments. A verdict is also an [exit code](exit-codes.md).\n\n" +
		"Every command has these flags, and `--help`:\n\n")
	b.flagTable(shared)
	for _, f := range shared {
		b.shared[f.Names()[0]] = true
	}
}

func (b *commandPage) command(parent string, c *cli.Command) {
	name := parent + " " + c.Name
	fmt.Fprintf(b, "%s %s\n\n%s.\n\n", strings.Repeat("#", 2+strings.Count(name, " ")), name, escaped(capitalised(c.Usage)))
	if c.UsageText != "" {
		b.code(c.UsageText)
	}
	b.description(c.Description)
	b.arguments(c)
	b.flagTable(b.own(c))
	for _, sub := range c.Subcommands {
		b.command(name, sub)
	}
}

// own returns the flags that a person may give to this command, without those that every command has.
func (b *commandPage) own(c *cli.Command) (list []cli.Flag) {
	for _, f := range c.VisibleFlags() {
		if !b.shared[f.Names()[0]] {
			list = append(list, f)
		}
	}
	return list
}

// arguments lists the parameters that stand without a flag.
func (b *commandPage) arguments(c *cli.Command) {
	header := "| argument | meaning |\n|---|---|\n"
	for _, f := range c.Flags {
		bound, isParam := f.(*cli.GenericFlag)
		if !isParam || !bound.Hidden || bound.Usage == "" {
			continue
		}
		unit, help := splitUsage(bound.Usage)
		if unit == "" {
			unit = strings.ToUpper(bound.Name)
		}
		fmt.Fprintf(b, "%s| `%s` | %s |\n", header, unit, cell(help))
		header = ""
	}
	if header == "" {
		b.WriteByte('\n')
	}
}

func (b *commandPage) flagTable(flags []cli.Flag) {
	if len(flags) == 0 {
		return
	}
	b.WriteString("| flag | meaning | default |\n|---|---|---|\n")
	for _, f := range flags {
		doc := f.(cli.DocGenerationFlag)
		unit, help := splitUsage(doc.GetUsage())
		var names []string
		for _, name := range f.Names() {
			names = append(names, strings.Repeat("-", min(2, len(name)))+name)
		}
		text := "`" + strings.Join(names, "`, `")
		if doc.TakesValue() {
			text += " " + orValue(unit)
		}
		help, byDefault, named := strings.Cut(strings.TrimSuffix(help, ")"), " (default: ")
		if !named {
			_, help = splitUsage(doc.GetUsage())
			byDefault = defaultOf(doc)
		}
		fmt.Fprintf(b, "| %s` | %s | %s |\n", text, cell(help), cell(byDefault))
	}
	b.WriteByte('\n')
}

// defaultOf returns the default of a flag as help shows it; empty if there is none.
func defaultOf(f cli.DocGenerationFlag) string {
	text := f.GetDefaultText()
	if !f.TakesValue() || text == "none" || text == `""` {
		return ""
	}
	return strings.Trim(text, `"`)
}

func orValue(unit string) string {
	if unit == "" {
		return "VALUE"
	}
	return unit
}

// splitUsage returns the word that help marks as the value of a flag, and the help without the mark.
func splitUsage(usage string) (unit, help string) {
	before, rest, found := strings.Cut(usage, "`")
	if !found {
		return "", usage
	}
	unit, after, _ := strings.Cut(rest, "`")
	return unit, before + unit + after
}

// description writes prose as paragraphs, and indented lines as code.
func (b *commandPage) description(text string) {
	var code []string
	flush := func() {
		if len(code) > 0 {
			b.code(strings.Join(code, "\n"))
			code = nil
		}
	}
	wasProse := false
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		if indented && wasProse {
			b.WriteByte('\n')
		}
		if indented {
			code = append(code, strings.TrimPrefix(line, "   "))
		} else {
			flush()
			b.WriteString(escaped(line) + "\n")
		}
		wasProse = !indented && line != ""
	}
	flush()
	if wasProse {
		b.WriteByte('\n')
	}
}

func (b *commandPage) code(text string) {
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	b.WriteByte('\n')
}

// escaped keeps Markdown from reading plain text as markup.
func escaped(text string) string { return strings.NewReplacer("<", `\<`, "*", `\*`).Replace(text) }

func cell(text string) string { return strings.ReplaceAll(escaped(text), "|", `\|`) }

func capitalised(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// The documents name only commands that exist.
func TestDocumentsNameCommands(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile(commandsReference)
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`track ([a-z][a-z -]*)")
	n := 0
	for _, name := range []string{"reference/origins.md", "reference/statistics.md", "reference/spec.md", "reference/decisions.md", "how-to/ci.md"} {
		text, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range code.FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(found[1])
			first, second := words[0], strings.Join(words[:min(2, len(words))], " ")
			n++
			if !strings.Contains(string(reference), "### track "+second+"\n") && !strings.Contains(string(reference), "### track "+first+"\n") {
				t.Errorf("%s names track %s, which is no command", name, found[1])
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d commands are named", n)
	}
}
