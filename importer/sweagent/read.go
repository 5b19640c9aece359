package sweagent

import (
	"io"
	"iter"
	"regexp"

	"track/importer"
)

// A document, a step and a message begin like this, so that reading goes on behind damage.
var (
	beginning        = regexp.MustCompile(`\{\s{0,100}"(?:environment|trajectory|info|messages|instance_id)"\s{0,20}:`)
	stepBeginning    = regexp.MustCompile(`\{\s{0,100}"(?:action|thought|response|observation)"\s{0,20}:`)
	messageBeginning = regexp.MustCompile(`\{\s{0,100}"(?:role|content)"\s{0,20}:`)
)

// Read reads a trajectory. file stands in items and errors, and names the instance if the trajectory does not.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		read := func(d *importer.Document) error { return readDocument(d, file) }
		importer.ReadDocuments(importer.SWEAgent, file, r, beginning, read)(yield)
	}
}

func readDocument(d *importer.Document, file string) error {
	t := newTrajectory(d.Line, file)
	next, err := d.Next()
	if err != nil {
		return err
	}
	if next == '[' {
		err = t.list(d, &t.nMessages, messageBeginning, t.message)
	} else {
		err = d.Members(func(name string) error { return t.member(d, name) })
	}
	if t.nSteps+t.nMessages > 0 {
		if stopped := d.Pass(t.close(err != nil)...); stopped != nil {
			return stopped
		}
	} else if err == nil {
		return d.Pass(importer.Skipf(t.draft.Line, "a trajectory without steps or messages"))
	}
	return err
}

func (t *trajectory) member(d *importer.Document, name string) error {
	switch name {
	case "trajectory":
		return t.list(d, &t.nSteps, stepBeginning, t.step)
	case "messages":
		return t.list(d, &t.nMessages, messageBeginning, t.message)
	case "info", "instance_id", "replay_config", "trajectory_format":
		return d.Member(name, t)
	case "resolved", "reward", "score", "report":
		return d.Member(name, &t.outcome)
	}
	return d.Skip() // history, which the steps repeat
}

func (t *trajectory) list(d *importer.Document, n *int, marker *regexp.Regexp, use func(raw []byte) error) error {
	return d.Array(marker, func(raw []byte, _ int) error {
		err := use(raw)
		if err == nil {
			*n++
		}
		return err
	})
}
