package main

import (
	"cmp"
	"context"
	"errors"

	"track"
	"track/answer"
	"track/remote"
	"track/scoring/format"
	"track/store"
	"track/tracker/exchange"
)

// pushDatabase sends the records of a database to a server.
func (p *program) pushDatabase(ctx context.Context) error {
	address := cmp.Or(p.shared.server, p.getenv("TRACK_SERVER"))
	if address == "" {
		return usage("track push --all needs a server: --server URL, or TRACK_SERVER")
	}
	client, err := p.clientAt(address)
	if err != nil {
		return err
	}
	path, err := p.ownDatabase()
	if err != nil {
		return err
	}
	st, err := store.Open(ctx, path, p.now)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	st.Admit(p.texts())
	p.noticeSpool(path)
	bar := p.newProgress("sending", "records", 0)
	defer bar.watch()()
	sender, n := client.NewLineSender(pushAttempts), 0
	a := answer.PushedDatabase{Server: client.Address(), Database: store.WithoutPassword(path)}
	a.Sent, a.NotSent, err = exchange.StoredLines(ctx, st, func(name string, line []byte) error {
		n++
		bar.update(n)
		return sender.Add(ctx, name, line)
	})
	if err == nil {
		err = sender.Flush(ctx)
	}
	bar.clear()
	a.RecordedLines = sender.Answer()
	if err != nil {
		n := sender.Acknowledged()
		p.notice("%s had %s of the database when sending ended", a.Server, format.Counted(n, "record"))
		if n == 0 && ctx.Err() == nil || errors.Is(err, remote.ErrRefused) {
			return err // the same command fails again in the same way
		}
		return track.WithHint(err, track.Hint{Text: "run the same command again: it goes on where the server stands"})
	}
	return p.writeAnswer(a)
}
