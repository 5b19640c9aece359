package evolution

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	jsonv1 "encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// ledgerDomain keeps these hashes apart from all others.
const ledgerDomain = "track/ledger/1\x00"

// Kind is the kind of an event that an entry of a ledger records.
type Kind string

// The kinds, with the type of the body of each.
const (
	KindCreation      Kind = "creation"      // [Creation]: the first entry of each ledger
	KindSettings      Kind = "settings"      // [SettingsChange]
	KindProposal      Kind = "proposal"      // [Proposal]
	KindRefusal       Kind = "refusal"       // [Proposal] of a child that was refused
	KindConsideration Kind = "consideration" // [Consideration]
	KindDecision      Kind = "decision"      // [Record]
	KindWithdrawal    Kind = "withdrawal"    // [Withdrawal]
	KindRollback      Kind = "rollback"      // [RollbackEvent]
	KindAdoption      Kind = "adoption"      // [Adoption]
)

// Entry is one event in the life of a lineage. The entries of a lineage are its ledger: each holds the hash of the one
// before.
type Entry struct {
	Lineage string `json:"lineage"`
	Number  int    `json:"number"` // place in the ledger, from 1
	Kind    Kind   `json:"kind"`
	// Mutation and Attempt are those of the body; empty and nil if it has none.
	Mutation string    `json:"mutation,omitempty"`
	Attempt  *int      `json:"attempt,omitempty"`
	At       time.Time `json:"at"`
	// HeadBefore and HeadAfter are the labels of the active version; empty for none.
	HeadBefore string            `json:"head_before"`
	HeadAfter  string            `json:"head_after"`
	Body       jsonv1.RawMessage `json:"body"` // canonical JSON
	Prev       string            `json:"prev"` // hash of the entry before; empty in the first
	Hash       string            `json:"hash"`
}

// Head is the end of a ledger; the zero Head if it is unknown.
type Head struct {
	Number int    `json:"number"`
	Hash   string `json:"hash"`
}

// Creation begins a ledger.
type Creation struct {
	Seed    uint64      `json:"seed,string"` // of all draws
	Subject string      `json:"subject"`     // [SubjectAgent], or scenario:NAME
	Root    *VersionRef `json:"root"`        // the first active version; null for none yet
	// RootMutation is the mutation that made Root, if it came from a run of another evolver, where several may have.
	RootMutation string   `json:"root_mutation,omitempty"`
	Source       string   `json:"source,omitempty"` // format of the run that the lineage was imported from
	Settings     Settings `json:"settings"`
}

// SubjectAgent is the subject of a lineage of an agent.
const SubjectAgent = "agent"

// VersionRef names a version by its label and, if its content is recorded, by its identity ([VersionID]).
type VersionRef struct {
	Label string `json:"label"`
	ID    string `json:"id,omitempty"`
}

// identity returns what identifies a version in the id of a mutation.
func (v VersionRef) identity() string {
	if v.ID == "" {
		return "label:" + v.Label
	}
	return v.ID
}

// Proposal is a mutation as it was proposed.
type Proposal struct {
	Mutation string       `json:"mutation"`
	Number   int          `json:"number"`  // of the mutation in its lineage, from 1
	Parents  []VersionRef `json:"parents"` // the one it is compared with first
	// ParentMutations are the mutations that made Parents, in their order; empty for a parent that none made. Equal
	// contents are one version, which several mutations may have made: these are the ones that led here. Nil if the
	// first mutation that made each parent is meant.
	ParentMutations []string   `json:"parent_mutations,omitempty"`
	Child           VersionRef `json:"child"`
	Operator        string     `json:"operator"`
	Risk            Risk       `json:"risk"`
	Note            string     `json:"note,omitempty"`
	CostUSD         *float64   `json:"cost_usd,omitempty"`
	Named           bool       `json:"named"`            // the caller gave the id; else it follows from parents, child and operator
	Source          string     `json:"source,omitempty"` // format that it was read from
	Origin          *Origin    `json:"origin,omitempty"` // nil unless it has a source
	// Executions is the number of executions of the lineage until then, or of seeds of its scenario: the loop rules
	// count from it.
	Executions int       `json:"executions"`
	Refusals   []Refusal `json:"refusals,omitempty"` // why the child is not tried
	// Tasks is the order of the tasks that both sides are tried on; nil if the tasks are unknown.
	Tasks *TaskOrder `json:"tasks,omitempty"`
}

// Tasks of imported executions that are not tasks of the run: the score of a program itself, and the test of a
// proposal.
const (
	TaskEvaluation = "evaluation"
	TaskMinibatch  = "minibatch"
)

// Origin is what another evolver says about a mutation that it made.
type Origin struct {
	Generation *int   `json:"generation,omitempty"`
	Iteration  *int   `json:"iteration,omitempty"`
	Island     *int   `json:"island,omitempty"`
	Cell       string `json:"cell,omitempty"`     // of a map of elites
	Feedback   string `json:"feedback,omitempty"` // how it was made: reflection, feedback
	Digest     string `json:"digest,omitempty"`   // SHA-256 of a content that it does not have
}

