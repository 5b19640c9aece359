package spec

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"track"
	"track/scoring"
)

// finite draws any number that a file can say, small decimals more often than others. It draws no -0, which canonical
// JSON does not know, and keeps differences finite.
func finite() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Map(rapid.IntRange(-1000, 1000), func(n int) float64 { return float64(n) / 100 }),
		rapid.Map(rapid.Float64Range(-math.MaxFloat64/4, math.MaxFloat64/4), func(x float64) float64 { return x + 0 }),
	)
}

func positive() *rapid.Generator[float64] {
	return rapid.Map(finite(), func(x float64) float64 { return math.Max(math.Abs(x), math.SmallestNonzeroFloat64) })
}

// name draws a name that a scenario or a metric can have.
func name() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[a-z_]{1,8}`), rapid.String()).Filter(func(s string) bool {
		return track.CheckScenarioName(s) == nil
	})
}

func ordered(t *rapid.T) (low, high float64) {
	a, b := finite().Draw(t, "a"), finite().Draw(t, "b")
	return math.Min(a, b), math.Max(a, b)
}

func target() *rapid.Generator[scoring.Target] {
	return rapid.Custom(func(t *rapid.T) scoring.Target {
		low, high := ordered(t)
		switch rapid.IntRange(0, 4).Draw(t, "type") {
		case 0:
			m := scoring.MeanTolerance{Target: finite().Draw(t, "target"), Tolerance: positive().Draw(t, "tolerance")}
			if rapid.Bool().Draw(t, "has min") {
				m.Min = &low
			}
			if rapid.Bool().Draw(t, "has max") {
				m.Max = &high
			}
			return m
		case 1:
			return scoring.Range{Min: low, Max: high}
		case 2:
			return scoring.PctWithin{Target: high, Min: low}
		case 3:
			penalty := rapid.OneOf(rapid.Just(scoring.DefaultPenaltyWeight), positive()).Draw(t, "penalty")
			return scoring.Outlier{MaxOutlier: positive().Draw(t, "max_outlier"), PenaltyWeight: penalty}
		}
		return scoring.Boolean{Threshold: low, Invert: rapid.Bool().Draw(t, "invert")}
	})
}

// reduction draws any usable reduction.
func reduction() *rapid.Generator[scoring.Reduction] {
	count := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 1<<53))
	return rapid.Custom(func(t *rapid.T) scoring.Reduction {
		r := scoring.Reduction{
			Series: name().Draw(t, "series"), Skip: count.Draw(t, "skip"), Reduce: rapid.SampledFrom(scoring.Reducers()).Draw(t, "reduce"),
			NaN: rapid.SampledFrom([]scoring.NaNRule{scoring.NaNFail, scoring.NaNSkip}).Draw(t, "nan"),
		}
		low, high := ordered(t)
		for _, field := range r.Reduce.Fields() {
			switch field {
			case "q":
				r.Q = rapid.Float64Range(0, 1).Draw(t, "q")
			case "lag":
				r.Lag = max(1, count.Draw(t, "lag"))
			case "with":
				r.With = name().Draw(t, "with")
			case "drop_outliers":
				r.DropOutliers = rapid.Ptr(positive(), true).Draw(t, "drop_outliers")
			case "min":
				r.Min = &low
			case "max":
				r.Max = rapid.Ptr(rapid.Just(high), true).Draw(t, "max")
			case "strict":
				r.Strict = rapid.Bool().Draw(t, "strict")
			case "iqr_factor":
				if rapid.Bool().Draw(t, "has iqr_factor") {
					factor := positive().Draw(t, "iqr_factor")
					r.Min, r.Max, r.IQRFactor = nil, nil, &factor
				}
			}
		}
		return r
	})
}

// gateRules draws any usable rules, also none, and verdicts in any order.
func gateRules() *rapid.Generator[scoring.GateRules] {
	share := rapid.Ptr(rapid.Float64Range(0, 1), true)
	verdicts := rapid.SampledFrom([]scoring.Verdict{scoring.VerdictWarn, scoring.VerdictInconclusive, scoring.VerdictFail})
	return rapid.Custom(func(t *rapid.T) scoring.GateRules {
		g := scoring.GateRules{
			MinPassRate:   share.Draw(t, "min_pass_rate"),
			Stable:        rapid.Bool().Draw(t, "stable"),
			MaxStd:        share.Draw(t, "max_std"),
			MinScore:      share.Draw(t, "min_score"),
			Bound:         rapid.SampledFrom([]scoring.Bound{scoring.BoundT, scoring.BoundDistributionFree}).Draw(t, "bound"),
			NoDegradation: rapid.Bool().Draw(t, "no_degradation"),
			MinSeeds:      rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 1<<53)).Draw(t, "min_seeds"),
			Confidence:    rapid.OneOf(rapid.SampledFrom([]float64{0, 0.95}), rapid.Float64Range(0.5, 0.999)).Draw(t, "confidence"),
		}
		if rapid.Bool().Draw(t, "has fail_on") {
			g.FailOn = rapid.SliceOfN(verdicts, 0, 4).Draw(t, "fail_on")
		}
		return g
	})
}

// drawGuard makes the rules guard some of the metrics and groups of a spec, or leave some out.
func drawGuard(t *rapid.T, g *scoring.GateRules, metrics []scoring.Metric) {
	var names []string
	for _, m := range metrics {
		names = append(names, m.Name)
		if m.Group != "" {
			names = append(names, m.Group)
		}
	}
	if rapid.Bool().Draw(t, "has guard") {
		g.Guard = rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(t, "guard")
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID[string]).Draw(t, "leave_out") {
		reason := rapid.String().Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "reason")
		g.LeaveOut = append(g.LeaveOut, scoring.LeftOut{Name: name, Reason: reason})
	}
}

// specs draws any usable spec.
func specs() *rapid.Generator[scoring.Spec] {
	return rapid.Custom(func(t *rapid.T) scoring.Spec {
		s := scoring.Spec{Scenario: name().Draw(t, "scenario"), Title: rapid.String().Draw(t, "title")}
		names := rapid.SliceOfNDistinct(name(), 1, 5, rapid.ID[string]).Draw(t, "names")
		formats := []scoring.Format{scoring.FormatDefault, scoring.FormatPercent, scoring.FormatTrend, scoring.FormatInteger}
		for _, metric := range names {
			s.Metrics = append(s.Metrics, scoring.Metric{
				Name:       metric,
				Weight:     rapid.OneOf(rapid.Just(1.0), rapid.Just(0.0), rapid.Float64Range(0, 1e300)).Draw(t, "weight"),
				Target:     target().Draw(t, "target"),
				Group:      rapid.OneOf(rapid.Just(""), rapid.String()).Draw(t, "group"),
				Format:     rapid.SampledFrom(formats).Draw(t, "format"),
				TargetDesc: rapid.OneOf(rapid.Just(""), rapid.String()).Draw(t, "target_desc"),
				From:       rapid.Ptr(reduction(), true).Draw(t, "from"),
			})
		}
		s.Metrics[0].Weight = math.Max(s.Metrics[0].Weight, 0.5)
		if rapid.Bool().Draw(t, "has improvement") {
			s.Improvement = &scoring.Improvement{
				Baseline:           rapid.OneOf(rapid.Just(""), rapid.Just(s.Scenario), name()).Draw(t, "baseline"),
				MaxDegradationBase: rapid.OneOf(rapid.Just(0.25), positive()).Draw(t, "base"),
			}
		}
		if s.Gate = rapid.Ptr(gateRules(), true).Draw(t, "gate"); s.Gate != nil {
			drawGuard(t, s.Gate, s.Metrics)
		}
		if problems := s.Problems(); len(problems) > 0 {
			t.Fatalf("the generator drew a spec with problems: %v", problems)
		}
		return s
	})
}

// document is a mapping to be written as YAML or JSON; values are string, float64, bool, nil, []string, document or
// []document.
type document []member

type member struct {
	key   string
	value any
}

// optional adds a field, or leaves one out that is default.
func optional(t *rapid.T, d document, key string, value any, isDefault bool) document {
	if isDefault && !rapid.Bool().Draw(t, "writes "+key) {
		return d
	}
	return append(d, member{key, value})
}

func drawReduction(t *rapid.T, r scoring.Reduction) document {
	d := document{{"series", r.Series}, {"reduce", string(r.Reduce)}}
	d = optional(t, d, "skip", float64(r.Skip), r.Skip == 0)
	d = optional(t, d, "nan", string(r.NaN), r.NaN == scoring.NaNFail)
	for _, field := range r.Reduce.Fields() {
		switch field {
		case "q":
			d = append(d, member{field, r.Q})
		case "lag":
			d = append(d, member{field, float64(r.Lag)})
		case "with":
			d = append(d, member{field, r.With})
		case "drop_outliers":
			d = optional(t, d, field, value(r.DropOutliers), r.DropOutliers == nil)
		case "min":
			d = optional(t, d, field, value(r.Min), r.Min == nil)
		case "max":
			d = optional(t, d, field, value(r.Max), r.Max == nil)
		case "strict":
			d = optional(t, d, field, r.Strict, !r.Strict)
		case "iqr_factor":
			d = optional(t, d, field, value(r.IQRFactor), r.IQRFactor == nil)
		}
	}
	return rapid.Permutation(d).Draw(t, "from")
}

func drawGate(t *rapid.T, g scoring.GateRules) document {
	d := optional(t, nil, "min_pass_rate", value(g.MinPassRate), g.MinPassRate == nil)
	d = optional(t, d, "confidence", cmp.Or(g.Confidence, 0.95), g.Confidence == 0 || g.Confidence == 0.95)
	d = optional(t, d, "stable", g.Stable, !g.Stable)
	d = optional(t, d, "max_std", value(g.MaxStd), g.MaxStd == nil)
	d = optional(t, d, "min_score", value(g.MinScore), g.MinScore == nil)
	d = optional(t, d, "bound", g.Bound.Name(), g.Bound == scoring.BoundT)
	d = optional(t, d, "no_degradation", g.NoDegradation, !g.NoDegradation)
	d = optional(t, d, "min_seeds", float64(g.MinSeeds), g.MinSeeds == 0)
	verdicts := []string{"inconclusive"}
	if g.FailOn != nil {
		verdicts = []string{}
		for _, v := range g.FailOn {
			verdicts = append(verdicts, string(v))
		}
	}
	d = optional(t, d, "fail_on", drawVerdicts(t, verdicts), g.FailOn == nil)
	if g.Guard != nil {
		d = append(d, member{"guard", rapid.Permutation(g.Guard).Draw(t, "guard")})
	}
	leftOut := []document{}
	for _, out := range g.LeaveOut {
		leftOut = append(leftOut, rapid.Permutation(document{{"name", out.Name}, {"reason", out.Reason}}).Draw(t, "left out"))
	}
	if len(leftOut) > 0 {
		d = append(d, member{"leave_out", rapid.Permutation(leftOut).Draw(t, "leave_out")})
	}
	if len(d) == 0 {
		return d
	}
	return rapid.Permutation(d).Draw(t, "gate")
}

// drawVerdicts writes a list that means the same: in any order and case, and perhaps with FAIL, which always fails.
func drawVerdicts(t *rapid.T, list []string) []string {
	if rapid.Bool().Draw(t, "names fail") {
		list = append(list, "FAIL")
	}
	if len(list) == 0 {
		return list
	}
	list = rapid.Permutation(list).Draw(t, "verdicts")
	for i, v := range list {
		list[i] = rapid.SampledFrom([]string{strings.ToLower(v), strings.ToUpper(v), v[:1] + strings.ToLower(v[1:])}).Draw(t, "verdict")
	}
	return list
}

// drawDocument writes a spec down in one of the many ways that mean the same: keys in any order, defaults written out
// or not.
func drawDocument(t *rapid.T, s scoring.Spec) document {
	optional := func(d document, key string, value any, isDefault bool) document {
		return optional(t, d, key, value, isDefault)
	}
	var metrics []document
	for _, m := range s.Metrics {
		d := document{{"name", m.Name}, {"type", string(m.Target.Type())}}
		d = optional(d, "weight", m.Weight, m.Weight == 1)
		d = optional(d, "group", m.Group, m.Group == "")
		d = optional(d, "format", string(m.Format), m.Format == scoring.FormatDefault)
		d = optional(d, "target_desc", m.TargetDesc, m.TargetDesc == "")
		switch target := m.Target.(type) {
		case scoring.MeanTolerance:
			d = append(d, member{"target", target.Target}, member{"tolerance", target.Tolerance})
			d = optional(d, "min", value(target.Min), target.Min == nil)
			d = optional(d, "max", value(target.Max), target.Max == nil)
		case scoring.Range:
			d = append(d, member{"min", target.Min}, member{"max", target.Max})
		case scoring.PctWithin:
			d = append(d, member{"target", target.Target}, member{"min", target.Min})
		case scoring.Outlier:
			d = append(d, member{"max_outlier", target.MaxOutlier})
			d = optional(d, "penalty_weight", target.PenaltyWeight, target.PenaltyWeight == 2)
		case scoring.Boolean:
			d = append(d, member{"threshold", target.Threshold})
			d = optional(d, "invert", target.Invert, !target.Invert)
		}
		if m.From != nil {
			d = append(d, member{"from", drawReduction(t, *m.From)})
		} else {
			d = optional(d, "from", nil, true)
		}
		metrics = append(metrics, rapid.Permutation(d).Draw(t, "metric"))
	}
	d := document{{"scenario", s.Scenario}, {"metrics", metrics}}
	d = optional(d, "title", s.Title, s.Title == "")
	if i := s.Improvement; i != nil {
		inner := optional(nil, "baseline", i.Baseline, i.Baseline == "" || i.Baseline == s.Scenario)
		inner = optional(inner, "max_degradation_base", i.MaxDegradationBase, i.MaxDegradationBase == 0.25)
		d = append(d, member{"improvement", inner})
	} else {
		d = optional(d, "improvement", document{{"baseline", s.Scenario}, {"max_degradation_base", 0.25}}, true)
	}
	if s.Gate != nil {
		d = append(d, member{"gate", drawGate(t, *s.Gate)})
	} else {
		d = optional(d, "gate", drawGate(t, scoring.GateRules{}), true)
	}
	return rapid.Permutation(d).Draw(t, "spec")
}

func value(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

func (d document) yaml(t rapid.TB) []byte {
	data, err := yaml.Marshal(nodeOf(d))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v, Style: yaml.DoubleQuotedStyle}
	case float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v, 'g', -1, 64)}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatBool(v)}
	case []string:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, text := range v {
			n.Content = append(n.Content, nodeOf(text))
		}
		return n
	case []document:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, d := range v {
			n.Content = append(n.Content, nodeOf(d))
		}
		return n
	case document:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, m := range v {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: m.key}, nodeOf(m.value))
		}
		return n
	}
	panic(fmt.Sprintf("no YAML for %T", value))
}

func (d document) json() []byte { return appendJSON(nil, d) }

func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		b, _ = jsontext.AppendQuote(b, v)
		return b
	case float64:
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	case bool:
		return strconv.AppendBool(b, v)
	case []string:
		b = append(b, '[')
		for i, text := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, text)
		}
		return append(b, ']')
	case []document:
		b = append(b, '[')
		for i, d := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, d)
		}
		return append(b, ']')
	case document:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, " ,\n"...)
			}
			b = append(appendJSON(b, m.key), ": "...)
			b = appendJSON(b, m.value)
		}
		return append(b, '}')
	}
	panic(fmt.Sprintf("no JSON for %T", value))
}

// mustParse parses a document that must be accepted.
func mustParse(t rapid.TB, data []byte) scoring.Spec {
	t.Helper()
	s, err := Parse("s", data)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, data)
	}
	return s
}
