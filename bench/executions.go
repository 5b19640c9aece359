package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"track"
	"track/scoring/rubric"
	"track/store"
	"track/tracker/agents"
)

const perVersion = 1000

// executions measures what people wait for in databases of 10⁴ executions and more: of three calls each, in versions
// of 1,000, all of one lineage.
func (b bench) executions() error {
	questions := [][]string{
		{"executions", "--limit", "50"},
		{"executions", "agent", "--limit", "50"},
		{"executions", "agent@v3", "--limit", "50"},
		{"executions", "--grade", "F", "--limit", "50"},
		{"show", "execution", executionID(42)},
		{"fitness", "agent@v3"},
		{"fitness", "agent"},
	}
	path := filepath.Join(b.dir, "executions.db")
	if _, err := store.Init(b.ctx, path); err != nil {
		return err
	}
	var rates []string
	err := b.askGrowing(path, "executions", questions, func(have, size int) error {
		started := time.Now()
		if err := addExecutions(b.ctx, path, have, size); err != nil {
			return err
		}
		rates = append(rates, fmt.Sprintf("%.0f", float64(size-have)/time.Since(started).Seconds()))
		return nil
	})
	fmt.Printf("Stored per second, through the store: %v.\n", rates)
	return err
}

// addExecutions stores the executions from one number to another.
func addExecutions(ctx context.Context, path string, from, to int) error {
	st, err := store.OpenForUpdate(ctx, path, time.Now)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	documents, err := scoreDocuments()
	if err != nil {
		return err
	}
	const batch = 2000
	for ; from < to; from += batch {
		err := st.UpdateRelaxed(ctx, func(tx *store.Tx) error {
			for i := from; i < from+batch; i++ {
				existing, err := tx.AddExecution(executionRecord(i, documents))
				if err != nil || existing != nil {
					return fmt.Errorf("execution %d: %+v, %v", i, existing, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return st.Sync()
}

func executionID(i int) string { return fmt.Sprintf("%026d", i) }

// scoreDocuments are what every rubric writes of the executions that executionRecord makes, but for their scores.
func scoreDocuments() (map[string][]byte, error) {
	e := executionRecord(0, nil).Execution
	answer := exampleAnswer
	e.Output = &answer
	documents := map[string][]byte{}
	for _, name := range rubric.Names() {
		r, err := rubric.ByName(name)
		if err != nil {
			return nil, err
		}
		if documents[name], err = json.Marshal(r.Score(agents.RubricInput(e, nil), rubric.Options{})); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

const exampleAnswer = "The answer is 42, because six times seven is that."

// executionRecord is one of three calls, scored under every rubric.
func executionRecord(i int, documents map[string][]byte) store.ExecutionRecord {
	zero, took, n := 0, 60*time.Second, int64(1200)
	at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
	var seed [8]byte
	binary.BigEndian.PutUint64(seed[:], uint64(i))
	digest := sha256.Sum256(seed[:])
	output := exampleAnswer
	e := store.ExecutionRecord{
		Execution: track.Execution{
			ID: executionID(i), Key: fmt.Sprintf("k%x", digest[:8]), Source: "codex", Lineage: "agent", Version: fmt.Sprintf("v%d", i/perVersion), Task: fmt.Sprintf("task %d", i%100),
			TaskType: "coding", Complexity: track.ComplexityMedium, Session: fmt.Sprintf("s%d", i/10), Status: track.ExecutionOK, Model: "m",
			Tokens: &track.Tokens{Input: &n, Output: &n}, StartedAt: at, Duration: &took,
		},
		Output: &track.RecordedText{Digest: digest, Bytes: len(output), Text: &output}, Digest: digest, RecordedAt: at, Rubric: "rubric/2",
	}
	for range 3 {
		e.Calls = append(e.Calls, track.ToolCall{Tool: "Bash", Exit: &zero, Answered: true, StartedAt: at, Duration: &took})
		e.Inputs, e.Outputs = append(e.Inputs, track.RecordedText{Digest: digest, Bytes: 80}), append(e.Outputs, &track.RecordedText{Digest: digest, Bytes: 900})
	}
	for k, name := range rubric.Names() {
		score, grade := float64((i*37+k)%101), "F"
		if score >= 50 {
			grade = "B"
		}
		s := track.RecordedScore{Rubric: name, Score: &score, Grade: grade, Detail: documents[name], ScoredAt: at}
		for _, component := range []string{"tool_success_rate", "output_quality", "efficiency", "one_minus_error_rate", "structure_score"} {
			value := score / 100
			s.Components = append(s.Components, track.ComponentValue{Name: component, Value: &value})
		}
		e.Scores = append(e.Scores, s)
	}
	return e
}
