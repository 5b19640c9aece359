package pages

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"track/answer"
	"track/ask"
	"track/reports/escape"
	"track/scoring/format"
)

// ServerStatus says how a server is.
type ServerStatus struct {
	Version   string    `json:"version"`  // of the program
	Database  string    `json:"database"` // its path, or its URL without the password
	Kind      string    `json:"kind"`     // SQLite or PostgreSQL
	Schema    int64     `json:"schema"`
	Bytes     int64     `json:"bytes"` // of the database
	Began     time.Time `json:"began_at"`
	Now       time.Time `json:"at"`
	Streams   Load      `json:"streams"`   // of events
	Computing Load      `json:"computing"` // answers, the page that shows this included
	Waiting   Load      `json:"waiting"`   // requests that wait for their turn to compute
	Recording Load      `json:"recording"` // requests that record
}

// Load is how many of something there are, and how many there can be.
type Load struct {
	N    int `json:"n"`
	Most int `json:"most"`
}

const (
	statusSweeps = 100 // the newest ones, of which those without an end are shown
	statusNewest = 5
)

// composeStatus shows how the server is, which sweeps have no end, and what recorded last.
func composeStatus(ctx context.Context, b *builder) error {
	s, err := b.request.Server(ctx)
	if err != nil {
		return err
	}
	b.view.Lead = []sentence{{Class: "note", Text: "This server answers from the database " + escape.Line(s.Database) + "."}}
	b.view.Facts = []fact{
		{Name: "program", Value: escape.Line(s.Version)},
		{Name: "up for", Value: s.Now.Sub(s.Began).Round(time.Second).String(), Basis: "since " + s.Began.UTC().Format("2006-01-02 15:04") + " UTC"},
		{Name: "database", Value: s.Kind, Basis: "schema version " + strconv.FormatInt(s.Schema, 10)},
		{Name: "size", Value: bytesText(s.Bytes), Basis: strconv.FormatInt(s.Bytes, 10) + " bytes"},
		loadFact("open streams", s.Streams, "of events"), loadFact("computing", s.Computing, "answers, this page included"),
		loadFact("waiting", s.Waiting, "requests, for their turn"), loadFact("recording", s.Recording, "requests"),
	}
	b.view.Downloads = []link{{Text: "JSON", Href: b.addFile("server.json", pageFile{"application/json", func(w io.Writer) error { return answer.Encode(w, s) }})}}
	b.view.Downloads = append(b.view.Downloads, b.downloadsOf("Sweeps", ask.Sweeps().Question(), nil)...)
	if err := b.addOpenSweeps(ctx); err != nil {
		return err
	}
	return b.addNewest(ctx)
}

func loadFact(name string, l Load, basis string) fact {
	return fact{Name: name, Value: strconv.Itoa(l.N), Interval: fmt.Sprintf("of at most %d", l.Most), Basis: basis}
}

// threeDigits returns a number that is not negative with three digits, or more if its whole part has more.
func threeDigits(x float64) string {
	whole := len(strconv.FormatFloat(math.Floor(x), 'f', 0, 64))
	return format.Fixed(x, max(0, 3-whole))
}

// bytesText returns a number of bytes in the largest unit that it fills.
func bytesText(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	size, units := float64(n), []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; size >= 1024 && i < len(units)-1; i++ {
		size /= 1024
	}
	return threeDigits(size) + " " + units[i]
}

// addOpenSweeps adds the sweeps without an end: they run, or they were killed.
func (b *builder) addOpenSweeps(ctx context.Context) error {
	a, err := get(ctx, b, ask.Sweeps(), url.Values{"limit": {strconv.Itoa(statusSweeps)}})
	if err != nil {
		return err
	}
	open := slices.DeleteFunc(slices.Clone(a.Items), func(s answer.RecordedSweep) bool { return s.Ending != "" || s.Withdrawn != nil })
	t := answer.Sweeps{List: answer.List[answer.RecordedSweep]{Items: open}}.Tables()[0]
	t.Title, t.Empty = "Sweeps without an end", "no sweep runs"
	if a.NextPage() != "" {
		t.Notes = []answer.Sentence{{Kind: answer.Note, Text: fmt.Sprintf("Only the newest %d sweeps were looked at.", statusSweeps)}}
	}
	b.addTable(t)
	return nil
}

// addNewest adds the seeds and the executions that were recorded last.
func (b *builder) addNewest(ctx context.Context) error {
	limit := url.Values{"limit": {strconv.Itoa(statusNewest)}}
	seeds, err := get(ctx, b, ask.Seeds(), limit)
	if err != nil {
		return err
	}
	executions, err := get(ctx, b, ask.Executions(), limit)
	if err != nil {
		return err
	}
	newest := columnsOf(seeds.Tables()[0], "recorded", "scenario", "label", "seed", "outcome")
	newest.Title, newest.Empty, newest.Notes = "Newest seeds", "no seed is recorded", nil
	b.addTable(newest)
	newest = columnsOf(executions.Tables()[0], "at", "lineage", "version", "id", "status")
	newest.Title, newest.Empty, newest.Notes = "Newest executions", "no execution is recorded", nil
	b.addTable(newest)
	return nil
}
