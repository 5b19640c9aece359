package evolution

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"track/scoring/numeric"
)

// Algorithms of draws, as they are stored.
const (
	sha256U53 = "sha256-u53/1" // [NewDraw]
	PCGDXSM   = "pcg-dxsm/1"   // [NewPCGDraw]
)

// Labels of draws: what a draw is for.
const (
	LabelExplore  = "explore"  // a decision, under whatever policy
	LabelMutate   = "mutate"   // whether to mutate
	LabelOperator = "operator" // which operator
)

// drawDomain keeps these hashes apart from all others.
const drawDomain = "track/draw/1\x00"

// DrawKey identifies a draw. In JSON the seed is a string, since many readers of JSON round whole numbers above 2^53.
type DrawKey struct {
	Seed     uint64 `json:"seed,string"`
	Lineage  string `json:"lineage"`
	Mutation string `json:"mutation"`
	Attempt  int    `json:"attempt"` // 0 for the first decision on a mutation; hashed in decimal
	Label    string `json:"label"`
}

// Draw is one random number with all that is needed to draw it again.
type Draw struct {
	Algorithm string `json:"algorithm"`
	DrawKey
	Raw Raw     `json:"raw"`
	U   float64 `json:"u"` // 0 <= U < 1
	// State of the generator before and after, in hexadecimal; empty for [sha256U53], which has none.
	StateBefore string `json:"state_before,omitempty"`
	StateAfter  string `json:"state_after,omitempty"`
}

// ErrDraw is wrapped by the errors of [Draw.verify].
var ErrDraw = errors.New("not the draw of its key")

// NewDraw draws by sha256-u53/1:
//
//	h   = SHA-256("track/draw/1" 0x00 || u64be(seed) || for f in [lineage, mutation, attempt, label]: u32be(len f) || f)
//	raw = the first 8 bytes of h, big-endian
//	u   = (raw >> 11) · 2^-53
//
// It depends on nothing but the key, so not on the order in which several processes decide, nor on a crash between.
func NewDraw(key DrawKey) Draw {
	b := append(make([]byte, 0, 128), drawDomain...)
	b = binary.BigEndian.AppendUint64(b, key.Seed)
	for _, field := range [...]string{key.Lineage, key.Mutation, strconv.Itoa(key.Attempt), key.Label} {
		b = appendField(b, field)
	}
	h := sha256.Sum256(b)
	raw := binary.BigEndian.Uint64(h[:8])
	return Draw{Algorithm: sha256U53, DrawKey: key, Raw: Raw(raw), U: unit(raw)}
}

// appendField writes a text after its length, so that no two lists of texts have the same bytes.
func appendField(b []byte, field string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(field))), field...)
}

// unit returns (raw >> 11) · 2^-53: the 53 highest bits as a number from 0 to 1 - 2^-53, exactly.
func unit(raw uint64) float64 { return float64(raw>>11) * 0x1p-53 }

// verify draws again and returns what differs, wrapping [ErrDraw].
func (d Draw) verify() error {
	again, err := d.again()
	if err != nil {
		return err
	}
	switch {
	case d.Raw != again.Raw:
		return fmt.Errorf("%w: raw is %v, drawn again it is %v", ErrDraw, d.Raw, again.Raw)
	case d.U != again.U:
		return fmt.Errorf("%w: u is %v, but %v follows from raw", ErrDraw, d.U, again.U)
	case d.StateBefore != again.StateBefore || d.StateAfter != again.StateAfter:
		return fmt.Errorf("%w: state after is %s, drawn again it is %s", ErrDraw, d.StateAfter, again.StateAfter)
	}
	return nil
}

// again draws by the algorithm that is stored.
func (d Draw) again() (Draw, error) {
	switch d.Algorithm {
	case sha256U53:
		return NewDraw(d.DrawKey), nil
	case PCGDXSM:
		before, err := hex.DecodeString(d.StateBefore)
		if err != nil {
			return Draw{}, fmt.Errorf("%w: state before: %v", ErrDraw, err)
		}
		return NewPCGDraw(before, d.DrawKey)
	}
	return Draw{}, fmt.Errorf("%w: algorithm %q is unknown", ErrDraw, d.Algorithm)
}

// Raw is the 64 bits of a draw, 16 hexadecimal digits in JSON.
type Raw uint64

func (r Raw) String() string { return fmt.Sprintf("%016x", uint64(r)) }

