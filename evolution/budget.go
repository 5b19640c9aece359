package evolution

import (
	"fmt"
	"time"
)

// Budget bounds what a loop may spend. A bound of 0, or nil, is none.
type Budget struct {
	Trials    int
	Mutations int
	Tokens    int
	CostUSD   *float64
	Time      time.Duration
}

// Spending is what a loop has spent.
type Spending struct {
	Trials    int     `json:"trials"`
	Mutations int     `json:"mutations"`
	Tokens    int64   `json:"tokens"` // input and output
	CostUSD   float64 `json:"cost_usd"`
}

// Proposed reports whether the bound of mutations is reached. The last one is still to be decided.
func (b Budget) Proposed(s Spending) bool { return b.Mutations > 0 && s.Mutations >= b.Mutations }

// Reached returns the first bound that is reached, in words; empty if another trial may run. elapsed is the time since
// the loop began.
func (b Budget) Reached(s Spending, elapsed time.Duration) string {
	switch {
	case b.Trials > 0 && s.Trials >= b.Trials:
		return fmt.Sprintf("%d of %d trials", s.Trials, b.Trials)
	case b.Tokens > 0 && s.Tokens >= int64(b.Tokens):
		return fmt.Sprintf("%d of %d tokens", s.Tokens, b.Tokens)
	case b.CostUSD != nil && s.CostUSD >= *b.CostUSD:
		return fmt.Sprintf("%.4g of %.4g US dollars", s.CostUSD, *b.CostUSD)
	case b.Time > 0 && elapsed >= b.Time:
		return fmt.Sprintf("%v of %v", elapsed.Round(time.Second), b.Time)
	}
	return ""
}

// Short returns why what is left cannot pay for n more trials, in words; empty if it can. Each of them is expected to
// take as many tokens and dollars as the trials before, with their proposals.
func (b Budget) Short(s Spending, n int) string {
	each := func(spent float64) float64 { return float64(spent / float64(max(1, s.Trials)) * float64(n)) }
	switch {
	case b.Trials > 0 && s.Trials+n > b.Trials:
		return fmt.Sprintf("%d of %d trials", s.Trials, b.Trials)
	case b.Tokens > 0 && float64(s.Tokens)+each(float64(s.Tokens)) > float64(b.Tokens):
		return fmt.Sprintf("%d of %d tokens", s.Tokens, b.Tokens)
	case b.CostUSD != nil && s.CostUSD+each(s.CostUSD) > *b.CostUSD:
		return fmt.Sprintf("%.4g of %.4g US dollars", s.CostUSD, *b.CostUSD)
	}
	return ""
}
