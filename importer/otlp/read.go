package otlp

import (
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// Read reads spans and logs. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.OTLP, file, r)
		if err != nil {
			yield(importer.Item{}, err)
			return
		}
		c := newCollector()
		if importer.HasLines(reader) {
			importer.ReadLines(importer.OTLP, file, reader, c)(yield)
			return
		}
		for item, err := range importer.ReadDocuments(importer.OTLP, file, reader, c.readDocument) {
			if !yield(item, err) {
				return
			}
		}
		for _, item := range c.End() {
			if !yield(item.In(file), nil) {
				return
			}
		}
	}
}

// readDocument reads the next document. What it holds is handed on at the end, since events come in any order.
func (c *collector) readDocument(d *importer.Document) error {
	return d.Members(func(name string) error {
		if name != "resourceSpans" && name != "resourceLogs" {
			return d.Skip()
		}
		return d.Array(func(raw []byte, line int) error {
			var r resource
			if err := importer.Unmarshal(raw, &r); err != nil {
				return err
			}
			return d.Pass(c.resource(line, r)...)
		})
	})
}

// DecodeLine implements [importer.LineDecoder].
func (c *collector) DecodeLine(number int, text []byte) (items []importer.Item, err error) {
	var l struct {
		Type       string         `json:"_type"`
		Time       string         `json:"ts"`
		Name       string         `json:"name"`
		Attributes attributes     `json:"attrs"`
		Spans      []resource     `json:"resourceSpans"`
		Logs       []resource     `json:"resourceLogs"`
		Metrics    jsontext.Value `json:"resourceMetrics"`
	}
	if err := importer.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	switch {
	case l.Type == "log":
		return c.event(number, event{at: importer.Time(l.Time), name: l.Name, attributes: l.Attributes}), nil
	case l.Spans != nil || l.Logs != nil:
		for _, r := range append(l.Spans, l.Logs...) {
			items = append(items, c.resource(number, r)...)
		}
		return items, nil
	case l.Type != "" || l.Metrics != nil: // metrics count what events say
		return nil, nil
	}
	return nil, errors.New("neither spans nor logs")
}

func (c *collector) resource(line int, r resource) (items []importer.Item) {
	for _, scope := range r.Spans {
		for _, s := range scope.Spans {
			items = append(items, c.span(line, s)...)
		}
	}
	for _, scope := range r.Logs {
		for _, l := range scope.Records {
			items = append(items, c.event(line, l.event())...)
		}
	}
	return items
}

// mostOpen bounds the executions that are held open.
const mostOpen = 1024

// collector puts spans and events together.
type collector struct {
	budget  *importer.Budget
	open    map[string]*execution
	order   []string          // keys of open, in the order of their beginning
	prompts map[string]string // id of the last prompt, by session
}

func newCollector() *collector {
	return &collector{budget: importer.NewBudget(), open: map[string]*execution{}, prompts: map[string]string{}}
}

// execution is one that is being put together.
type execution struct {
	*importer.Draft
	session  string // of Claude Code
	prompt   string
	end      time.Time
	usage    importer.Usage // of inference
	total    importer.Usage // of the agent
	cost     *float64
	problem  string // of the last request to the model
	rooted   bool
	said     time.Time // when the output was complete
	agent    string
	worked   bool
	modelled time.Time // when the model was named last
}

// at returns the execution of a key; items are those that had to end for it.
func (c *collector) at(line int, key string) (e *execution, items []importer.Item) {
	if e := c.open[key]; e != nil {
		return e, nil
	}
	if len(c.order) == mostOpen {
		items = c.close(c.order[0])
	}
	e = &execution{Draft: importer.NewDraft(c.budget, line, track.Execution{Source: importer.OTLP, Key: key})}
	e.Mute = true
	c.open[key], c.order = e, append(c.order, key)
	return e, items
}

// close ends an execution. One that did nothing is none.
func (c *collector) close(key string) []importer.Item {
	e := c.open[key]
	delete(c.open, key)
	c.order = slices.DeleteFunc(c.order, func(other string) bool { return other == key })
	if !e.worked {
		return nil
	}
	if e.Tokens = e.usage.Tokens(); e.Tokens == nil {
		e.Tokens = e.total.Tokens()
	}
	e.CostUSD = importer.Dollars(e.cost)
	if e.problem != "" {
		e.Status, e.Message = track.ExecutionError, e.problem
	}
	e.LastAt = e.end
	slices.SortStableFunc(e.Calls, func(a, b track.ToolCall) int { return a.StartedAt.Compare(b.StartedAt) })
	open := !e.rooted
	if e.session != "" {
		open = c.prompts[e.session] == e.prompt
	}
	items := e.Close()
	items[0].Open, items[0].AgentVersion = open, e.agent
	return items
}

// span notes a period in which something happened.
func (e *execution) span(start, end time.Time) {
	if !start.IsZero() && (e.StartedAt.IsZero() || start.Before(e.StartedAt)) {
		e.StartedAt = start
	}
	for _, at := range []time.Time{start, end} {
		if at.After(e.end) {
			e.end = at
		}
	}
}

// useModel notes the model that was asked last.
func (e *execution) useModel(name string, at time.Time) {
	if name = importer.Name(name); name != "" && !at.Before(e.modelled) {
		e.Model, e.modelled = name, at
	}
}

