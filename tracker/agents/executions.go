// Package agents records the executions of agents, scores them under every rubric, and answers what they show.
package agents

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"track"
	"track/answer"
	"track/importer"
	"track/scoring/rubric"
	"track/store"
)

// ListExecutions lists recorded executions, the newest first.
func ListExecutions(ctx context.Context, r *store.Reader, q answer.ExecutionsQuestion) (a answer.Executions, err error) {
	limit := q.Page.PageLimit()
	if q.Page.After != "" {
		if known, err := r.HasExecution(ctx, q.Page.After); err != nil || !known {
			return a, cmp.Or(err, q.Page.UnknownCursor())
		}
	}
	list, err := listExecutions(ctx, r, store.ExecutionFilter{
		Lineage: q.Of.Lineage, Version: q.Of.Version, Task: q.Task, Status: q.Status, Grade: q.Grade, MinScore: q.MinScore, MaxScore: q.MaxScore,
		Since: q.Since.From(r.Now()), After: q.Page.After, Limit: limit + 1, // one more says whether there is another page
	})
	if err != nil {
		return a, err
	}
	if len(list) == 0 && q.Of.Lineage != "" && q.Page.After == "" {
		if err := r.CheckLineage(ctx, q.Of.Lineage, q.Of.Version); err != nil {
			return a, err
		}
	}
	a.Items = list[:min(limit, len(list))]
	if len(list) > limit {
		a.Next = list[limit-1].ID
	}
	return a, nil
}

// listExecutions lists executions with the grades that hold. A filter for a grade leaves out those whose stored grade
// does not hold.
func listExecutions(ctx context.Context, r *store.Reader, f store.ExecutionFilter) (list []track.RecordedExecution, err error) {
	held := newGrades(r)
	for {
		part, err := r.Executions(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, e := range part {
			if err := held.keep(ctx, e.Lineage, e.Rubric, &e.Grade); err != nil {
				return nil, err
			}
			if f.Grade == "" || e.Grade == f.Grade {
				list = append(list, e)
			}
		}
		if len(part) < f.Limit || len(list) >= f.Limit {
			return list[:min(len(list), f.Limit)], nil
		}
		f.After = part[len(part)-1].ID
	}
}

// execution returns an execution with the grades that hold.
func execution(ctx context.Context, r *store.Reader, id string) (e track.RecordedExecution, err error) {
	if e, err = r.Execution(ctx, id); err != nil {
		return e, err
	}
	held := newGrades(r)
	err = held.keep(ctx, e.Lineage, e.Rubric, &e.Grade)
	for i := range e.Scores {
		err = cmp.Or(err, held.keep(ctx, e.Lineage, e.Scores[i].Rubric, &e.Scores[i].Grade))
	}
	return e, err
}

// ShowExecution returns one execution in full. It leaves out the final text unless that was asked for.
func ShowExecution(ctx context.Context, r *store.Reader, q answer.ExecutionQuestion) (a answer.Execution, err error) {
	if a.RecordedExecution, err = execution(ctx, r, q.ID); err != nil {
		return a, err
	}
	a.WithOutput, a.ComponentsUnder = q.Output, q.Rubric
	if a.ComponentsUnder == "" {
		a.ComponentsUnder = a.Rubric
	}
	if _, err := rubric.ByName(a.ComponentsUnder); err != nil {
		a.ComponentsUnder = rubric.Default
	}
	if q.Trace {
		a.ShowTrace(q)
		return a, nil
	}
	if a.Output != nil && !q.Output {
		a.Output.Text = nil
	}
	return a, nil
}

func CompareExecutions(ctx context.Context, r *store.Reader, q answer.CompareExecutionsQuestion) (a answer.ExecutionComparison, err error) {
	var sides [2]track.RecordedExecution
	for i, id := range q.IDs {
		if sides[i], err = execution(ctx, r, id); err != nil {
			return a, err
		}
	}
	a.Calls, a.FirstDifference = alignCalls(sides[0].Calls, sides[1].Calls), -1
	for i, c := range a.Calls {
		if c.SameInput {
			a.NSame++
		}
		if a.FirstDifference < 0 && c.Differs() != "" {
			a.FirstDifference = i
		}
	}
	a.Components = compareComponents(sides[0], sides[1])
	for _, e := range sides {
		e.Calls, e.Scores, e.Prompt, e.Output = nil, nil, nil, nil
		a.Executions = append(a.Executions, e)
	}
	return a, nil
}

// compareComponents returns the components of the active scores of two executions.
func compareComponents(first, second track.RecordedExecution) []answer.ComparedComponent {
	byName := map[string]*answer.ComparedComponent{}
	of := func(name string) *answer.ComparedComponent {
		if byName[name] == nil {
			byName[name] = &answer.ComparedComponent{Component: name}
		}
		return byName[name]
	}
	for _, c := range activeComponents(first) {
		of(c.Name).First = c.Value
	}
	for _, c := range activeComponents(second) {
		of(c.Name).Second = c.Value
	}
	list := []answer.ComparedComponent{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, *byName[name])
	}
	return list
}

