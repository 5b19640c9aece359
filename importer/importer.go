package importer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/jsonio"
)

// Format is a kind of log that track knows.
type Format struct {
	Name   string // as in track import NAME
	Title  string // for people, with its article
	detect func(first object) bool
}

// The formats.
const (
	ClaudeCode  = "claude-code"
	ClaudeHooks = "claude-hooks"
	Codex       = "codex"
	TauBench    = "tau-bench"
	Inspect     = "inspect"
	SEPA        = "sepa"
	JSONL       = "jsonl"
	ATIF        = "atif"
	SWEAgent    = "swe-agent"
	OpenHands   = "openhands"
	Messages    = "messages"
	OTLP        = "otlp"
)

var formats = []Format{
	{ClaudeCode, "a Claude Code transcript", func(o object) bool {
		return o.has("sessionId", "uuid") || o.has("parentUuid", "type") || o.has("leafUuid", "summary") || o.has("messageId", "snapshot") || o.has("sessionId", "operation")
	}},
	{ClaudeHooks, "a log of Claude Code hooks", func(o object) bool {
		return o.has("hook_event_name", "session_id") || o.has("event", "session_id")
	}},
	{Codex, "a Codex rollout", func(o object) bool {
		return o.has("payload", "type") || o.text["record_type"] == "state" || o.has("instructions", "id", "timestamp") && !o.array
	}},
	{TauBench, "a file of tau-bench results", func(o object) bool {
		return o.array && o.has("task_id") && (o.has("traj") || o.has("reward") && !o.has("messages"))
	}},
	{Inspect, "an Inspect log", func(o object) bool { return o.has("eval", "version") || o.has("eval", "status") }},
	{SEPA, "a log of SEPA", func(o object) bool {
		kind := o.text["type"]
		return o.has("ts", "tool", "exit") || o.has("ts", "tool", "success") || o.has("ts", "session") && (kind == "pre" || kind == "post" || kind == "prompt")
	}},
	{JSONL, "a batch of track", func(o object) bool {
		return o.text["kind"] == "execution" || o.text["kind"] == "seed" || o.has("kind", "lineage", "version")
	}},
	{ATIF, "an ATIF trajectory", func(o object) bool {
		return strings.HasPrefix(o.text["schema_version"], "ATIF") || o.has("step_id", "source", "message")
	}},
	{SWEAgent, "a trajectory of SWE-agent", func(o object) bool {
		return o.has("trajectory", "history") || o.has("environment", "trajectory") || o.has("trajectory_format") || o.has("info", "messages") ||
			o.first["trajectory"]["action"] || o.array && o.has("role", "content") && bytes.Contains(o.head, []byte("<returncode>"))
	}},

	{OpenHands, "a history of OpenHands", func(o object) bool {
		return o.has("instance_id", "history") || o.has("issue", "history") || o.has("instance_id", "test_result") || o.array && o.has("id", "source") && (o.has("action") || o.has("observation"))
	}},
	{OTLP, "a file of OpenTelemetry", func(o object) bool {
		return o.has("resourceSpans") || o.has("resourceLogs") || o.has("resourceMetrics") || o.has("_type", "attrs")
	}},
	// The least particular comes last.
	{Messages, "a list of messages", func(o object) bool {
		isMessage := o.has("role", "content") || o.has("role", "tool_calls")
		return o.first["messages"]["role"] || o.first["conversations"]["from"] || isMessage && !o.has("type") && (o.array || o.line == 0)
	}},
}

// Formats returns the formats.
func Formats() []Format { return slices.Clone(formats) }

// Detect returns the name of the format of which a source begins with head; the empty string where it is not clear.
// The name of the source helps where the head does not.
func Detect(name string, head []byte) string {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) && (strings.HasSuffix(name, ".eval") || bytes.Contains(head, []byte("_journal/")) || bytes.Contains(head, []byte("_epoch_"))) {
		return Inspect
	}
	head, _ = jsonio.NullNonFiniteIn(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	for line := range 50 { // lines that may be damaged, or say nothing
		first := readObject(head)
		first.line = line
		for _, format := range formats {
			if format.detect(first) {
				return format.Name
			}
		}
		end := bytes.IndexByte(head, '\n')
		if end < 0 {
			break
		}
		head = head[end+1:]
	}
	return ""
}

