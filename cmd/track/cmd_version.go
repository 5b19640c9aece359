package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/internal/reportfiles"
)

func (p *program) versionExportCommand() *cli.Command {
	text := commandHelp{examples: `
track version export sepa@v002 > prompt.md
track version export sepa@$(track lineage head sepa) -o prompt.md`}
	command := customCommand(p, ask.VersionContent(), text, func(c *cli.Context, a answer.VersionContent) error {
		file := c.String("output")
		if err := p.writeFile(file, []byte(a.Content)); err != nil {
			return fmt.Errorf("--output %s: %w", file, notFound(err))
		}
		return nil
	})
	command.Flags = append(command.Flags, &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to this `FILE`; - is standard output", Value: "-"})
	return command
}

// writeFile writes a whole file: it is complete, or unchanged. - is standard output.
func (p *program) writeFile(file string, data []byte) error {
	if file == "-" {
		_, err := p.text().Write(data)
		return err
	}
	return reportfiles.Replace([]reportfiles.File{{Path: file, Data: data}})
}
