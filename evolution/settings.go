package evolution

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"track/scoring/rubric"
)

// Settings are how a lineage decides and mutates. Each change makes a new version of all of them.
type Settings struct {
	Number    int             `json:"number"` // from 1
	Policy    string          `json:"policy"`
	Params    json.RawMessage `json:"params"` // canonical JSON
	Operators []Operator      `json:"operators"`
	// OperatorChoice is how an operator is drawn; empty in ledgers that are older than the choice.
	OperatorChoice OperatorRule  `json:"operator_choice,omitempty"`
	Loop           LoopSettings  `json:"loop"`
	Rollback       RollbackRules `json:"rollback"`
	ScoreFrom      ScoreSource   `json:"score_from"`            // the kind of score that decides; empty for the active scores
	ScoreTimes     *float64      `json:"score_times,omitempty"` // what values of that kind are multiplied by; nil for [Settings.Times]
	Holdout        *Holdout      `json:"holdout,omitempty"`     // tasks that are never used to decide; nil for none
	Scale          *Scale        `json:"scale,omitempty"`       // of the scores; nil for 0 to 100
	Tasks          *TaskSettings `json:"tasks,omitempty"`       // what versions are tried on; nil if that is unknown
	Failures       FailureRule   `json:"failures,omitempty"`    // how failed trials count; empty for [FailuresAsWorst]
	Overfit        OverfitAction `json:"overfit,omitempty"`     // what a loop does with a version that overfits; empty for [OverfitStop]
}

// OverfitAction is what a loop does once the gain of a version on the holdout tasks is shown to be smaller than on the
// others.
type OverfitAction string

// The actions.
const (
	OverfitStop     OverfitAction = "stop"
	OverfitRollback OverfitAction = "rollback" // to the parent
	OverfitIgnore   OverfitAction = "ignore"
)

func (a OverfitAction) validate() error {
	switch a {
	case "", OverfitStop, OverfitRollback, OverfitIgnore:
		return nil
	}
	return fmt.Errorf("overfit: %q is not %s, %s or %s", a, OverfitStop, OverfitRollback, OverfitIgnore)
}

// DefaultSettings returns the settings of a lineage that chooses none: the default policy, operators, loop and rollback
// rules.
func DefaultSettings() Settings {
	p := defaults()[0]
	params, err := Params(p)
	if err != nil {
		panic(err) // defaults are valid
	}
	return Settings{
		Number: 1, Policy: p.Name(), Params: params, Operators: DefaultOperators(), OperatorChoice: Thompson, Loop: defaultLoopSettings(), Rollback: defaultRollbackRules(),
	}
}

// DefaultParameterSettings returns the settings of a lineage of parameters. Its operators name changes of numbers. It
// never counts as stable, because scores of simulations are often high from the beginning.
func DefaultParameterSettings() Settings {
	s := DefaultSettings()
	s.Operators = []Operator{{"parameter_raise", Low}, {"parameter_lower", Low}, {"parameter_scale", Medium}, {"parameters_resample", High}}
	s.Loop.StableMean = 100
	return s
}

// WithScale returns the settings with another scale than 0 to 100. Unless the worst score is 0, no mean is high enough
// to count as stable, and no share of the best score says that a version is bad.
func (s Settings) WithScale(scale Scale) Settings {
	s.Scale = &scale
	if lo, _, bounded := scale.Ends(); bounded && lo == 0 && !scale.Minimize {
		return s
	}
	s.Loop.StableVariance, s.Rollback.BestShare, s.Rollback.PreviousShare = 0, 0, 0
	return s
}

// Validate returns an error for the first setting outside its domain.
func (s Settings) Validate() error {
	if _, err := ParsePolicy(s.Policy, s.Params); err != nil {
		return err
	}
	if err := cmp.Or(checkOperators(s.Operators, nil), s.OperatorChoice.validate()); err != nil {
		return err
	}
	if err := cmp.Or(s.Rollback.validate(), s.Scale.validate(), s.validateScore(), s.Holdout.validate(), s.Failures.validate(), s.Overfit.validate(), s.Tasks.validate()); err != nil {
		return err
	}
	return s.Loop.validate()
}

// SettingsChange makes new settings active.
type SettingsChange struct {
	Settings Settings `json:"settings"`
	Reason   string   `json:"reason,omitempty"`
}

