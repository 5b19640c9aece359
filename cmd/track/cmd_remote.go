package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/access"
	"track/answer"
	"track/remote"
)

func (p *program) remoteCommand() *cli.Command {
	return &cli.Command{
		Name: "remote", Usage: "give servers names, and keep their tokens",
		Subcommands: []*cli.Command{p.remoteAddCommand(), p.remoteListCommand(), p.remoteRemoveCommand()},
	}
}

type remoteAddOptions struct {
	tokenFile string
	noToken   bool
}

func (p *program) remoteAddCommand() *cli.Command {
	var o remoteAddOptions
	return &cli.Command{
		Name: "add", Usage: "give a server a name, and keep its token", UsageText: "track remote add NAME URL [FLAGS] < TOKEN",
		Description: `The name then stands for the URL and the token in --server and TRACK_SERVER. They are kept in a file of this user that nobody else can
read. The token is read from standard input or a file, so that no list of processes shows it. It is not printed.

Examples:
   track remote add lab https://track.example.org --token-file lab.token
   track stability growth_plus --server lab`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "token-file", Usage: "read the token from `FILE`", DefaultText: "standard input", Destination: &o.tokenFile},
			&cli.BoolFlag{Name: "no-token", Usage: "keep no token: the server wants none, or this user runs it on this machine", Destination: &o.noToken},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usage("track remote add takes a NAME and a URL")
			}
			if o.noToken && o.tokenFile != "" {
				return usage("--token-file and --no-token: give one of them")
			}
			secret, err := p.readToken(o)
			if err != nil {
				return err
			}
			n, err := remote.Add(c.Args().Get(0), c.Args().Get(1), secret)
			if err != nil {
				return err
			}
			return p.writeAnswer(answer.ChangedRemote{Remote: describedRemote(n), Change: "added"})
		},
	}
}

// readToken reads the token of a server that is added.
func (p *program) readToken(o remoteAddOptions) (access.Secret, error) {
	const longest = 1 << 10
	source, in := "standard input", p.in
	switch {
	case o.noToken:
		return "", nil
	case o.tokenFile != "":
		file, err := os.Open(o.tokenFile)
		if errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("token file %s: %w", o.tokenFile, track.ErrNotFound)
		}
		if err != nil {
			return "", err
		}
		defer func() { _ = file.Close() }()
		source, in = o.tokenFile, file
	default:
		if isTerminal(os.Stdin) {
			return "", usage("the token is read from standard input, and a terminal would show it: give --token-file FILE, or --no-token")
		}
	}
	text, err := io.ReadAll(io.LimitReader(in, longest))
	if err != nil {
		return "", err
	}
	secret, err := access.ParseSecret(strings.TrimSpace(string(text)))
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", track.ErrInvalid, source, err)
	}
	return secret, nil
}

func (p *program) remoteListCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the servers that have names", UsageText: "track remote list [FLAGS]",
		Description: "Example:\n   track remote list",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track remote list takes no arguments")
			}
			all, err := remote.FindAll()
			if err != nil {
				return err
			}
			a := answer.Remotes{List: answer.List[answer.Remote]{Items: []answer.Remote{}}}
			for _, n := range all {
				a.Items = append(a.Items, describedRemote(n))
			}
			return p.writeAnswer(a)
		},
	}
}

func (p *program) remoteRemoveCommand() *cli.Command {
	return &cli.Command{
		Name: "remove", Usage: "forget the name of a server, and its token", UsageText: "track remote remove NAME [FLAGS]",
		Description: "What waits to be sent to the server stays, and goes there once the server is named again.\n\nExample:\n   track remote remove lab",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track remote remove takes a NAME")
			}
			name := c.Args().First()
			if err := remote.CheckName(name); err != nil {
				return err
			}
			n, err := remote.Find(name)
			if errors.Is(err, track.ErrNotFound) {
				return fmt.Errorf("server %s: %w", name, track.ErrNotFound)
			}
			if n.Name = name; err != nil {
				n.URL = "" // of a file that others can read, or that cannot be read
			}
			if err := remote.Remove(name); err != nil {
				return err
			}
			return p.writeAnswer(answer.ChangedRemote{Remote: describedRemote(n), Change: "removed"})
		},
	}
}

func describedRemote(n remote.Named) answer.Remote {
	return answer.Remote{Name: n.Name, URL: n.URL, HasToken: n.Secret != ""}
}