// ID returns the id that follows from parents, child and operator: see [mutationID].
func (p Proposal) ID() string {
	parents := make([]string, len(p.Parents))
	for i, v := range p.Parents {
		parents[i] = v.identity()
	}
	return mutationID(parents, p.Child.identity(), p.Operator)
}

// Consideration is a draw whether to mutate, and by which operator.
type Consideration struct {
	Number     int             `json:"number"` // from 1; the draws are for "consideration-" and this number
	Executions int             `json:"executions"`
	Settings   int             `json:"settings"`
	State      LoopState       `json:"state"`
	Signals    Signals         `json:"signals"`
	Histories  Histories       `json:"histories"`
	Draw       Draw            `json:"draw"`
	Permission Permission      `json:"permission"`
	Operator   *Draw           `json:"operator_draw"` // null if nothing is mutated
	Choice     *OperatorChoice `json:"choice"`
}

// ConsiderationKey returns what the draws of a consideration are for, instead of a mutation.
func ConsiderationKey(number int) string { return fmt.Sprintf("consideration-%d", number) }

// Withdrawal takes a mutation back, undecided or not.
type Withdrawal struct {
	Mutation string `json:"mutation"`
	Reason   string `json:"reason"`
}

// RollbackEvent is a rollback with what it followed from.
type RollbackEvent struct {
	Rollback
	// Version is the version that became active, if the ledger did not name it before: it was recorded, and never
	// proposed.
	Version    *VersionRef    `json:"version,omitempty"`
	Settings   int            `json:"settings"`
	Executions int            `json:"executions"`
	State      *RollbackState `json:"state"` // null if it was asked for by hand
}

// Adoption makes the best version of a run of another evolver active, after the run was imported again.
type Adoption struct {
	Version VersionRef `json:"version"`
	// VersionMutation is the mutation that made Version, of which several may have; empty if none did.
	VersionMutation string   `json:"version_mutation,omitempty"`
	Source          string   `json:"source"` // format of the run
	Score           *float64 `json:"score"`  // as the source says
}

// errLedger is wrapped by the errors of unreadable entries.
var errLedger = errors.New("ledger")

// NewEntry seals what happened as the entry after prev, the zero Entry if it is the first.
func NewEntry(prev Entry, lineage string, kind Kind, body any, headAfter string, at time.Time) (Entry, error) {
	text, err := canonical(body)
	if err != nil {
		return Entry{}, fmt.Errorf("%w: %s: %w", errLedger, kind, err)
	}
	e := Entry{
		Lineage: lineage, Number: prev.Number + 1, Kind: kind, At: at.UTC().Truncate(time.Microsecond),
		HeadBefore: prev.HeadAfter, HeadAfter: headAfter, Body: text, Prev: prev.Hash,
	}
	e.Mutation, e.Attempt = about(body)
	e.Hash, err = e.contentHash()
	return e, err
}

// about returns the mutation, and the attempt at it, of a body.
func about(body any) (mutation string, attempt *int) {
	switch b := body.(type) {
	case Proposal:
		return b.Mutation, nil
	case Record:
		return b.Mutation, &b.Attempt
	case Withdrawal:
		return b.Mutation, nil
	}
	return "", nil
}

// contentHash returns the hash of an entry: SHA-256("track/ledger/1" 0x00 || the entry without its hash as canonical
// JSON), in hexadecimal, with the time in UTC to the microsecond. It includes the hash of the entry before, so that a
// ledger cannot be cut or reordered.
func (e Entry) contentHash() (string, error) {
	for _, text := range [...]string{e.Lineage, string(e.Kind), e.Mutation, e.HeadBefore, e.HeadAfter, e.Prev} {
		if !utf8.ValidString(text) {
			return "", fmt.Errorf("%w: %q is not valid UTF-8", errLedger, text)
		}
	}
	e.At, e.Hash = e.At.UTC().Truncate(time.Microsecond), ""
	text, err := canonical(e)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errLedger, err)
	}
	sum := sha256.Sum256(append([]byte(ledgerDomain), text...))
	return hex.EncodeToString(sum[:]), nil
}

// Decode reads the body of an entry into the type of its kind, which is empty. An unknown member is an error.
func (e Entry) Decode(body any) error {
	if json.Unmarshal(e.Body, body, json.RejectUnknownMembers(true)) == nil {
		return nil
	}
	// What the reader of all other JSON refuses may be accepted here: the hash of the body was recorded with it.
	reflect.ValueOf(body).Elem().SetZero()
	decoder := jsonv1.NewDecoder(bytes.NewReader(e.Body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(body); err != nil {
		return fmt.Errorf("%w: entry %d (%s): %w", errLedger, e.Number, e.Kind, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: entry %d (%s): text after the body", errLedger, e.Number, e.Kind)
	}
	return nil
}

// ID returns the name of an entry in every copy of the ledger: "d-" and the beginning of its hash.
func (e Entry) ID() string { return "d-" + e.Hash[:min(len(e.Hash), 16)] }
