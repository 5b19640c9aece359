package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer/param"
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
			"policy": readPolicyFile, "counterfactual": readPolicyFile, "operators": readOperatorsFile, "setting": readSettingFile, "manifest": readManifestFile,
			"root": p.readContentFile("--root"), "child": p.readContentFile("--child"), "design": p.readDesign,
		}
	}
	for i := range params {
		b.given[i] = &givenTexts{}
	}
	return b
}

// complete offers what the first argument can be; nil if that is no name of a scenario or a lineage.
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
