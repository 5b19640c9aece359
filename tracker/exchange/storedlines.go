package exchange

import (
	"context"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/store"
	"track/tracker/agents"
)

// maxSentLine is the largest line that is sent, without its files and series: a request to a server can have 16 MiB.
const maxSentLine = 15 << 20

// isTooLong reports whether a line cannot be sent. Large files and series are sent before it.
func isTooLong(line []byte) bool {
	if len(line) <= maxSentLine {
		return false
	}
	rest, _ := lines.Detach(line, maxSentLine/64)
	return len(rest) > maxSentLine
}

// StoredLines hands over what a database holds as lines that a server takes: sweeps, seeds, executions, notes and tags.
// It returns what was handed over, and what lines do not carry; both by kind.
func StoredLines(ctx context.Context, from *store.Store, put func(name string, line []byte) error) (sent, left []answer.SentRecords, err error) {
	s := storedLines{from: from, put: put}
	for _, step := range []func(context.Context) error{s.sweeps, s.seeds, s.executions, s.annotations, s.definitions} {
		if err := step(ctx); err != nil {
			return s.sent, s.left, err
		}
	}
	return s.sent, s.left, nil
}

type storedLines struct {
	from       *store.Store
	put        func(name string, line []byte) error
	sent, left []answer.SentRecords
}

// line hands over a line, unless it is too long to be sent.
func (s *storedLines) line(kind, name string, line []byte, err error) error {
	switch {
	case err != nil:
		return err
	case isTooLong(line):
		s.leave(kind, 1, "its line is longer than 15 MiB")
		return nil
	}
	s.sent = counted(s.sent, answer.SentRecords{Kind: kind, N: 1})
	return s.put(kind+" "+name, line)
}

func (s *storedLines) leave(kind string, n int, reason string) {
	if n > 0 {
		s.left = counted(s.left, answer.SentRecords{Kind: kind, N: n, Reason: reason})
	}
}

// counted adds records to those of their kind.
func counted(list []answer.SentRecords, more answer.SentRecords) []answer.SentRecords {
	for i := range list {
		if list[i].Kind == more.Kind && list[i].Reason == more.Reason {
			list[i].N += more.N
			return list
		}
	}
	return append(list, more)
}

func (s *storedLines) sweeps(ctx context.Context) error {
	list, err := s.from.Sweeps(ctx, store.SweepFilter{})
	if err != nil {
		return err
	}
	for i := range list {
		sweep := list[len(list)-1-i].Sweep // the oldest first
		line, err := lines.AppendSweep(nil, sweep)
		if err := s.line("sweep", sweep.ID, line, err); err != nil {
			return err
		}
	}
	return nil
}

func (s *storedLines) seeds(ctx context.Context) error {
	from := s.from.SeedPages()
	size := pageOfSeeds
	if has, err := from.HasContents(ctx); err != nil {
		return err
	} else if has {
		size = pageOfSeries
	}
	for after := int64(0); ; {
		heads, err := from.Heads(ctx, after, size, nil)
		if err != nil || len(heads) == 0 {
			return err
		}
		after = heads[len(heads)-1].Row
		records, err := from.Records(ctx, s.wanted(heads))
		if err != nil {
			return err
		}
		for _, record := range records {
			if err := s.seed(record); err != nil {
				return err
			}
		}
	}
}

// wanted returns the seeds that count. A server would take others for seeds that count too.
func (s *storedLines) wanted(heads []store.SeedHead) (list []store.SeedHead) {
	for _, h := range heads {
		switch {
		case h.IsWithdrawn:
			s.leave("withdrawn seed", 1, "a server takes no withdrawals as lines")
		case !h.SupersededAt.IsZero():
			s.leave("superseded seed", 1, "another seed has replaced it")
		default:
			list = append(list, h)
		}
	}
	return list
}