// MarshalText writes the hexadecimal digits.
func (r Raw) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what [Raw.MarshalText] writes, and nothing else.
func (r *Raw) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || Raw(n).String() != string(text) {
		return fmt.Errorf("raw %q is not 16 lowercase hexadecimal digits", text)
	}
	*r = Raw(n)
	return nil
}

// NewPCGDraw draws by pcg-dxsm/1, for a loop that owns a generator: one Uint64 of math/rand/v2's PCG in the given
// state, the 20 bytes of its MarshalBinary. The key says what the draw is for and does not affect the number. The loop
// continues from [Draw.PCGState]. u follows from raw as in [NewDraw]: it is not rand.Float64, which takes the lowest 53
// bits.
func NewPCGDraw(state []byte, key DrawKey) (Draw, error) {
	var pcg rand.PCG
	if err := pcg.UnmarshalBinary(state); err != nil {
		return Draw{}, fmt.Errorf("%w: state before: %v", ErrDraw, err)
	}
	raw := pcg.Uint64()
	after, err := pcg.MarshalBinary()
	if err != nil {
		return Draw{}, fmt.Errorf("state after: %w", err)
	}
	return Draw{
		Algorithm: PCGDXSM, DrawKey: key, Raw: Raw(raw), U: unit(raw),
		StateBefore: hex.EncodeToString(state), StateAfter: hex.EncodeToString(after),
	}, nil
}

// PCGState returns the state of the generator after a draw by pcg-dxsm/1.
func (d Draw) PCGState() ([]byte, error) {
	if d.Algorithm != PCGDXSM {
		return nil, fmt.Errorf("a draw by %s leaves no state", d.Algorithm)
	}
	return hex.DecodeString(d.StateAfter)
}

// Risk of an operator.
type Risk string

// The risks.
const (
	Low    Risk = "LOW"
	Medium Risk = "MEDIUM"
	High   Risk = "HIGH"
)

// Operator is a way to make a child of a parent.
type Operator struct {
	Name string `json:"name"`
	Risk Risk   `json:"risk"`
}

// DefaultOperators returns the operators of a lineage that names none of its own.
func DefaultOperators() []Operator {
	return []Operator{
		{"instruction_rephrase", Low}, {"step_reorder", Medium}, {"constraint_add", Low}, {"constraint_remove", High},
		{"example_inject", Low}, {"emphasis_shift", Medium}, {"format_change", Medium}, {"persona_adjust", Low},
	}
}

// WithoutRisk leaves out the operators of a risk, as when their limit for the day is reached.
func WithoutRisk(list []Operator, risk Risk) []Operator {
	return slices.DeleteFunc(slices.Clone(list), func(o Operator) bool { return o.Risk == risk })
}

// Signals are means over the recent executions of the active version; nil if they were not measured.
type Signals struct {
	ErrorRate      *float64 `json:"error_rate"` // the rate itself, high is bad
	Efficiency     *float64 `json:"efficiency"`
	OutputQuality  *float64 `json:"output_quality"`
	StructureScore *float64 `json:"structure_score"`
}

// remedy is a signal that calls for one operator.
type remedy struct {
	applies  bool
	operator string
	reason   string
}

// remedies returns the operators for each problem, in the order in which problems are checked.
func (s Signals) remedies() []remedy {
	above := func(v *float64, limit float64) bool { return v != nil && *v > limit }
	below := func(v *float64, limit float64) bool { return v != nil && *v < limit }
	return []remedy{
		{above(s.ErrorRate, 0.3), "constraint_add", "error_rate > 0.3"},
		{below(s.Efficiency, 0.5), "step_reorder", "efficiency < 0.5"},
		{below(s.OutputQuality, 0.6), "example_inject", "output_quality < 0.6"},
		{below(s.StructureScore, 0.5), "format_change", "structure_score < 0.5"},
	}
}

// OperatorHistory is how an operator did in its lineage so far.
type OperatorHistory struct {
	Uses     int     `json:"uses"`
	Improved bool    `json:"improved"`  // one of its mutations ever had a delta above 0
	AvgDelta float64 `json:"avg_delta"` // over its decided mutations; 0 for none
	Accepted int     `json:"accepted"`
	Success  float64 `json:"success"` // over its decided mutations, see [success]
}

// weight returns the weight of an operator in the roulette: 1, ×(1 + avg_delta/100) if it ever improved, ×0.5 if
// avg_delta < 0, ×1.5 if unused, at least 0.1.
func (h OperatorHistory) weight() float64 {
	w := 1.0
	if h.Improved {
		w *= 1 + h.AvgDelta/100
	}
	if h.AvgDelta < 0 {
		w *= 0.5
	}
	if h.Uses == 0 {
		w *= 1.5
	}
	return max(0.1, w)
}

