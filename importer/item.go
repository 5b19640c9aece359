package importer

import (
	"crypto/sha256"
	"fmt"
	"time"

	"track"
)

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
	// AgentVersion is the version of the program that the agent is, if the source has it: the version of the execution if
	// neither the source nor the caller names one of the prompt.
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
