package answer

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"track"
	"track/scoring/format"
)

// Status says what waits on this machine to be sent to servers and to be recorded, and which sweeps run.
type Status struct {
	Waiting []Waiting `json:"waiting"` // by server, named ones first, and then the database

	Sweeps        []RunningSweep `json:"sweeps"` // without an end, the newest first
	SweepsOmitted int            `json:"sweeps_omitted,omitzero"`
}

// Waiting says what waits for one server or database.
type Waiting struct {
	Name          string    `json:"name,omitzero"`     // that track remote add gave the server
	Server        string    `json:"server,omitzero"`   // its address; missing for a database in a file, and if it is not known
	Database      string    `json:"database,omitzero"` // the file, or the address of a server of PostgreSQL
	Folder        string    `json:"folder"`
	Files         int       `json:"files"`
	Open          int       `json:"files_open"` // of files, those that a process may still write
	Lines         int       `json:"lines"`
	Bytes         int64     `json:"bytes"`
	Refused       int       `json:"lines_refused"` // by the server or the database: they are kept beside the spool, and do not wait
	RefusedFolder string    `json:"refused_folder,omitzero"`
	Kept          int       `json:"files_kept"`            // that the server has, kept for 7 days in case it is restored from an older copy
	Epoch         string    `json:"server_epoch,omitzero"` // of the database of the server when it answered last
	Oldest        time.Time `json:"oldest,omitzero"`       // when the oldest file was begun
	Failure       string    `json:"failure,omitzero"`      // why the last sending failed; missing if it did not
	FailedAt      time.Time `json:"failed_at,omitzero"`    // when it failed
}

// RunningSweep is a sweep whose end is not recorded: it runs, or it was killed.
type RunningSweep struct {
	ID        string    `json:"id"`
	Scenario  string    `json:"scenario"`
	StartedAt time.Time `json:"started_at"`
	Kept      string    `json:"kept"` // the database, or the file of a spool
}

// Conclusion implements [Concluding]. Refused lines are missing in answers as those that wait are.
func (a Status) Conclusion() Conclusion {
	if a.lines()+a.refused() > 0 {
		return Waits
	}
	return Done
}

func (a Status) lines() (n int) {
	for _, w := range a.Waiting {
		n += w.Lines
	}
	return n
}

func (a Status) refused() (n int) {
	for _, w := range a.Waiting {
		n += w.Refused
	}
	return n
}

// target names what records wait for.
func (w Waiting) target() string {
	return cmp.Or(w.Name, w.Server, w.Database, "a server that is not known")
}

func (a Status) Lead() []Sentence {
	text, lines, refused := "nothing waits to be sent or recorded", a.lines(), a.refused()
	if lines > 0 {
		text = fmt.Sprintf("%s %s to be sent or recorded", format.Counted(lines, "line"), format.Verb(lines, "waits", "wait"))
	}
	if refused > 0 {
		text += fmt.Sprintf("; %s %s refused", format.Counted(refused, "line"), format.Verb(refused, "was", "were"))
	}
	list := []Sentence{{Kind: Heading, Text: text}}
	for _, w := range a.Waiting {
		if w.Lines > 0 && w.Failure != "" {
			list = append(list, Sentence{Kind: Warning, Text: fmt.Sprintf("%s, at %s: %s", w.target(), timeText(w.FailedAt), strings.TrimPrefix(w.Failure, w.target()+": "))})
		}
	}
	for _, w := range a.Waiting {
		if w.Lines > 0 {
			list = append(list, w.wayOut())
		}
		if w.Open > 0 && w.Database == "" {
			list = append(list, Sentence{Kind: Note, Text: fmt.Sprintf("%s still open: the program that records into it may have sent its lines", format.Counted(w.Open, "file")+" "+format.Verb(w.Open, "is", "are"))})
		}
		if w.Refused > 0 {
			list = append(list, refusedNote(fmt.Sprintf("%s refused %s, kept in %s", w.target(), format.Counted(w.Refused, "line"), w.RefusedFolder), w.way()))
		}
	}
	return list
}

// way returns what is done with records that wait.
func (w Waiting) way() string {
	if w.Database != "" {
		return "ingest"
	}
	return "push"
}

func (w Waiting) wayOut() Sentence {
	hint := track.NewHint("send it", "push", "--server", cmp.Or(w.Name, w.Server))
	switch {
	case w.Database != "":
		hint = track.NewHint("record it", "ingest", "--db", w.Database)
	case w.Server == "":
		hint = track.Hint{Text: "name the server with --server, and send it with track push"}
	}
	return Sentence{Kind: Note, Text: w.target(), Hint: &hint, Joined: true}
}

func (a Status) Tables() []Table {
	waiting := Table{
		Name: "waiting", HiddenIfEmpty: true,
		Columns: append(columns("for", "files", "open", "lines", "bytes", "oldest").drop("bytes", "oldest", "open", "files").wrap("for"),
			columns("name", "server", "database", "failure", "failed_at", "folder", "kept", "server_epoch", "refused")...),
	}
	for i := range waiting.Columns[6:] {
		waiting.Columns[6+i].For = ForData
	}
	for _, w := range a.Waiting {
		waiting.Rows = append(waiting.Rows, []any{w.target(), w.Files, w.Open, w.Lines, w.Bytes, timeCell(w.Oldest), w.Name, w.Server, w.Database, w.Failure, timeCell(w.FailedAt), w.Folder, w.Kept, w.Epoch, w.Refused})
	}
	sweeps := Table{Name: "sweeps", Title: "Sweeps that run, or were killed", HiddenIfEmpty: true, Columns: columns("sweep", "scenario", "started", "kept").wrap("kept")}
	for _, s := range a.Sweeps {
		sweeps.Rows = append(sweeps.Rows, []any{Cell{track.ShortID(s.ID), s.ID}, s.Scenario, timeCell(s.StartedAt), s.Kept})
	}
	if a.SweepsOmitted > 0 {
		sweeps.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("and %d more: track sweep list", a.SweepsOmitted)}}
	}
	return []Table{waiting, sweeps}
}