// Refuse returns an error where head is clearly not of the format that is named.
func Refuse(format, file string, head []byte) error {
	found := Detect(file, head)
	if found == "" || found == format {
		return nil
	}
	return RefuseFormat(format, found, file)
}

// RefuseFormat is the error of a source that is not of the format that is named, but of the one that was found.
func RefuseFormat(format, found, file string) error {
	err := &track.FieldError{File: file, Message: fmt.Sprintf("this is %s, not %s", formatNamed(found).Title, formatNamed(format).Title)}
	return track.WithHint(err, track.NewHint("import it in its own format", "import "+found))
}

func formatNamed(name string) Format {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{Name: name, Title: name}
	}
	return formats[i]
}

// object is what can be seen of the first object of a head: its names, and those of its values that are strings.
type object struct {
	array bool // it is an element
	names map[string]bool
	text  map[string]string
	first map[string]map[string]bool // by the name of an array: the names in its first element
	head  []byte
	line  int // lines before it
}

func (o object) has(names ...string) bool {
	for _, name := range names {
		if !o.names[name] {
			return false
		}
	}
	return true
}

// readObject reads as far as the text is JSON.
func readObject(text []byte) object {
	o := object{names: map[string]bool{}, text: map[string]string{}, first: map[string]map[string]bool{}, head: text}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), lenient)
	if decoder.PeekKind() == '[' {
		o.array = true
		if _, err := decoder.ReadToken(); err != nil {
			return o
		}
	}
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return o
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return o
		}
		key := name.String()
		o.names[key] = true
		if decoder.PeekKind() == '[' {
			o.first[key] = firstElement(decoder)
			continue
		}
		if decoder.PeekKind() != '"' {
			if decoder.SkipValue() != nil {
				return o
			}
			continue
		}
		value, err := decoder.ReadToken()
		if err != nil {
			return o
		}
		o.text[key] = value.String()
	}
	return o
}

// firstElement reads an array, as far as the text goes, and returns the names in its first element.
func firstElement(decoder *jsontext.Decoder) map[string]bool {
	names := map[string]bool{}
	_, _ = decoder.ReadToken() // the bracket
	if decoder.PeekKind() == '{' {
		depth := decoder.StackDepth()
		_, _ = decoder.ReadToken()
		for decoder.PeekKind() == '"' && decoder.StackDepth() > depth {
			name, err := decoder.ReadToken()
			if err != nil {
				return names
			}
			names[name.String()] = true
			if decoder.SkipValue() != nil {
				return names
			}
		}
		if _, err := decoder.ReadToken(); err != nil {
			return names
		}
	}
	for decoder.PeekKind() != ']' {
		if decoder.SkipValue() != nil {
			return names
		}
	}
	_, _ = decoder.ReadToken()
	return names
}

// Item is what a reader found: one of Execution, Version, Event and Skip is not nil.
type Item struct {
	File      string
	Line      int // where it begins, from 1; 0 where the source has no lines
	Execution *track.Execution
	Version   *Version
	Event     *Event
	Skip      *Skip

	// Open says that the source ends within this execution: a later import of the same source may know more of it.
	Open bool
	// AgentVersion is the version of the program that the agent is, if the source has it: the version of the execution
	// if neither the source nor the caller names one of the prompt.
	AgentVersion string
	// Subagent says that another agent, not a person, gave this execution its task.
	Subagent bool
}

// Skip is a part of the source that was not used, and why.
type Skip struct {
	File   string
	Line   int    // where it begins, from 1; 0 where the source has no lines
	Field  string // empty where the whole is meant
	Reason string
	Hint   *track.Hint // what would help; nil if nothing is known to
	// Content is the SHA-256 of the line, to know the same damage again; zero where the source has no lines.
	Content [sha256.Size]byte
	// Offset is where in a document without lines it begins, in bytes, to tell it from other damage; 0 elsewhere.
	Offset int64
	// Ends says that nothing of the source was read from there on.
	Ends bool
}