// activeComponents returns the components of the active score; nil if there is none.
func activeComponents(e track.RecordedExecution) []track.ComponentValue {
	for _, s := range e.Scores {
		if s.Active {
			return s.Components
		}
	}
	return nil
}

// mostAligned is the product of the numbers of calls up to which calls are aligned; longer ones are paired in order.
const mostAligned = 16_000_000

// alignCalls pairs the calls of two executions: as many as possible with the same tool, in order.
func alignCalls(a, b []track.RecordedCall) []answer.ComparedCall {
	list, start := []answer.ComparedCall{}, 0
	for start < min(len(a), len(b)) && a[start].Tool == b[start].Tool {
		list = append(list, pairedCall(a, b, start, start))
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end].Tool == b[len(b)-1-end].Tool {
		end++
	}
	n, m := len(a)-end, len(b)-end
	if (n-start)*(m-start) <= mostAligned {
		list = alignMiddle(list, a[:n], b[:m], start)
	} else {
		for i := start; i < max(n, m); i++ {
			if i < n && i < m && a[i].Tool == b[i].Tool {
				list = append(list, pairedCall(a, b, i, i))
				continue
			}
			list = appendSingle(list, 0, a[:n], i)
			list = appendSingle(list, 1, b[:m], i)
		}
	}
	for k := range end {
		list = append(list, pairedCall(a, b, n+k, m+k))
	}
	return list
}

// alignMiddle pairs the calls from a place on, along their longest common subsequence of tools.
func alignMiddle(list []answer.ComparedCall, a, b []track.RecordedCall, start int) []answer.ComparedCall {
	row := len(b) + 1
	longest := make([]int32, (len(a)+1)*row) // of what begins at each pair
	for i := len(a) - 1; i >= start; i-- {
		for j := len(b) - 1; j >= start; j-- {
			longest[i*row+j] = max(longest[(i+1)*row+j], longest[i*row+j+1])
			if a[i].Tool == b[j].Tool {
				longest[i*row+j] = longest[(i+1)*row+j+1] + 1
			}
		}
	}
	i, j := start, start
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i].Tool == b[j].Tool:
			list = append(list, pairedCall(a, b, i, j))
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[(i+1)*row+j] >= longest[i*row+j+1]:
			list, i = appendSingle(list, 0, a, i), i+1
		default:
			list, j = appendSingle(list, 1, b, j), j+1
		}
	}
	return list
}

func pairedCall(a, b []track.RecordedCall, i, j int) answer.ComparedCall {
	return answer.ComparedCall{Tool: a[i].Tool, First: callSide(a[i], i), Second: callSide(b[j], j), SameInput: a[i].Input.Digest == b[j].Input.Digest}
}

