package messages

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"regexp"
	"track"
	"track/importer"
	"track/importer/chat"
)

// A record or a message begins like this, so that reading goes on behind damage.
var beginning = regexp.MustCompile(`\{\s{0,100}"(?:role|messages|conversations|id|from|task_id|conversation_id)"\s{0,20}:`)

// Read reads conversations. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.Messages, file, r)
		switch {
		case err != nil:
			yield(importer.Item{}, err)
		case importer.HasLines(reader):
			importer.ReadLines(importer.Messages, file, reader, &decoder{})(yield)
		default:
			importer.ReadDocuments(importer.Messages, file, reader, beginning, readDocument)(yield)
		}
	}
}

// readDocument reads a record, or an array of messages or of records.
func readDocument(d *importer.Document) error {
	next, err := d.Next()
	if err != nil {
		return err
	}
	if next != '[' {
		raw, line, err := d.Value(true)
		if err != nil {
			return err
		}
		items, problem := decode(raw, line)
		if problem != nil {
			items = append(items, importer.Skipf(line, "%s", importer.Reason(problem)))
		}
		return d.Pass(items...)
	}
	list := &decoder{whole: true}
	err = d.Array(beginning, func(raw []byte, line int) error {
		items, err := list.DecodeLine(line, raw)
		if err != nil {
			return err
		}
		return d.Pass(items...)
	})
	if stopped := d.Pass(list.End()...); stopped != nil {
		return stopped
	}
	return err
}

// decode makes an execution of a record, or of a conversation.
func decode(raw []byte, line int) ([]importer.Item, error) {
	var r record
	if jsontext.Value(raw).Kind() == '[' {
		if err := importer.Unmarshal(raw, &r.Messages); err != nil {
			return nil, err
		}
		return r.execution(raw, line)
	}
	if err := importer.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	if r.Messages == nil && r.Conversations == nil {
		return nil, errors.New("neither a message nor a record with messages")
	}
	return r.execution(raw, line)
}

// decoder decodes a record, a conversation, or a message of the one conversation on each line.
type decoder struct {
	whole bool // the messages are elements of an array, and cannot grow

	draft *importer.Draft // of single messages
	chat  chat.Replay
	shape string // of the messages up to the first answer, which identify the conversation
}

// DecodeLine implements [importer.LineDecoder].
func (l *decoder) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	text = bytes.TrimSpace(text)
	if jsontext.Value(text).Kind() == '{' {
		var m chat.Message
		if err := importer.Unmarshal(text, &m); err == nil && m.Role != "" {
			l.message(number, text, m)
			return nil, nil
		}
	}
	return decode(text, number)
}

func (l *decoder) message(number int, raw []byte, m chat.Message) {
	if l.draft == nil {
		l.draft = importer.NewDraft(importer.NewBudget(), number, track.Execution{Source: importer.Messages})
		l.chat = chat.Replay{Draft: l.draft}
	}
	if !l.draft.Acted() {
		l.shape = importer.Digest(l.shape + importer.Shape(raw))
	}
	l.chat.Add(m)
}

// End implements [importer.LineDecoder].
func (l *decoder) End() []importer.Item {
	switch {
	case l.draft == nil:
		return nil
	case !l.draft.Acted():
		return []importer.Item{importer.Skipf(l.draft.Line, "%v", errNoAnswer)}
	case l.whole:
		return l.draft.Close()
	}
	l.draft.Key = importer.Key(importer.Messages, l.shape)
	items := l.draft.End()
	items[0].Open = true
	return items
}
