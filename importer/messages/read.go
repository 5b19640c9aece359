package messages

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/importer/chat"
)

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
			importer.ReadDocuments(importer.Messages, file, reader, readDocument)(yield)
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
	err = d.Array(func(raw []byte, line int) error {
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

// record is a conversation with what is known of it.
type record struct {
	Messages      []chat.Message `json:"messages"`
	Conversations []shared       `json:"conversations"`
	response
	Response response `json:"response"`

	ID           jsontext.Value `json:"id"`
	Conversation jsontext.Value `json:"conversation_id"`
	Session      jsontext.Value `json:"session_id"`
	Thread       jsontext.Value `json:"thread_id"`
	Trace        jsontext.Value `json:"trace_id"`

	TaskID    jsontext.Value `json:"task_id"`
	Task      jsontext.Value `json:"task"`
	Instance  jsontext.Value `json:"instance_id"`
	Problem   jsontext.Value `json:"problem_id"`
	Version   jsontext.Value `json:"prompt_version"`
	Trial     *int           `json:"trial"`
	Cost      *float64       `json:"cost"`
	CostUSD   *float64       `json:"cost_usd"`
	TotalCost *float64       `json:"total_cost"`

	CreatedAt   jsontext.Value `json:"created_at"`
	Created     jsontext.Value `json:"created"`
	StartTime   jsontext.Value `json:"start_time"`
	Timestamp   jsontext.Value `json:"timestamp"`
	CompletedAt jsontext.Value `json:"completed_at"`
	EndTime     jsontext.Value `json:"end_time"`

	Error    jsontext.Value `json:"error"`
	Metadata jsontext.Value `json:"metadata"`
	Info     jsontext.Value `json:"info"`
}

// response is what the API answers.
type response struct {
	Model   string `json:"model"`
	Usage   *usage `json:"usage"`
	Choices []struct {
		Message chat.Message `json:"message"`
		Finish  string       `json:"finish_reason"`
	} `json:"choices"`
}

type usage struct {
	Prompt     *int64 `json:"prompt_tokens"`
	Completion *int64 `json:"completion_tokens"`
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	In         struct {
		Cached *int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning *int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// shared is a message of ShareGPT.
type shared struct {
	From  string         `json:"from"`
	Value jsontext.Value `json:"value"`
}

func (s shared) message() chat.Message {
	m := chat.Message{Role: s.From, Content: s.Value}
	switch s.From {
	case "gpt", "chatgpt", "bing", "bard":
		m.Role = "assistant"
	case "human":
		m.Role = "user"
	case "observation", "function_response", "tool_response":
		m.Role = "tool"
	case "function_call", "tool_call":
		var f chat.Function
		if importer.Unmarshal([]byte(importer.String(s.Value)), &f) == nil && f.Name != "" {
			m = chat.Message{Role: "assistant", Function: &f}
		}
	}
	return m
}

var errNoAnswer = errors.New("a conversation without an answer")

// execution makes an execution of a record.
func (r record) execution(raw []byte, line int) ([]importer.Item, error) {
	draft := importer.NewDraft(importer.NewBudget(), line, track.Execution{Source: importer.Messages})
	conversation := chat.Replay{Draft: draft}
	draft.Touch(first(chat.Time, r.CreatedAt, r.Created, r.StartTime, r.Timestamp))
	for _, m := range r.Messages {
		conversation.Add(m)
	}
	for _, m := range r.Conversations {
		conversation.Add(m.message())
	}
	for _, answer := range []response{r.response, r.Response} {
		if len(answer.Choices) > 0 {
			message := answer.Choices[0].Message
			message.Tokens = answer.Usage.tokens()
			conversation.Add(message)
			draft.Truncated = answer.Choices[0].Finish == "length"
		}
		r.account(draft, answer)
	}
	if !draft.Acted() {
		return nil, errNoAnswer
	}
	draft.Touch(first(chat.Time, r.CompletedAt, r.EndTime))
	r.describe(&draft.Execution, raw)
	return draft.Close(), nil
}

// account takes the model and the tokens of an answer.
func (r record) account(draft *importer.Draft, answer response) {
	if model := importer.Name(answer.Model); model != "" {
		draft.Model = model
	}
	if answer.Usage != nil {
		draft.Tokens = answer.Usage.tokens()
	}
}

// tokens returns the counts apart from each other; nil if no token was counted.
func (u *usage) tokens() *track.Tokens {
	if u == nil {
		return nil
	}
	counts := importer.Usage{Prompt: u.Prompt, Completion: u.Completion, CacheRead: u.In.Cached, Reasoning: u.Out.Reasoning}
	if u.Prompt == nil {
		counts.Prompt = u.Input
	}
	if u.Completion == nil {
		counts.Completion = u.Output
	}
	return counts.Tokens()
}

func (r record) describe(e *track.Execution, raw []byte) {
	e.Session = first(text, r.Conversation, r.Session, r.Thread)
	e.Task = first(text, r.TaskID, r.Task, r.Instance, r.Problem)
	e.Version = first(text, r.Version)
	if r.Trial != nil && *r.Trial > 0 {
		e.Trial = *r.Trial
	}
	e.Key = r.key(raw)
	for _, cost := range []*float64{r.Cost, r.TotalCost, r.CostUSD} {
		if cost = importer.Dollars(cost); cost != nil {
			e.CostUSD = cost
		}
	}
	for _, object := range []jsontext.Value{r.Info, r.Metadata, raw} {
		importer.AddOutcomes(&e.Truths, importer.Members(object))
	}
	if message := errorText(r.Error); message != "" {
		e.Status, e.Message = track.ExecutionError, message
	}
}

// key identifies a record by its name. A short id may be that of another record of another file. No key: the content.
func (r record) key(raw []byte) string {
	if name := first(text, r.Conversation, r.Session, r.Thread, r.Trace); name != "" {
		return importer.Key(importer.Messages, name)
	}
	const unique = 16
	switch id := text(r.ID); {
	case id == "":
		return ""
	case len(id) >= unique:
		return importer.Key(importer.Messages, id)
	default:
		return importer.Key(importer.Messages, id, importer.Shape(raw))
	}
}

// first returns the first value that is known.
func first[T interface{ string | time.Time }](read func(jsontext.Value) T, values ...jsontext.Value) (known T) {
	for _, value := range values {
		if found := read(value); found != known {
			return found
		}
	}
	return known
}

// text returns a name: a string or a number.
func text(value jsontext.Value) string {
	if value.Kind() == '0' {
		return importer.Name(string(value))
	}
	return importer.Name(importer.String(value))
}

func errorText(value jsontext.Value) string {
	if value.Kind() == '{' {
		value = importer.Members(value)["message"]
	}
	return strings.TrimSpace(importer.String(value))
}