// appendSingle adds a call that only one side has; none if there is no such call.
func appendSingle(list []answer.ComparedCall, side int, calls []track.RecordedCall, i int) []answer.ComparedCall {
	if i >= len(calls) {
		return list
	}
	c := answer.ComparedCall{Tool: calls[i].Tool}
	if side == 0 {
		c.First = callSide(calls[i], i)
	} else {
		c.Second = callSide(calls[i], i)
	}
	return append(list, c)
}

func callSide(c track.RecordedCall, i int) *answer.CallSide {
	return &answer.CallSide{Call: i + 1, Result: answer.CallResult(c), Duration: c.Duration}
}

// JoinExecutions makes one execution of all that a log holds, except what subagents did. file names the log in errors.
func JoinExecutions(file string, items iter.Seq2[importer.Item, error]) (whole track.Execution, err error) {
	n, used := 0, idSet{}
	for item, err := range items {
		switch {
		case err != nil:
			return whole, err
		case item.Skip != nil:
			return whole, track.WithHint(fmt.Errorf("%w: %s", track.ErrInvalid, item.Skip), track.NewHint("import a damaged log without its damaged parts", "import"))
		case item.Execution == nil || item.Subagent:
			continue
		}
		next, _ := without(*item.Execution, used)
		for _, id := range usedIDs(next) {
			used[id] = true
		}
		if n++; n == 1 {
			whole = next
		} else {
			join(&whole, next)
		}
	}
	if n == 0 {
		return whole, &track.FieldError{File: file, Message: "holds no execution"}
	}
	return whole, nil
}

// join adds what came next in the same execution. A number that is unknown of a part is unknown of the whole.
func join(e *track.Execution, next track.Execution) {
	for _, call := range next.Calls {
		if call.Request > 0 {
			call.Request += len(e.Requests)
		}
		e.Calls = append(e.Calls, call)
	}
	e.Requests = append(e.Requests, next.Requests...)
	for _, file := range next.Files {
		e.Files = append(slices.DeleteFunc(e.Files, func(f track.WrittenFile) bool { return f.Name == file.Name }), file)
	}
	e.Corrections += next.Corrections
	e.Status, e.Message, e.Output, e.Truncated, e.Model = next.Status, next.Message, next.Output, next.Truncated, cmp.Or(next.Model, e.Model)
	e.Duration, e.CostUSD = sum(e.Duration, next.Duration), sum(e.CostUSD, next.CostUSD)
	if e.Tokens == nil || next.Tokens == nil {
		e.Tokens = nil
		return
	}
	a, b := *e.Tokens, *next.Tokens
	e.Tokens = &track.Tokens{
		Input: sum(a.Input, b.Input), Output: sum(a.Output, b.Output), CacheRead: sum(a.CacheRead, b.CacheRead), CacheWrite: sum(a.CacheWrite, b.CacheWrite),
		Reasoning: sum(a.Reasoning, b.Reasoning),
	}
}

// sum returns nil if one of the numbers is unknown.
func sum[T int64 | float64 | time.Duration](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	total := *a + *b
	return &total
}

// FillIn adds to an execution what a log holds and the caller does not say. The format of the log decides which calls
// failed.
func FillIn(e *track.Execution, log track.Execution) {
	e.Source, e.Calls, e.Files, e.Corrections, e.Truncated, e.Output, e.Truths = log.Source, log.Calls, log.Files, log.Corrections, log.Truncated, log.Output, log.Truths
	e.Requests = log.Requests
	e.Task, e.TaskType, e.Complexity = cmp.Or(e.Task, log.Task), cmp.Or(e.TaskType, log.TaskType), cmp.Or(e.Complexity, log.Complexity)
	e.Trial, e.Model, e.Session = cmp.Or(e.Trial, log.Trial), cmp.Or(e.Model, log.Model), cmp.Or(e.Session, log.Session)
	e.Duration, e.CostUSD, e.Tokens = cmp.Or(e.Duration, log.Duration), cmp.Or(e.CostUSD, log.CostUSD), cmp.Or(e.Tokens, log.Tokens)
	if e.StartedAt.IsZero() {
		e.StartedAt = log.StartedAt
	}
}

