// Package answer is the contract between those who ask and those who answer: each question with its parameters,
// declared once, and each answer as one plain type with JSON names.
//
// Every face of the program renders these types, and none keeps a second shape of them: the command line as tables,
// CSV, Markdown and JSON, reports as documents, a server as JSON. The package computes nothing and reads nothing.
package answer

import (
	"track"
	"track/scoring"
)

// Answer is what track says to a question. Its JSON is the value itself, see [Encode].
type Answer interface {
	// Lead returns what a reader should see first: what the answer is about, its verdict, the reasons, and what would
	// change it.
	Lead() []Sentence
	// Tables returns the answer as tables, in the order in which people read them.
	Tables() []Table
}

// SentenceKind says what a sentence is for, so that a face can set it apart.
type SentenceKind string

// The kinds of sentences.
const (
	Heading SentenceKind = "heading" // what the answer is about
	Verdict SentenceKind = "verdict"
	Reason  SentenceKind = "reason" // of the verdict above
	Need    SentenceKind = "need"   // what would decide
	Warning SentenceKind = "warning"
	Note    SentenceKind = "note"
	Diff    SentenceKind = "diff" // a unified difference, in several lines
)

// Sentence is a line of text. A new paragraph begins with a Heading, a Verdict and a Note, and with the first Warning.
type Sentence struct {
	Kind    SentenceKind
	Text    string
	Verdict scoring.Verdict // of a sentence of kind Verdict, which the text does not repeat
	Hint    *track.Hint     // a next step that belongs to the text
	Joined  bool            // the sentence goes on in the paragraph before it
}

// Fitting is an answer whose tables fit a log of CI, and not only a terminal.
type Fitting interface{ FitsLogs() }

// Conclusion is what an answer means to a program that asked, such as a job of CI.
type Conclusion string

// The conclusions. Done is that of every answer that concludes nothing else.
const (
	Done          Conclusion = "done"
	Passed        Conclusion = "pass"
	Failed        Conclusion = "fail"
	Inconclusive  Conclusion = "inconclusive"
	Accepted      Conclusion = "accepted"
	Rejected      Conclusion = "rejected"
	NeedsEvidence Conclusion = "needs_evidence"
	Differs       Conclusion = "differs"          // a replay gave something else
	PartlyInvalid Conclusion = "partly_invalid"   // some of the input was refused, the rest recorded
	Waits         Conclusion = "waits"            // records are not yet where they belong
	FoundDamage   Conclusion = "damaged"          // a database does not hold what was recorded
	Conflicting   Conclusion = "partly_conflicts" // something else is recorded under the identity of some of the input
)

// Concluding is an answer that concludes something.
type Concluding interface {
	Answer
	Conclusion() Conclusion
}

// ConclusionOf returns the conclusion of an answer; Done unless it is [Concluding].
func ConclusionOf(a Answer) Conclusion {
	if c, ok := a.(Concluding); ok {
		return c.Conclusion()
	}
	return Done
}