func (s Skip) String() string {
	return (&track.FieldError{File: s.File, Line: s.Line, Field: s.Field, Message: s.Reason}).Error()
}

// Version is a version of a prompt, as a source records it.
type Version struct {
	Name        string
	Parent      string   // empty: none, or unknown
	Operator    string   // what made it of its parent; empty where unknown
	Content     *string  // the prompt; nil where the source has none
	Score       *float64 // 0..100, recorded by the source; nil where it has none
	ParentScore *float64 // 0..100, at the time of the mutation
	Status      string   // in the words of the source
	Note        string
	CreatedAt   time.Time // zero where unknown
}

// EventKind is what happened to a lineage.
type EventKind string

// The kinds of event.
const (
	EventEvolution EventKind = "evolution" // From became To
	EventRollback  EventKind = "rollback"  // To is in force again, in place of From
	EventCurrent   EventKind = "current"   // To is in force when the source was written
)

// Event is something that a source says of its versions.
type Event struct {
	Kind      EventKind
	At        time.Time // zero where unknown
	From, To  string    // names of versions; From is empty where unknown
	FromScore *float64  // 0..100; nil where unknown
	Operator  string
	Reason    string
}

// Skipf makes the item of a part that was not used.
func Skipf(line int, format string, args ...any) Item {
	return Item{Line: line, Skip: &Skip{Line: line, Reason: abbreviate(fmt.Sprintf(format, args...), 500)}}
}

// In says which file an item is from.
func (item Item) In(file string) Item {
	item.File = file
	if item.Skip != nil {
		item.Skip.File = file
	}
	return item
}

// LongestRecord bounds the bytes of one line, or of one record of a format without lines; what is longer is skipped.
const LongestRecord = 64 << 20

// LineDecoder makes items of the lines of one source.
type LineDecoder interface {
	// DecodeLine takes the next line that is not blank, valid until it returns. Its error says why nothing is made of
	// the line.
	DecodeLine(number int, text []byte) ([]Item, error)
	// End returns what is still open when the lines end.
	End() []Item
}

// ReadLines decodes the lines of r, which file names in items and errors. Input that is clearly of another format
// than the one that is named is refused; gzip is decompressed.
func ReadLines(format, file string, r io.Reader, decoder LineDecoder) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		reader, err := Open(format, file, r)
		if err != nil {
			yield(Item{}, err)
			return
		}
		pass := func(items []Item) bool {
			for _, item := range items {
				if !yield(item.In(file), nil) {
					return false
				}
			}
			return true
		}
		for number := 1; ; number++ {
			text, tooLong, err := ReadLine(reader)
			if number == 1 {
				text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
			}
			if broken := err != nil && !errors.Is(err, io.EOF); broken {
				if pass(decoder.End()) {
					yield(Item{File: file, Line: number}, fmt.Errorf("read %s: %w", file, err))
				}
				return
			}
			if !pass(decodeLine(decoder, number, text, tooLong)) {
				return
			}
			if err != nil {
				pass(decoder.End())
				return
			}
		}
	}
}

func decodeLine(decoder LineDecoder, number int, text []byte, tooLong bool) []Item {
	if tooLong {
		return []Item{Skipf(number, "the line is longer than %d MiB", LongestRecord>>20)}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	items, err := decoder.DecodeLine(number, text)
	if err != nil {
		items = append(items, Skipf(number, "%s", Reason(err)))
	}
	for i := range items {
		if skip := items[i].Skip; skip != nil && skip.Line == number {
			skip.Content = sha256.Sum256(text)
		}
	}
	return items
}

// ReadLine returns the next line, valid until the next call; nothing of one that is longer than [LongestRecord].
func ReadLine(reader *bufio.Reader) (text []byte, tooLong bool, err error) {
	text, err = reader.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return text, false, err
	}
	long := append([]byte(nil), text...)
	for errors.Is(err, bufio.ErrBufferFull) {
		text, err = reader.ReadSlice('\n')
		if tooLong = tooLong || len(long)+len(text) > LongestRecord; tooLong {
			long = nil
			continue
		}
		long = append(long, text...)
	}
	return long, tooLong, err
}

