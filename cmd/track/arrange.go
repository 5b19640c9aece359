package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange reorders a command line so that flags stand behind their command and before its arguments, wherever the
// user wrote them: the flag package stops at the first argument and would silently ignore what follows. "help A B"
// becomes "A B --help".
func arrange(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	words := args[1:]
	if words[0] == "help" {
		words = append(slices.Clone(words[1:]), "--help")
	}
	var path, flags, arguments []string
	help := false
	commands, current := app.Commands, []cli.Flag(nil)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			arguments = append(arguments, words[i+1:]...)
			i = len(words)
		case word == "--help" || word == "-h":
			help = true
		case len(word) > 1 && word[0] == '-':
			flags = append(flags, word)
			if i+1 < len(words) && !strings.Contains(word, "=") && takesValue(word, current, commands) {
				i++
				flags = append(flags, words[i])
			}
		default:
			command := find(commands, word)
			if command == nil || len(arguments) > 0 {
				arguments = append(arguments, word)
				continue
			}
			path = append(path, word)
			commands, current = command.Subcommands, command.Flags
		}
	}
	switch unknown := len(arguments) > 0 && len(commands) > 0; {
	case unknown && len(current) == 0: // of a command that does not exist, no flag is known
		flags = nil
	case help && !unknown:
		flags, arguments = []string{"--help"}, nil
	}
	arranged := append([]string{args[0]}, path...)
	arranged = append(arranged, flags...)
	if len(arguments) > 0 {
		arranged = append(append(arranged, "--"), arguments...)
	}
	return arranged
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// takesValue says whether a flag is followed by its value. Before the command is known, the flags of the commands
// below decide: those that stand there are shared by all.
func takesValue(word string, flags []cli.Flag, commands []*cli.Command) bool {
	name := strings.TrimLeft(word, "-")
	for _, flag := range flags {
		if slices.Contains(flag.Names(), name) {
			documented, ok := flag.(cli.DocGenerationFlag)
			return ok && documented.TakesValue()
		}
	}
	for _, c := range commands {
		if takesValue(word, c.Flags, c.Subcommands) {
			return true
		}
	}
	return false
}