// beforeMatch and behindMatch are how much of a text is shown before and behind the beginning of what was found, in
// bytes.
const beforeMatch, behindMatch = 60, 140

// snippet returns the part of a text around the first of the phrases that is in it, in one line, and where in the part
// the phrases are.
func snippet(text string, phrases []string) (part string, matches []answer.TextRange) {
	start, end := 0, min(len(text), behindMatch)
	words := cutWords(text)
	for _, phrase := range phrases {
		if found := findPhrase(words, cutWords(phrase)); len(found) > 0 {
			at := found[0]
			start, end = max(0, at.Start-beforeMatch), min(len(text), max(at.Start+behindMatch, at.End))
			break
		}
	}
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	part = strings.Join(strings.Fields(text[start:end]), " ")
	if start > 0 {
		part = "…" + part
	}
	if end < len(text) {
		part += "…"
	}
	return part, matchesIn(part, phrases)
}

// matchesIn returns where phrases are in a text, in order; phrases that overlap or touch are one match.
func matchesIn(text string, phrases []string) []answer.TextRange {
	found, words := []answer.TextRange{}, cutWords(text)
	for _, phrase := range phrases {
		found = append(found, findPhrase(words, cutWords(phrase))...)
	}
	slices.SortFunc(found, func(a, b answer.TextRange) int { return a.Start - b.Start })
	matches := found[:0]
	for _, m := range found {
		if last := len(matches) - 1; last >= 0 && m.Start <= matches[last].End {
			matches[last].End = max(matches[last].End, m.End)
		} else {
			matches = append(matches, m)
		}
	}
	return matches
}

// word is a word of a text, as the index has it.
type word struct {
	answer.TextRange
	folded string
}

// cutWords returns the words of a text as the index cuts them: letters, digits and the marks on them.
func cutWords(text string) (words []word) {
	start := -1
	add := func(end int) {
		if start >= 0 {
			words = append(words, word{answer.TextRange{Start: start, End: end}, fold(text[start:end])})
			start = -1
		}
	}
	for i, r := range text {
		switch isWord := unicode.IsLetter(r) || unicode.IsNumber(r) || start >= 0 && unicode.Is(unicode.Mn, r); {
		case !isWord:
			add(i)
		case start < 0:
			start = i
		}
	}
	add(len(text))
	return words
}

// fold returns a word in lower case and without marks, as the index has it.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word))
}

// findPhrase returns where the words of a phrase follow one another.
func findPhrase(words, phrase []word) (found []answer.TextRange) {
	if len(phrase) == 0 {
		return nil
	}
	for i := 0; i+len(phrase) <= len(words); i++ {
		part := words[i : i+len(phrase)]
		if slices.EqualFunc(part, phrase, func(a, b word) bool { return a.folded == b.folded }) {
			found = append(found, answer.TextRange{Start: part[0].Start, End: part[len(part)-1].End})
		}
	}
	return found
}

// keepTexts keeps the final output, which scoring again needs, and the texts of the calls where that was asked for.
func (p *Prepared) keepTexts(keep bool) {
	p.Inputs, p.Outputs = nil, nil
	p.Prompt = storedText(p.Execution.Prompt, keep)
	p.Output = storedText(p.Execution.Output, true)
	for _, c := range p.Calls {
		p.Inputs = append(p.Inputs, *storedText(&c.Input, keep))
		output := storedText(c.Output, keep)
		if output != nil {
			output.WholeBytes = c.WholeOutput
		}
		p.Outputs = append(p.Outputs, output)
	}
}

func storedText(text *string, keep bool) *track.RecordedText {
	if text == nil {
		return nil
	}
	return track.NewRecordedText(*text, keep)
}