func (s *storedLines) seed(r *store.SeedRecord) error {
	seed, isWhole, err := r.Whole()
	switch {
	case err != nil:
		return err
	case !isWhole:
		s.leave("seed", 1, "its series or files are pruned")
		return nil
	case seed.Digest() != r.Digest:
		s.leave("seed", 1, "a line would not say what is recorded")
		return nil
	}
	s.leave("repetition", len(r.Repetitions), "lines do not carry it")
	line, err := lines.AppendSeed(nil, seed)
	return s.line("seed", seed.Number.String()+" of "+seed.Scenario, line, err)
}

func (s *storedLines) executions(ctx context.Context) error {
	identity := agents.NewRecorder(s.from, agents.Options{ContentKeys: true}, nil)
	for after := int64(0); ; {
		heads, err := s.from.ExecutionHeads(ctx, after, pageOfExecutions, nil)
		if err != nil || len(heads) == 0 {
			return err
		}
		for _, h := range heads {
			after = h.Row
			if err := s.execution(ctx, identity, h); err != nil {
				return err
			}
		}
	}
}

// execution hands over an execution whose line is the same record on the server, so that merging the databases later
// finds it there.
func (s *storedLines) execution(ctx context.Context, identity *agents.Recorder, h store.ExecutionHead) error {
	switch {
	case !h.ForgottenAt.IsZero():
		s.leave("execution", 1, "its texts were forgotten")
		return nil
	case !lines.CarriesSource(h.Source):
		s.leave("execution", 1, "it comes neither from lines nor from the log of an agent")
		return nil
	case h.Open:
		s.leave("execution", 1, "its log has not ended")
		return nil
	}
	carried, err := s.from.CarriedExecution(ctx, h)
	if err != nil {
		return err
	}
	e := wholeExecution(carried.ExecutionRecord)
	same, err := identity.Identify(e, false)
	if err != nil || same.Digest != h.Digest || same.Key != h.Key {
		s.leave("execution", 1, "a line would not say all that is recorded, such as texts that are not kept")
		return nil
	}
	line, err := lines.AppendExecution(nil, e)
	return s.line("execution", h.Key+" of "+h.Lineage, line, err)
}

// wholeExecution returns an execution with the texts that are kept of it.
func wholeExecution(r store.ExecutionRecord) track.Execution {
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

func (s *storedLines) annotations(ctx context.Context) error {
	list, err := s.from.Annotations(ctx, "")
	if err != nil {
		return err
	}
	for _, a := range list {
		line, err := lines.AppendAnnotation(nil, a.Annotation)
		if err := s.line(string(a.Kind), a.ID, line, err); err != nil {
			return err
		}
	}
	return nil
}

// definitions counts what lines do not carry at all.
func (s *storedLines) definitions(ctx context.Context) error {
	specs, err := s.from.Specs(ctx)
	if err != nil {
		return err
	}
	s.leave("spec", len(specs), "add it to the server with track spec add")
	pins, err := s.from.PinRecords(ctx)
	if err != nil {
		return err
	}
	s.leave("baseline", len(pins), "pins are decisions")
	looks, err := s.from.LookRecords(ctx)
	if err != nil {
		return err
	}
	s.leave("interim analysis", len(looks), "it is a judgement")
	withdrawals, err := s.from.Withdrawals(ctx)
	if err != nil {
		return err
	}
	s.leave("withdrawal", len(withdrawals), "a server takes no withdrawals as lines")
	return s.lineages(ctx)
}

func (s *storedLines) lineages(ctx context.Context) error {
	records, err := s.from.LineageRecords(ctx)
	if err != nil {
		return err
	}
	for _, record := range records {
		versions, err := s.from.VersionRecords(ctx, record.Name)
		if err != nil {
			return err
		}
		for _, v := range versions {
			if v.ContentID != "" {
				s.leave("version", 1, "lines of executions name versions, and do not carry their contents")
			}
		}
	}
	evolving, err := s.from.EvolvingNames(ctx)
	if err != nil {
		return err
	}
	s.leave("lineage", len(evolving), "its ledger has decisions")
	return nil
}
