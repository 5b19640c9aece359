package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"track"
	"track/importer"
	"track/importer/lines"
	"track/internal/spool"
	"track/remote"
	"track/scoring/format"
	"track/tracker/exchange"
)

// silence is how long nothing was written to a log that has ended. A server takes no execution that grows.
const silence = time.Hour

// importForServer keeps the executions of logs that have ended in the spool of a server, and sends them.
func (p *program) importForServer(ctx context.Context, client *remote.Client, name string, logs exchange.Logs, options exchange.ImportOptions) error {
	switch {
	case name == importer.SEPA:
		return usage("track import %s needs a database, because lines do not carry versions: name it with --db", name)
	case options.Execution.KeepText:
		return usage("--keep-text is for a database: a server keeps the texts of a lineage as the lineage says")
	}
	logs, growing := logs.Ended(p.now().Add(-silence))
	p.noticeGrowing(growing)
	dir, err := remote.SpoolDir(client.Address())
	if err != nil {
		return err
	}
	kept := spoolBuffer{program: p, dir: dir}
	options.Execution.Texts = p.texts()
	if !options.DryRun {
		options.Keep = func(e track.Execution) error {
			line, err := lines.AppendExecution(nil, e)
			if err == nil {
				err = kept.add(line)
			}
			return err
		}
	}
	bar := p.newProgress("importing", "executions", logs.Size())
	a, err := exchange.ImportLogs(ctx, nil, logs, options, bufio.NewReader(rand.Reader), exchange.LogObserver{
		Problem: func(s importer.Skip) {
			bar.clear()
			p.showSkip(s)
		},
		Read: func(n int) { bar.read.Add(int64(n)) }, Progress: bar.update,
	})
	bar.clear()
	if err := errors.Join(err, kept.close()); err != nil {
		return err
	}
	p.noticeSkippedFiles(a)
	if err := p.writeAnswer(a); err != nil {
		return err
	}
	if kept.path != "" {
		if err := p.pushKept(ctx, client, kept.path); err != nil {
			return err
		}
	}
	return exchange.ImportError(a)
}

// noticeGrowing names the first logs that may go on.
func (p *program) noticeGrowing(paths []string) {
	const named = 3
	if len(paths) == 0 {
		return
	}
	names := paths[:min(named, len(paths))]
	if more := len(paths) - len(names); more > 0 {
		names = append(names[:len(names):len(names)], fmt.Sprintf("and %d more", more))
	}
	p.notice("%s written within the last hour and left out, because a server takes only executions that have ended; import again later: %s",
		format.Counted(len(paths), "file"), strings.Join(names, ", "))
}

// spoolBuffer keeps lines in a file of a spool, which is made when it is needed.
type spoolBuffer struct {
	*program
	dir    string
	writer *spool.Writer
	text   []byte // that is not written yet
	path   string // empty if nothing is kept
}

func (k *spoolBuffer) add(line []byte) error {
	const together = 1 << 20
	if k.text = append(k.text, line...); len(k.text) < together {
		return nil
	}
	return k.flush()
}

func (k *spoolBuffer) flush() (err error) {
	if len(k.text) == 0 {
		return nil
	}
	if k.writer == nil {
		if k.writer, err = k.createSpool(k.dir); err != nil {
			return err
		}
		k.path = k.writer.Path()
	}
	err = k.writer.Add(k.text)
	k.text = k.text[:0]
	return err
}

func (k *spoolBuffer) close() error {
	err := k.flush()
	if k.writer != nil {
		err = errors.Join(err, k.writer.Close())
	}
	return err
}