// Histories collects how operators did, from decided mutations.
type Histories map[string]OperatorHistory

// Add counts one decided mutation. A delta that is nil counts as 0 in the average.
func (h Histories) Add(operator string, delta *float64, accepted bool) {
	h[operator] = h[operator].plus(delta, accepted)
}

func (h OperatorHistory) plus(delta *float64, accepted bool) OperatorHistory {
	h.Uses++
	d := 0.0
	if delta != nil {
		d = *delta
	}
	h.AvgDelta += (d - h.AvgDelta) / float64(h.Uses)
	h.Improved = h.Improved || d > 0
	if accepted {
		h.Accepted++
		h.Success += success(delta)
	}
	return h
}

// success says from 0 to 1 how much an accepted mutation helped: 3/4 + 1/4·delta/(delta + 5), from 3/4 for a gain of
// nearly nothing towards 1 for a large one. It is 3/4 if delta is unknown, and 0 for an exploration that gained
// nothing. A mutation that was rejected has the success 0.
func success(delta *float64) float64 {
	switch {
	case delta == nil:
		return 0.75
	case *delta <= 0:
		return 0
	}
	return 0.75 + 0.25**delta/(*delta+5)
}

// OperatorRule says how an operator is drawn if no signal calls for one.
type OperatorRule string

// The rules. The empty rule, of the first ledgers, is [Roulette].
const (
	Thompson OperatorRule = "thompson" // by the probability that it is the best
	Roulette OperatorRule = "roulette" // by [OperatorHistory.Weight], the rule of the source
)

// OperatorRules returns the names of the rules, the default first.
func OperatorRules() []string { return []string{string(Thompson), string(Roulette)} }

func (r OperatorRule) validate() error {
	if r != "" && !slices.Contains(OperatorRules(), string(r)) {
		return fmt.Errorf("%w: operator_choice %q is not thompson or roulette", errOperatorList, r)
	}
	return nil
}

// reason returns what a choice by the rule gives as its reason.
func (r OperatorRule) reason() string {
	if r == Thompson {
		return "Thompson sampling"
	}
	return "roulette"
}

// Weights returns the weights with which operators are drawn, in the order of the list.
func (r OperatorRule) Weights(list []Operator, h Histories) []float64 {
	if r == Thompson {
		return thompsonWeights(list, h)
	}
	weights := make([]float64, len(list))
	for i, o := range list {
		weights[i] = h[o.Name].weight()
	}
	return weights
}

// OperatorChoice is an operator and why it was chosen.
type OperatorChoice struct {
	Operator Operator  `json:"operator"`
	Reason   string    `json:"reason"`
	Weights  []float64 `json:"weights"` // of the draw, in the order of the operators; nil if a signal called for one
	DrawUsed bool      `json:"draw_used"`
}

// Errors of a choice.
var (
	errNoOperator   = errors.New("no operator to choose from")
	errOperatorList = errors.New("operators")
)

// ChooseOperator takes the operator that the first applying signal calls for, if the list has it, else one by its
// weight under the rule: the first whose cumulated weight is above u·Σw, in the order of the list. The label of the
// draw is [LabelOperator].
func ChooseOperator(rule OperatorRule, list []Operator, s Signals, h Histories, draw Draw) (OperatorChoice, error) {
	if err := rule.validate(); err != nil {
		return OperatorChoice{}, err
	}
	if err := checkOperators(list, h); err != nil {
		return OperatorChoice{}, err
	}
	if err := verifyLabel(draw, LabelOperator); err != nil {
		return OperatorChoice{}, err
	}
	for _, r := range s.remedies() {
		i := slices.IndexFunc(list, func(o Operator) bool { return o.Name == r.operator })
		if r.applies && i >= 0 {
			return OperatorChoice{Operator: list[i], Reason: r.reason}, nil
		}
	}
	weights := rule.Weights(list, h)
	return OperatorChoice{Operator: list[drawn(weights, draw.U)], Reason: rule.reason(), Weights: weights, DrawUsed: len(list) > 1}, nil
}

// drawn returns the first index at which the cumulated weights exceed u·Σw; the last, if rounding leaves none.
func drawn(weights []float64, u float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	target, cumulated := u*sum, 0.0
	for i, w := range weights {
		if cumulated += w; target < cumulated {
			return i
		}
	}
	return len(weights) - 1
}