// Equal reports whether settings are equal except for their number.
func (s Settings) Equal(other Settings) bool {
	s.Number, other.Number = 0, 0
	a, errA := canonical(s)
	b, errB := canonical(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// Clone returns a deep copy.
func (s Settings) Clone() Settings {
	if s.Scale != nil {
		scale := *s.Scale
		s.Scale = &scale
	}
	if s.ScoreTimes != nil {
		times := *s.ScoreTimes
		s.ScoreTimes = &times
	}
	s.Holdout = s.Holdout.clone()
	if s.Tasks != nil {
		s.Tasks = &TaskSettings{slices.Clone(s.Tasks.Names), s.Tasks.Measured, s.Tasks.Numbered}
	}
	s.Params, s.Operators, s.Loop.Forbidden = slices.Clone(s.Params), slices.Clone(s.Operators), slices.Clone(s.Loop.Forbidden)
	return s
}

// Scale says that scores are not from 0 to 100. A nil *Scale is that of a rubric, from 0 to 100.
type Scale struct {
	Lo       *float64 `json:"lo,omitempty"` // the lowest score; nil, with Hi, if scores may be any numbers
	Hi       *float64 `json:"hi,omitempty"` // the highest score
	Minimize bool     `json:"minimize"`     // less is better
	// Points is how many points of a rubric one unit of score counts as. The parameters of most policies are points; if
	// it is 0, only a policy without them decides.
	Points float64 `json:"points"`
}

// BoundedScale returns the scale of scores from lo to hi, on which the whole range is 100 points.
func BoundedScale(lo, hi float64) (*Scale, error) {
	s := &Scale{Lo: &lo, Hi: &hi, Points: 100 / (hi - lo)}
	return s, s.validate()
}

func (s *Scale) validate() error {
	switch {
	case s == nil:
		return nil
	case !(s.Points >= 0 && s.Points <= math.MaxFloat64):
		return fmt.Errorf("points: %v is not a number above 0", s.Points)
	case (s.Lo == nil) != (s.Hi == nil):
		return errors.New("scale: has one end: give both or none")
	case s.Lo != nil && !(*s.Hi > *s.Lo && *s.Hi-*s.Lo <= math.MaxFloat64):
		return fmt.Errorf("scale: from %v to %v is no range", *s.Lo, *s.Hi)
	}
	return nil
}

// Ends returns the lowest and the highest score; ok is false if scores may be any numbers.
func (s *Scale) Ends() (lo, hi float64, ok bool) {
	switch {
	case s == nil:
		return 0, 100, true
	case s.Lo == nil || s.Hi == nil:
		return 0, 0, false
	}
	return *s.Lo, *s.Hi, true
}

// worst returns what a failed trial counts as, in points: the worst end of the scale. Without one it is as far below
// the worst of the scores as the best is above it, or as 0 is from it if that is further, so that a failure is never as
// good as a bad score.
func (s *Scale) worst(gains []float64) float64 {
	lo, hi, bounded := s.Ends()
	switch {
	case bounded && s != nil && s.Minimize:
		return s.Gain(hi)
	case bounded:
		return s.Gain(lo)
	case len(gains) == 0:
		return 0
	}
	least := slices.Min(gains)
	return least - max(slices.Max(gains)-least, math.Abs(least))
}

// factor is what a score is multiplied by before it is judged.
func (s *Scale) factor() float64 {
	if s == nil {
		return 1
	}
	factor := s.Points
	if factor == 0 {
		factor = 1
	}
	if s.Minimize {
		return -factor
	}
	return factor
}

// Gain returns a score in points, of which more are better.
func (s *Scale) Gain(score float64) float64 { return float64(score * s.factor()) }

// Score returns the score of a number of points: the reverse of [Scale.Gain].
func (s *Scale) Score(gain float64) float64 { return gain / s.factor() }

// check reports why a value cannot be a score.
func (s *Scale) check(score float64) error {
	lo, hi, bounded := s.Ends()
	switch {
	case bounded && !(score >= lo && score <= hi): // NaN too
		return fmt.Errorf("score: %v is not between %v and %v", score, lo, hi)
	case finite(s.Gain(score)) == nil:
		return fmt.Errorf("score: %v is not a finite number", score)
	}
	return nil
}

// ErrUnitScores is wrapped if no score is above 1 on a scale from 0 to 100.
var ErrUnitScores = errors.New("no score is above 1, and the scale is 0 to 100")

// checkRange refuses scores that are all from 0 to 1 on a scale of 0 to 100: a fall from 0.9 to 0.2 would count as less
// than a point. Scores that are all 0 are as they are.
func (s *Scale) checkRange(scores []float64) error {
	if s != nil || len(scores) == 0 {
		return nil
	}
	if most := slices.Max(scores); most > 0 && most <= 1 {
		return fmt.Errorf("%w: %w", ErrEvidence, ErrUnitScores)
	}
	return nil
}

// PointsError is the error of a decision by a policy with parameters in points, on scores of another scale.
type PointsError struct {
	Policy string
	Params []string // that are points
}

func (e *PointsError) Error() string {
	return fmt.Sprintf("policy %s: %s in points of a rubric (0 to 100), and the scores have another scale: one unit is not said to be how many points",
		e.Policy, strings.Join(e.Params, ", "))
}

// CheckPoints returns a [PointsError] if the scale does not say what a point is, and the policy needs to know.
func (s *Scale) CheckPoints(p Policy) error {
	if s == nil || s.Points > 0 {
		return nil
	}
	if params := pointParams(p); len(params) > 0 {
		return &PointsError{p.Name(), params}
	}
	return nil
}

// pointParams returns the parameters of a policy that are differences of scores, in points.
func pointParams(p Policy) []string {
	switch p := p.(type) {
	case Threshold:
		return []string{"significant", "marginal", "explore"}
	case Greedy:
		if p.Eps == 0 {
			return nil
		}
		return []string{"eps"}
	case Confirm:
		return []string{"effect"}
	}
	return nil
}

// inScale returns a decision whose scores are in the units of the scale again. Differences stay points.
func (d Decision) inScale(s *Scale) Decision {
	if s == nil {
		return d
	}
	for _, value := range []**float64{&d.OldScore, &d.NewScore, &d.Fitness} {
		if *value != nil {
			score := round9(s.Score(**value))
			*value = &score
		}
	}
	for _, used := range [][]Use{d.UsedChild, d.UsedParent} {
		for i := range used {
			used[i].Score = s.Score(used[i].Score)
		}
	}
	return d
}

// Holdout says which tasks are never used to decide: those with these names, and a share of all, by the hash of their
// names. Nil means none.
type Holdout struct {
	Tasks []string `json:"tasks"` // in order
	Share float64  `json:"share"` // from 0, below 1
}

// Has reports whether a task, or a seed of a simulation, is never used to decide. A trial without a task is used.
func (h *Holdout) Has(task string) bool {
	if h == nil || task == "" {
		return false
	}
	if _, named := slices.BinarySearch(h.Tasks, task); named {
		return true
	}
	return h.Share > 0 && holdoutNumber(task) < h.Share
}

// holdoutNumber returns a number from 0 to 1 that follows from the name of a task: the first 53 bits of
// SHA-256("track/holdout/1" 0x00 || task).
func holdoutNumber(task string) float64 {
	hash := sha256.Sum256([]byte("track/holdout/1\x00" + task))
	return float64(binary.BigEndian.Uint64(hash[:])>>11) / (1 << 53)
}

// With returns a holdout that also has these tasks.
func (h *Holdout) With(tasks ...string) *Holdout {
	also := Holdout{Tasks: slices.Clone(tasks)}
	if h != nil {
		also.Share = h.Share
		also.Tasks = append(also.Tasks, h.Tasks...)
	}
	slices.Sort(also.Tasks)
	also.Tasks = slices.Compact(also.Tasks)
	return &also
}

func (h *Holdout) clone() *Holdout {
	if h == nil {
		return nil
	}
	return &Holdout{slices.Clone(h.Tasks), h.Share}
}

func (h *Holdout) validate() error {
	switch {
	case h == nil:
		return nil
	case !(h.Share >= 0 && h.Share < 1):
		return fmt.Errorf("holdout_share: %v must be at least 0 and below 1", h.Share)
	case !slices.IsSorted(h.Tasks) || len(slices.Compact(slices.Clone(h.Tasks))) < len(h.Tasks):
		return errors.New("holdout: the tasks are not in order, or one is duplicated")
	case slices.Contains(h.Tasks, ""):
		return errors.New("holdout: a task without a name")
	}
	return nil
}

// ScoreSource is the kind of score that decides. It is the name of a rubric; own, for scores of the caller;
// judge:MODEL@HASH, for scores of a judge model with the hash of its prompt; truth:NAME, for a ground-truth label; or
// component:NAME@RUBRIC, for a component of a rubric. The empty one is the active score of each execution.
type ScoreSource string

const (
	ownSource       = "own"
	judgePrefix     = "judge:"
	truthPrefix     = "truth:"
	componentPrefix = "component:"
)

// ParseScoreSource reads a kind of score. rubric and component:NAME are of the default rubric.
func ParseScoreSource(text string) (ScoreSource, error) {
	s := ScoreSource(text)
	switch {
	case text == "rubric":
		s = rubric.Default
	case text == "active":
		s = ""
	case strings.HasPrefix(text, componentPrefix) && !strings.Contains(text, "@"):
		s += "@" + rubric.Default
	}
	return s, s.validate()
}

// Truth returns the name of the ground-truth label that is the score; ok is false for another kind.
func (s ScoreSource) Truth() (name string, ok bool) { return strings.CutPrefix(string(s), truthPrefix) }

// Component returns the component that is the score, and its rubric; ok is false for another kind.
func (s ScoreSource) Component() (name, under string, ok bool) {
	rest, ok := strings.CutPrefix(string(s), componentPrefix)
	name, under, _ = strings.Cut(rest, "@")
	return name, under, ok
}

// Measured returns the rubric whose components describe executions that are scored so: that of a component, the default
// rubric for a label or a judge, and else the kind itself.
func (s ScoreSource) Measured() ScoreSource {
	if _, under, ok := s.Component(); ok {
		return ScoreSource(under)
	}
	if _, ok := s.Truth(); ok || strings.HasPrefix(string(s), judgePrefix) {
		return rubric.Default
	}
	return s
}

// times returns what a value of the kind is multiplied by, unless the settings say so.
func (s ScoreSource) times(scale *Scale) float64 {
	_, _, isComponent := s.Component()
	if _, isTruth := s.Truth(); scale == nil && (isTruth || isComponent) {
		return 100
	}
	return 1
}

func (s ScoreSource) validate() error {
	text := string(s)
	if name, ok := s.Truth(); ok {
		if name == "" {
			return errors.New("truth: names no ground-truth label: use truth:NAME")
		}
		return nil
	}
	if name, under, ok := s.Component(); ok {
		return checkComponent(text, name, under)
	}
	if judge, ok := strings.CutPrefix(text, judgePrefix); ok {
		if model, hash, ok := strings.Cut(judge, "@"); !ok || model == "" || hash == "" {
			return fmt.Errorf("%s: use judge:MODEL@HASH, with the hash of the prompt that executions of the judge show", text)
		}
		return nil
	}
	if _, err := rubric.ByName(text); text != "" && text != ownSource && err != nil {
		return fmt.Errorf("%s: use %s, own, truth:NAME, component:NAME, judge:MODEL@HASH, or active", text, strings.Join(rubric.Names(), ", "))
	}
	return nil
}

func checkComponent(text, name, under string) error {
	r, err := rubric.ByName(under)
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	var names []string
	for _, part := range r.Parts {
		if part.Name == name {
			return nil
		}
		names = append(names, part.Name)
	}
	return fmt.Errorf("%s: %s has no such component: use %s", text, under, strings.Join(names, ", "))
}

// Times returns what recorded values are multiplied by to be scores. On a scale of 0 to 100 it is 100 for ground-truth
// labels and components, which are 0 to 1, unless ScoreTimes says otherwise.
func (s Settings) Times() float64 {
	if s.ScoreTimes != nil {
		return *s.ScoreTimes
	}
	return s.ScoreFrom.times(s.Scale)
}

func (s Settings) validateScore() error {
	if err := s.ScoreFrom.validate(); err != nil {
		return fmt.Errorf("score_from: %w", err)
	}
	if s.ScoreTimes == nil {
		return nil
	}
	_, _, isComponent := s.ScoreFrom.Component()
	if _, isTruth := s.ScoreFrom.Truth(); !isTruth && !isComponent {
		return errors.New("score_times: only ground-truth labels and components are multiplied: set score_from to one")
	}
	if times := *s.ScoreTimes; !(times > 0 && times <= math.MaxFloat64) {
		return fmt.Errorf("score_times: %v is not a number above 0", times)
	}
	return nil
}

// ScoreUse says which scores a decision was made from, and what was left out.
type ScoreUse struct {
	From  ScoreSource `json:"from"`  // of the scores of both sides; empty if no trial has one. The hash of the spec, if trials are seeds
	Times float64     `json:"times"` // what recorded values were multiplied by
	// Trials that ran well and have no score of the kind are left out.
	WithoutChild  int `json:"without_child"`
	WithoutParent int `json:"without_parent"`
	// Trials of holdout tasks are never used.
	HoldoutChild  int `json:"holdout_child"`
	HoldoutParent int `json:"holdout_parent"`
	// Agreement says how well such scores separate successes from failures, by each ground-truth label that was known.
	Agreement []Agreement `json:"agreement"`
}

// Agreement says how well scores separate the successes of a ground-truth label, which are 1, from its failures.
type Agreement struct {
	Truth    string  `json:"truth"`
	NSuccess int     `json:"n_success"`
	NFailure int     `json:"n_failure"`
	AUC      float64 `json:"auc"`
	// Lo and Hi are an interval of the AUC at 95 % by the method of DeLong; nil if there is none.
	Lo *float64 `json:"lo"`
	Hi *float64 `json:"hi"`
}

// scored returns what the scores of the evidence are under; empty if no trial has one.
func (e Evidence) scored() string {
	for _, side := range [...][]Trial{e.Child, e.Parent} {
		for _, t := range side {
			if t.Score != nil {
				return t.Under
			}
		}
	}
	return ""
}
