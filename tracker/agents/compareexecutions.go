package agents

import (
	"context"
	"maps"
	"slices"

	"track"
	"track/answer"
	"track/store"
)

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