// ErrNoObject is the error of a text that is not the object which is expected there.
var ErrNoObject = errors.New("not a JSON object")

// Members goes through the members of the object that is next. use takes the value of the member that is named off the
// scanner. It ends behind the object, or with the first error.
func (s *Scanner) Members(use func(name string) error) error {
	if isObject, err := s.Take('{'); err != nil || !isObject {
		return noObject(err)
	}
	for {
		name, end, err := s.member()
		if end || err != nil {
			return err
		}
		if err := use(name); err != nil {
			return err
		}
	}
}

// member reads the name of the next member, and whether there is none.
func (s *Scanner) member() (name string, end bool, err error) {
	if end, err := s.Take('}'); end || err != nil {
		return "", end, err
	}
	if _, err := s.Take(','); err != nil {
		return "", false, err
	}
	if next, err := s.Next(); err != nil || next != '"' {
		return "", false, noObject(err)
	}
	raw, _, err := s.Value(true)
	if err != nil {
		return "", false, err
	}
	if colon, err := s.Take(':'); err != nil || !colon {
		return "", false, noObject(err)
	}
	return String(raw), false, nil
}

func noObject(err error) error {
	if err == nil {
		return ErrNoObject
	}
	return err
}

// Skip goes behind the value that is next.
func (s *Scanner) Skip() error {
	_, _, err := s.Value(false)
	return err
}

// Member reads the value that is next, a member of an object, into the field of a struct that has its name. What is
// JSON and not as expected is left out.
func (s *Scanner) Member(name string, into any) error {
	raw, _, err := s.Value(true)
	raw, _ = jsonio.NullNonFiniteIn(raw)
	if err == nil && !jsontext.Value(raw).IsValid(lenient) {
		err = ErrNoObject
	}
	if err != nil {
		return err
	}
	_ = Unmarshal(slices.Concat([]byte("{"+strconv.Quote(name)+":"), raw, []byte("}")), into) // which leaves the field unset
	return nil
}