func checkOperators(list []Operator, h Histories) error {
	if len(list) == 0 {
		return errNoOperator
	}
	seen := map[string]bool{}
	for _, o := range list {
		switch {
		case o.Name == "" || seen[o.Name]:
			return fmt.Errorf("%w: name %q is empty or is duplicated", errOperatorList, o.Name)
		case o.Risk != Low && o.Risk != Medium && o.Risk != High:
			return fmt.Errorf("%w: %s: risk %q is not LOW, MEDIUM or HIGH", errOperatorList, o.Name, o.Risk)
		case !(h[o.Name].Success >= 0 && h[o.Name].Success <= float64(h[o.Name].Uses)):
			return fmt.Errorf("%w: %s: a success of %v in %d uses", errOperatorList, o.Name, h[o.Name].Success, h[o.Name].Uses)
		case math.IsNaN(h[o.Name].AvgDelta) || math.IsInf(h[o.Name].AvgDelta, 0):
			return fmt.Errorf("%w: %s: the average delta is %v", errOperatorList, o.Name, h[o.Name].AvgDelta)
		}
		seen[o.Name] = true
	}
	return nil
}

// verifyLabel says what is wrong with a draw that was to be drawn for something.
func verifyLabel(draw Draw, label string) error {
	if draw.Label != label {
		return fmt.Errorf("%w: the label is %q, not %q", ErrDraw, draw.Label, label)
	}
	return draw.verify()
}

// Thompson sampling (Thompson 1933) as a distribution: an operator is drawn with the probability that its rate of
// success is the highest. The rates have Beta distributions on the midpoints of thompsonPoints equal parts of 0 to 1,
// so that sums replace integrals and anybody gets the same weights.
const (
	thompsonPoints = 100
	// thompsonFloor is shared equally by all operators, because what helps changes as a lineage evolves.
	thompsonFloor = 0.05
)

// prior returns the parameters of the Beta distribution of an operator that was never tried, worth two trials: the
// higher the risk, the lower its mean.
func (r Risk) prior() (alpha, beta float64) {
	switch r {
	case High:
		return 0.5, 1.5
	case Medium:
		return 0.8, 1.2
	}
	return 1, 1
}

// thompsonWeights returns the probability of each operator, in the order of the list. Alpha
// grows by the successes, see [success], beta by the rest of the decided mutations.
func thompsonWeights(list []Operator, h Histories) []float64 {
	logs := thompsonLogs()
	densities := make([][]float64, len(list))
	for i, o := range list {
		alpha, beta := o.Risk.prior()
		done := h[o.Name]
		densities[i] = betaOnGrid(logs, alpha+done.Success, beta+float64(done.Uses)-done.Success)
	}
	weights, sum := highestOf(densities), 0.0
	for _, w := range weights {
		sum += w
	}
	for i, w := range weights {
		weights[i] = float64((1-thompsonFloor)*w/sum) + thompsonFloor/float64(len(list))
	}
	return weights
}

// thompsonLogs returns ln x and ln(1-x) at the midpoints.
func thompsonLogs() (logs [thompsonPoints][2]float64) {
	for k := range logs {
		x := (float64(k) + 0.5) / thompsonPoints
		logs[k] = [2]float64{numeric.Log(x), numeric.Log(1 - x)}
	}
	return logs
}

// betaOnGrid returns x^(alpha-1)·(1-x)^(beta-1) at the midpoints, with the sum 1.
func betaOnGrid(logs [thompsonPoints][2]float64, alpha, beta float64) []float64 {
	p, highest := make([]float64, thompsonPoints), 0.0
	for k, l := range logs {
		p[k] = float64((alpha-1)*l[0]) + float64((beta-1)*l[1])
		if k == 0 || p[k] > highest {
			highest = p[k]
		}
	}
	sum := 0.0
	for k := range p {
		p[k] = numeric.Exp(p[k] - highest)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// highestOf returns, for each distribution, the sum over the points of its probability there times those of each other
// to be lower; an equal one counts half.
func highestOf(densities [][]float64) []float64 {
	weights, below := make([]float64, len(densities)), make([]float64, len(densities))
	for k := range thompsonPoints {
		for i := range densities {
			product := densities[i][k]
			for j := range densities {
				if j != i {
					product *= below[j] + float64(densities[j][k]/2)
				}
			}
			weights[i] += product
		}
		for i := range densities {
			below[i] += densities[i][k]
		}
	}
	return weights
}
