package main

import (
	"github.com/urfave/cli/v2"

	"track/internal/admission"
)

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