// ParseTokens reads counts of tokens, as in in=1200,out=300; nil for an empty text.
func ParseTokens(text string) (*track.Tokens, error) {
	if text == "" {
		return nil, nil
	}
	tokens := &track.Tokens{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not NAME=NUMBER, as in in=1200,out=300", part)
		}
		switch name {
		case "in", "input":
			tokens.Input = &n
		case "out", "output":
			tokens.Output = &n
		case "cache_read":
			tokens.CacheRead = &n
		case "cache_write":
			tokens.CacheWrite = &n
		case "reasoning":
			tokens.Reasoning = &n
		default:
			return nil, fmt.Errorf("unknown %q: use in, out, cache_read, cache_write and reasoning", name)
		}
	}
	return tokens, nil
}

// Search finds names, and texts of executions that are kept. What was recorded since the last search is indexed
// first, so that recording need not wait for it.
func Search(ctx context.Context, st *store.Store, q answer.SearchQuestion) (a answer.FoundTexts, err error) {
	if err := index(ctx, st, q.Rebuild); err != nil && (q.Rebuild || store.IsDamaged(err) || ctx.Err() != nil) {
		return a, err
	} // else the database cannot be written, which the answer says
	a = answer.FoundTexts{Text: q.Text, Names: []answer.FoundName{}, Items: []answer.FoundText{}}
	phrases := q.Phrases()
	err = st.Snapshot(ctx, func(r *store.Reader) error {
		if a.NUnindexed, err = r.CountUnindexed(ctx); err != nil {
			return err
		}
		filter := store.TextFilter{Phrases: phrases, Lineage: q.Of.Lineage, Version: q.Of.Version, Model: q.Model, Kind: q.Kind, Limit: q.Limit}
		found, n, err := r.SearchTexts(ctx, filter)
		if err == nil && n == 0 && q.Of.Lineage != "" {
			err = r.CheckLineage(ctx, q.Of.Lineage, q.Of.Version)
		}
		if err != nil {
			return err
		}
		if a.Names, a.CutNames, err = findNames(ctx, r, q); err != nil {
			return err
		}
		a.N = n
		for _, f := range found {
			part, matches := snippet(f.Text, phrases)
			a.Items = append(a.Items, answer.FoundText{
				Execution: f.Execution, Lineage: f.Lineage, Version: f.Version, Task: f.Task, Model: f.Model, At: f.At, Kind: f.Kind, Call: f.Call,
				Rank: f.Rank, Snippet: part, Matches: matches,
			})
		}
		return err
	})
	return a, err
}

// findNames finds names that hold the text of a question, and the kinds that have more of them than the limit. With a
// lineage, only names in it are found.
func findNames(ctx context.Context, r *store.Reader, q answer.SearchQuestion) (list []answer.FoundName, cut []string, err error) {
	list = []answer.FoundName{}
	part, of := q.Name()
	if part == "" {
		return list, nil, nil
	}
	found, err := r.FindNames(ctx, part, of, q.Limit)
	n := map[string]int{}
	for _, f := range found {
		if q.Of.Lineage != "" && f.Lineage != q.Of.Lineage {
			continue
		}
		if n[f.Kind]++; n[f.Kind] > q.Limit {
			cut = append(cut, f.Kind)
			continue
		}
		if f.Kind == "configuration" {
			f.Name = cmp.Or(f.Name, track.ShortHash(f.Configuration))
		}
		list = append(list, answer.FoundName(f))
	}
	return list, cut, err
}

func index(ctx context.Context, st *store.Store, rebuild bool) error {
	report, total := track.ProgressOf(ctx), 0
	progress := func(left int) {
		total = max(total, left)
		report(total-left, total)
	}
	if rebuild {
		return st.RebuildIndex(ctx, progress)
	}
	return st.IndexTexts(ctx, progress)
}