// IsCutOff reports whether an error says that a source ends too early.
func IsCutOff(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

const longestName = 200 // of track.CheckName

// Name makes a name that track accepts of what a source calls something: hidden characters become spaces, what is
// too long is cut. It returns the empty string where nothing is left.
func Name(text string) string {
	if track.CheckName(text) == nil {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if track.IsHidden(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.TrimSpace(abbreviate(strings.TrimSpace(text), longestName))
}

// Key joins the parts of an identity with colons. What is too long for a name, or no name, is replaced by its digest,
// so that different parts keep different keys.
func Key(parts ...string) string {
	key := strings.Join(parts, ":")
	if track.CheckName(key) == nil {
		return key
	}
	return Name(abbreviate(parts[0], 50)) + ":" + Digest(strings.Join(parts, "\x00"))
}

// abbreviate cuts a text to at most so many bytes, between characters.
func abbreviate(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	end := longest - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// shells are what agents call the tool that runs a command.
var shells = []string{"bash", "shell", "sh", "terminal", "execute_bash", "run_shell_command", "run_command", "exec_command", "powershell"}

// ShellCommand returns what a tool was asked to run; the empty string if it is not a shell.
func ShellCommand(tool string, arguments jsontext.Value) string {
	var a struct {
		Cmd     jsontext.Value `json:"cmd"`
		Command jsontext.Value `json:"command"`
	}
	if !slices.Contains(shells, strings.ToLower(tool)) || arguments.Kind() != '{' || Unmarshal(arguments, &a) != nil {
		return ""
	}
	return String(a.Cmd) + String(a.Command)
}

// The members of an object that say how a run ended, by their common names.
var outcomes = []string{
	"reward", "rewards", "score", "scores", "resolved", "solved", "success", "passed", "correct", "is_correct", "accuracy", "verdict", "result",
}

// AddOutcomes adds to truths what the members of an object say of the outcome of a run: numbers as they are, yes as 1,
// no as 0. Of a member that is an object, each number is a truth of its own, NAME.PART.
func AddOutcomes(truths *map[string]float64, members map[string]jsontext.Value) {
	for name, value := range members {
		if !slices.Contains(outcomes, name) {
			continue
		}
		addOutcome(truths, name, value)
		for part, value := range Members(value) {
			addOutcome(truths, name+"."+part, value)
		}
	}
}

func addOutcome(truths *map[string]float64, name string, value jsontext.Value) {
	if x, ok := outcome(value); ok {
		AddTruth(truths, name, x)
	}
}

// AddTruth adds a truth, unless nothing is left of its name.
func AddTruth(truths *map[string]float64, name string, x float64) {
	if name = Name(name); name == "" {
		return
	}
	if *truths == nil {
		*truths = map[string]float64{}
	}
	(*truths)[name] = x
}

func outcome(value jsontext.Value) (x float64, ok bool) {
	switch value.Kind() {
	case '0':
		x, err := strconv.ParseFloat(string(value), 64)
		return x, err == nil && !math.IsInf(x, 0)
	case 't':
		return 1, true
	case 'f':
		return 0, true
	case '"':
		switch strings.ToLower(String(value)) {
		case "pass", "passed", "success", "true", "correct", "resolved":
			return 1, true
		case "fail", "failed", "failure", "false", "incorrect", "unresolved":
			return 0, true
		}
	}
	return 0, false
}

// Members returns the members of an object; nil for any other value.
func Members(value jsontext.Value) (members map[string]jsontext.Value) {
	if value.Kind() != '{' || Unmarshal(value, &members) != nil {
		return nil
	}
	return members
}

// Usage are counts of tokens as most APIs report them: those of the prompt include what came from a cache or was
// written to it. A count is nil if it is unknown.
type Usage struct{ Prompt, Completion, CacheRead, CacheWrite, Reasoning *int64 }

// Add adds counts. What is no count is left out.
func (u *Usage) Add(other Usage) {
	AddCount(&u.Prompt, other.Prompt)
	AddCount(&u.Completion, other.Completion)
	AddCount(&u.CacheRead, other.CacheRead)
	AddCount(&u.CacheWrite, other.CacheWrite)
	AddCount(&u.Reasoning, other.Reasoning)
}

// AddCount adds to a count that may be unknown. What is no count is left out.
func AddCount(sum **int64, n *int64) {
	const most = 1 << 50
	if n == nil || *n < 0 || *n > most {
		return
	}
	total := *n
	if *sum != nil {
		total += **sum
	}
	if total <= most {
		*sum = &total
	}
}

// IsZero reports whether no token was counted: a model that was asked has read some, so the counts are unknown.
func (u Usage) IsZero() bool {
	for _, n := range []*int64{u.Prompt, u.Completion, u.CacheRead, u.CacheWrite, u.Reasoning} {
		if n != nil && *n != 0 {
			return false
		}
	}
	return true
}

// Tokens returns the counts apart from each other; nil if no token was counted.
func (u Usage) Tokens() *track.Tokens {
	var sane Usage
	if sane.Add(u); sane.IsZero() {
		return nil
	}
	t := &track.Tokens{Input: sane.Prompt, Output: sane.Completion, CacheRead: sane.CacheRead, CacheWrite: sane.CacheWrite, Reasoning: sane.Reasoning}
	if sane.Prompt != nil {
		input := max(0, *sane.Prompt-count(sane.CacheRead)-count(sane.CacheWrite))
		t.Input = &input
	}
	return t
}

func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// Dollars returns a cost; nil if it is none.
func Dollars(x *float64) *float64 {
	if x == nil || !(*x >= 0) || math.IsInf(*x, 0) {
		return nil
	}
	return x
}
