package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) executionsCommand() *cli.Command {
	return questionCommand(p, ask.Executions(), commandHelp{complete: p.completeLineages, examples: `
track executions sepa --limit 20
track executions sepa@v002 --status error
track executions --max-score 60 --since 24h --format csv`})
}

// parseLineage reads LINEAGE[@VERSION]; version is nil where none is given.
func parseLineage(s string) (lineage string, version *string, err error) {
	lineage, name, given := strings.Cut(s, "@")
	switch {
	case lineage == "":
		return "", nil, usage("%q is not LINEAGE or LINEAGE@VERSION", s)
	case given:
		version = &name
	}
	return lineage, version, nil
}
