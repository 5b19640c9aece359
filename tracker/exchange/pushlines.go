package exchange

import (
	"context"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/store"
	"track/tracker/agents"
)

// StoredLines hands over the facts that a database holds as lines that a server takes. It returns what lines do not carry,
// by kind.
func StoredLines(ctx context.Context, from *store.Store, put func(line []byte) error) (left []answer.SentRecords, err error) {
	identity := agents.NewRecorder(from, agents.Options{ContentKeys: true}, nil)
	for record, err := range DatabaseLines(ctx, from, Parts{}) {
		if err != nil {
			return left, err
		}
		if record.Export != nil || record.Configuration != nil {
			continue
		}
		if l := record.Lineage; l != nil && len(l.Entries) == 0 {
			for _, v := range l.Versions {
				if v.Content != nil {
					left = counted(left, answer.SentRecords{Kind: "version", N: 1, Reason: "lines of executions name versions, and do not carry their contents"})
				}
			}
			continue
		}
		fact, reason, err := factOf(record, identity)
		if err != nil {
			return left, err
		}
		if reason != "" {
			left = counted(left, answer.SentRecords{Kind: record.Kind(), N: 1, Reason: reason})
			continue
		}
		if n := repetitions(record); n > 0 {
			left = counted(left, answer.SentRecords{Kind: "repetition", N: n, Reason: "a server takes facts alone"})
		}
		line, err := lines.Append(nil, fact)
		if err == nil {
			err = put(line)
		}
		if err != nil {
			return left, err
		}
	}
	return left, nil
}

func repetitions(record lines.Record) int {
	if record.RecordedSeed == nil {
		return 0
	}
	return len(record.RecordedSeed.Repetitions)
}

// factOf returns a record of a database without what only its owner brings, or why there is no such fact.
func factOf(record lines.Record, identity *agents.Recorder) (fact lines.Record, reason string, err error) {
	switch {
	case record.RecordedSeed != nil:
		return lines.Record{Seed: record.Seed}, notSent(record), nil
	case record.RecordedExecution != nil:
		e := record.RecordedExecution
		switch {
		case !e.ForgottenAt.IsZero():
			return fact, "its texts were forgotten", nil
		case !lines.CarriesSource(e.Source):
			return fact, "it comes neither from lines nor from the log of an agent", nil
		case e.Open:
			return fact, "its log has not ended", nil
		}
		execution := executionWithTexts(store.RecordOf(*e))
		same, err := identity.Identify(execution, false)
		if err != nil || track.TextDigest(same.Digest) != e.Digest || same.Key != e.Key {
			return fact, "a line would not say all that is recorded, such as texts that are not kept", nil
		}
		return lines.Record{Execution: &execution}, "", nil
	case record.Withdrawal != nil:
		return fact, "a server takes no withdrawals as lines", nil
	case record.Spec != nil:
		return fact, "add it to the server with track spec add", nil
	case record.IsRecorded() || record.Lineage != nil:
		return fact, "a server takes facts alone", nil
	}
	return record, "", nil
}

// notSent says why a seed is not sent: a server would take others for seeds that count.
func notSent(record lines.Record) string {
	switch r := record.RecordedSeed; {
	case r.IsWithdrawn:
		return "it is withdrawn: a server takes no withdrawals as lines"
	case !r.SupersededAt.IsZero():
		return "another seed has replaced it"
	case len(r.Pruned) > 0:
		return "its series or files are pruned"
	case track.TextDigest(record.Seed.Digest()) != r.Digest:
		return "a line would not say what is recorded"
	}
	return ""
}

// executionWithTexts returns an execution with the texts that are kept of it.
func executionWithTexts(r store.ExecutionRecord) track.Execution {
	e := r.Execution
	if agents.IsContentKey(e.Key) {
		e.Key = "" // it was made of the content
	}
	e.Prompt, e.Output = keptText(r.Prompt), keptText(r.Output)
	for i := range e.Calls {
		if text := keptText(&r.Inputs[i]); text != nil {
			e.Calls[i].Input = *text
		}
		if e.Calls[i].Output = keptText(r.Outputs[i]); r.Outputs[i] != nil {
			e.Calls[i].WholeOutput = r.Outputs[i].WholeBytes
		}
	}
	for _, score := range r.Scores {
		if score.Rubric == track.RubricOwn {
			e.Score = score.Score
		}
	}
	return e
}

// keptText returns a text that is kept; nil if there is none.
func keptText(r *track.RecordedText) *string {
	switch {
	case r == nil:
		return nil
	case r.Text == nil && r.Bytes == 0:
		return new(string)
	}
	return r.Text
}