// End implements [importer.LineDecoder].
func (c *collector) End() (items []importer.Item) {
	for _, key := range slices.Clone(c.order) {
		items = append(items, c.close(key)...)
	}
	return items
}

// event takes a log record.
func (c *collector) event(line int, e event) []importer.Item {
	a := e.attributes
	name := strings.TrimPrefix(e.name, "claude_code.")
	session := importer.Name(a.text("session.id"))
	switch {
	case a.hasPrefix("gen_ai.") && e.trace != "":
		x, items := c.at(line, importer.Key(importer.OTLP, e.trace))
		x.genAI(e)
		return items
	case session != "" && slices.Contains(claudeEvents, name):
		return c.claude(line, name, session, e)
	}
	return nil
}

// attributes are values by name, as plain JSON.
type attributes map[string]jsontext.Value

func (a attributes) text(names ...string) string {
	for _, name := range names {
		if text := importer.String(a[name]); text != "" {
			return text
		}
		if kind := a[name].Kind(); kind == '0' || kind == 't' || kind == 'f' {
			return string(a[name])
		}
	}
	return ""
}

// number returns a number, also one in a string; nil if there is none.
func (a attributes) number(names ...string) *float64 {
	for _, name := range names {
		if x, err := strconv.ParseFloat(a.text(name), 64); err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
			return &x
		}
	}
	return nil
}

func (a attributes) count(names ...string) *int64 {
	const most = 1 << 50
	x := a.number(names...)
	if x == nil || *x < 0 || *x > most {
		return nil
	}
	n := int64(*x)
	return &n
}

// hasPrefix reports whether a name begins so.
func (a attributes) hasPrefix(prefix string) bool {
	for name := range a {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// pair is an attribute in OTLP.
type pair struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

type value struct {
	String *string        `json:"stringValue"`
	Bool   *bool          `json:"boolValue"`
	Int    jsontext.Value `json:"intValue"` // a number, or a string of it
	Double jsontext.Value `json:"doubleValue"`
	Array  *struct {
		Values []value `json:"values"`
	} `json:"arrayValue"`
	Map *struct {
		Values []pair `json:"values"`
	} `json:"kvlistValue"`
}

func plain(pairs []pair) attributes {
	a := attributes{}
	for _, p := range pairs {
		if raw, err := json.Marshal(p.Value.plain()); err == nil {
			a[p.Key] = raw
		}
	}
	return a
}

// plain returns a value without the names of types.
func (v value) plain() any {
	switch {
	case v.String != nil:
		return strings.ToValidUTF8(*v.String, "\uFFFD")
	case v.Bool != nil:
		return *v.Bool
	case len(v.Int) > 0:
		return number(v.Int)
	case len(v.Double) > 0:
		return number(v.Double)
	case v.Array != nil:
		list := []any{}
		for _, one := range v.Array.Values {
			list = append(list, one.plain())
		}
		return list
	case v.Map != nil:
		members := map[string]any{}
		for _, p := range v.Map.Values {
			members[strings.ToValidUTF8(p.Key, "\uFFFD")] = p.Value.plain()
		}
		return members
	}
	return nil
}

func number(raw jsontext.Value) any {
	text := strings.Trim(string(raw), `"`)
	if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
		return x
	}
	return nil
}

// nanoTime reads nanoseconds since 1970, a number or a string of it.
func nanoTime(raw jsontext.Value) time.Time {
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// resource is an element of resourceSpans or resourceLogs.
type resource struct {
	Spans []struct {
		Spans []span `json:"spans"`
	} `json:"scopeSpans"`
	Logs []struct {
		Records []logRecord `json:"logRecords"`
	} `json:"scopeLogs"`
}

type span struct {
	Trace      string         `json:"traceId"`
	ID         string         `json:"spanId"`
	Parent     string         `json:"parentSpanId"`
	Name       string         `json:"name"`
	Start      jsontext.Value `json:"startTimeUnixNano"`
	End        jsontext.Value `json:"endTimeUnixNano"`
	Attributes []pair         `json:"attributes"`
	Events     []struct {
		Name       string `json:"name"`
		Attributes []pair `json:"attributes"`
	} `json:"events"`
	Status struct {
		Code    jsontext.Value `json:"code"` // 2, or its name
		Message string         `json:"message"`
	} `json:"status"`
}

func (s span) failed() bool {
	code := strings.Trim(string(s.Status.Code), `"`)
	return code == "2" || code == "STATUS_CODE_ERROR"
}

type logRecord struct {
	Time       jsontext.Value `json:"timeUnixNano"`
	Observed   jsontext.Value `json:"observedTimeUnixNano"`
	Name       string         `json:"eventName"`
	Body       value          `json:"body"`
	Attributes []pair         `json:"attributes"`
	Trace      string         `json:"traceId"`
}

// event returns a record in the form of the flat lines.
func (l logRecord) event() event {
	e := event{at: nanoTime(l.Time), name: l.Name, attributes: plain(l.Attributes), trace: l.Trace}
	if e.at.IsZero() {
		e.at = nanoTime(l.Observed)
	}
	if name := e.attributes.text("event.name"); name != "" && e.name == "" {
		e.name = name
	}
	if e.name == "" && l.Body.String != nil {
		e.name = *l.Body.String
	}
	return e
}

// event is a log record.
type event struct {
	at         time.Time
	name       string
	attributes attributes
	trace      string
}
