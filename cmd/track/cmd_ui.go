package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"os/exec"
	"runtime"

	"github.com/urfave/cli/v2"

	"track/access"
	"track/server"
	"track/store"
)

// uiOptions say where the pages are, and who opens them.
type uiOptions struct {
	address   string
	noBrowser bool
}

func (p *program) uiCommand() *cli.Command {
	var o uiOptions
	return p.admitting(&cli.Command{
		Name: "ui", Usage: "look at a database in the browser", UsageText: "track ui [FLAGS]",
		Description: `Serves pages on this machine alone and opens the browser with a link that works once. Ends with Ctrl-C, or with the terminal. For a team, use
track serve: its pages are the same.

Examples:
   track ui
   track ui --db runs.db --no-browser`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Usage: "listen on `HOST:PORT` of this machine; port 0 takes one that is free", Value: "127.0.0.1:0", Destination: &o.address},
			&cli.BoolFlag{Name: "no-browser", Usage: "write the link, and open nothing", Destination: &o.noBrowser},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track ui takes no arguments")
			}
			return p.ui(c.Context, o)
		},
	})
}

func (p *program) ui(ctx context.Context, o uiOptions) (err error) {
	host, _, err := net.SplitHostPort(o.address)
	if err != nil || !isLoopback(host) {
		return usage("--addr %s: name an address of this machine alone, such as 127.0.0.1:0; for others there is track serve", o.address)
	}
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	if err := st.Close(); err != nil {
		return err
	}
	listener, err := listenOn(o.address)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	config := server.Config{Open: p.openForUpdate, Now: p.now, Log: slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelWarn})), Version: version, OwnerName: actor(), Hosts: []string{host}}
	if config.Owner, err = access.NewSecret(rand.Reader); err != nil {
		return err
	}
	s := server.New(config)
	link := "http://" + listener.Addr().String() + s.LoginLink()
	p.notice("%s is at %s", store.WithoutPassword(st.Path()), link)
	p.notice("the link works once; Ctrl-C ends")
	if !o.noBrowser {
		openBrowser(ctx, link)
	}
	return p.serveUntil(ctx, s, listener)
}

// openBrowser opens an address with the program of the system. Where there is none, the link is written already.
func openBrowser(ctx context.Context, address string) {
	name := map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
	if name == "" {
		name = "xdg-open"
	}
	command := exec.CommandContext(ctx, name, address)
	if command.Start() == nil {
		go func() { _ = command.Wait() }()
	}
}
