package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"track/scoring"
)

// The fields of a spec file. Each list is in the order in which people read them; spec.schema.json has the same.
var (
	topFields         = []string{"scenario", "title", "metrics", "improvement", "gate"}
	improvementFields = []string{"baseline", "max_degradation_base"}
	gateFields        = []string{
		"min_pass_rate", "confidence", "stable", "max_std", "min_score", "bound", "no_degradation", "values", "guard", "leave_out", "min_seeds", "fail_on",
	}
	commonFields    = []string{"name", "type", "weight", "group", "format", "target_desc", "margin", "from"}
	reductionFields = []string{"series", "skip", "reduce", "nan"} // the reducer may add others
)

// defaultWeight is the weight of a metric that names none.
const defaultWeight = 1.0

// targetType ties a metric type to its fields.
type targetType struct {
	name   scoring.Type
	fields []string
	read   func(*mapping) scoring.Target
}

// targetTypes is a function and not a variable: nothing is built before it is needed.
func targetTypes() []targetType {
	return []targetType{
		{scoring.TypeMeanTolerance, []string{"target", "tolerance", "min", "max"}, func(m *mapping) scoring.Target {
			return scoring.MeanTolerance{
				Target: m.number("target"), Tolerance: m.number("tolerance"), Min: m.bound("min"), Max: m.bound("max"),
			}
		}},
		{scoring.TypeRange, []string{"min", "max"}, func(m *mapping) scoring.Target {
			return scoring.Range{Min: m.number("min"), Max: m.number("max")}
		}},
		{scoring.TypePctWithin, []string{"target", "min"}, func(m *mapping) scoring.Target {
			return scoring.PctWithin{Target: m.number("target"), Min: m.number("min")}
		}},
		{scoring.TypeOutlier, []string{"max_outlier", "penalty_weight"}, func(m *mapping) scoring.Target {
			return scoring.Outlier{
				MaxOutlier:    m.number("max_outlier"),
				PenaltyWeight: m.numberOr("penalty_weight", scoring.DefaultPenaltyWeight),
			}
		}},
		{scoring.TypeBoolean, []string{"threshold", "invert"}, func(m *mapping) scoring.Target {
			return scoring.Boolean{Threshold: m.number("threshold"), Invert: m.flag("invert")}
		}},
	}
}

// setting is one field of a metric with its effective value, as a file would show it.
type setting struct {
	field     string
	value     string
	isText    bool // JSON puts it in quotes
	isDefault bool // a file without the field means the same
}

func textSetting(field, value string) setting {
	return setting{field: field, value: value, isText: true}
}

func textSettingOr(field, value, fallback string) setting {
	return setting{field, value, true, value == fallback}
}

func numberSetting(field string, x float64) setting {
	return setting{field: field, value: formatNumber(x)}
}

func numberSettingOr(field string, x, fallback float64) setting {
	return setting{field: field, value: formatNumber(x), isDefault: x == fallback}
}

// flagSetting is false by default.
func flagSetting(field string, flag bool) setting {
	return setting{field: field, value: strconv.FormatBool(flag), isDefault: !flag}
}

// appendBound leaves an absent bound out.
func appendBound(list []setting, field string, x *float64) []setting {
	if x == nil {
		return list
	}
	return append(list, numberSetting(field, *x))
}

// appendMetric lists the fields of a metric in the order in which people read them: the inverse of reading them. Absent
// bounds are left out, and so is from, which is nested.
func appendMetric(list []setting, m scoring.Metric) []setting {
	list = append(list,
		textSetting("name", m.Name),
		textSetting("type", string(m.Target.Type())),
		numberSettingOr("weight", m.Weight, defaultWeight))
	list = appendTarget(list, m.Target)
	return appendBound(append(list,
		textSettingOr("group", m.Group, ""),
		textSettingOr("format", string(cmp.Or(m.Format, scoring.FormatDefault)), string(scoring.FormatDefault)),
		textSettingOr("target_desc", m.TargetDesc, "")), "margin", m.Margin)
}

// appendReduction lists the fields of a reduction in the order in which people read them. Fields that the reducer does
// not have and absent bounds are left out.
func appendReduction(list []setting, r scoring.Reduction) []setting {
	list = append(list,
		textSetting("series", r.Series),
		numberSettingOr("skip", float64(r.Skip), 0),
		textSetting("reduce", string(r.Reduce)))
	for _, field := range r.Reduce.Fields() {
		switch field {
		case "q":
			list = append(list, numberSetting(field, r.Q))
		case "lag":
			list = append(list, numberSetting(field, float64(r.Lag)))
		case "with":
			list = append(list, textSetting(field, r.With))
		case "drop_outliers":
			list = appendBound(list, field, r.DropOutliers)
		case "min":
			list = appendBound(list, field, r.Min)
		case "max":
			list = appendBound(list, field, r.Max)
		case "strict":
			list = append(list, flagSetting(field, r.Strict))
		case "iqr_factor":
			list = appendBound(list, field, r.IQRFactor)
		}
	}
	return append(list, textSettingOr("nan", string(cmp.Or(r.NaN, scoring.NaNFail)), string(scoring.NaNFail)))
}

func appendTarget(list []setting, target scoring.Target) []setting {
	switch t := target.(type) {
	case scoring.MeanTolerance:
		list = append(list, numberSetting("target", t.Target), numberSetting("tolerance", t.Tolerance))
		list = appendBound(appendBound(list, "min", t.Min), "max", t.Max)
	case scoring.Range:
		list = append(list, numberSetting("min", t.Min), numberSetting("max", t.Max))
	case scoring.PctWithin:
		list = append(list, numberSetting("target", t.Target), numberSetting("min", t.Min))
	case scoring.Outlier:
		list = append(list, numberSetting("max_outlier", t.MaxOutlier),
			numberSettingOr("penalty_weight", t.PenaltyWeight, scoring.DefaultPenaltyWeight))
	case scoring.Boolean:
		list = append(list, numberSetting("threshold", t.Threshold), flagSetting("invert", t.Invert))
	}
	return list
}

// normalImprovement is what the section says, without what it only repeats: nil where it is all default, and no
// baseline where that is the scenario itself.
func normalImprovement(s scoring.Spec) *scoring.Improvement {
	if s.Improvement == nil {
		return nil
	}
	normal := *s.Improvement
	if normal.Baseline == s.Scenario {
		normal.Baseline = ""
	}
	if normal == (scoring.Improvement{MaxDegradationBase: scoring.DefaultMeanDegradationBase}) {
		return nil
	}
	return &normal
}

// normalGate is what the section says, without what it only repeats: nil where it is all default.
func normalGate(g *scoring.GateRules) *scoring.GateRules {
	if g == nil {
		return nil
	}
	normal := *g
	normal.Confidence = cmp.Or(g.Confidence, scoring.DefaultConfidence)
	normal.FailOn = normalFailOn(g.FailOn)
	normalGuard(&normal)
	if !normal.Any() && normal.Guard == nil && normal.LeaveOut == nil && normal.Confidence == scoring.DefaultConfidence && normal.FailOn == nil && normal.Bound == scoring.BoundT {
		return nil
	}
	return &normal
}

// normalFailOn sorts the worst last. FAIL always fails, so it is named only where nothing else does: an empty list
// would be too easily taken for the default, which is nil.
func normalFailOn(list []scoring.Verdict) []scoring.Verdict {
	if list == nil {
		return nil
	}
	var normal []scoring.Verdict
	for _, v := range list {
		if v != scoring.VerdictFail && !slices.Contains(normal, v) {
			normal = append(normal, v)
		}
	}
	slices.SortFunc(normal, func(a, b scoring.Verdict) int {
		return slices.Index(scoring.Verdicts(), a) - slices.Index(scoring.Verdicts(), b)
	})
	switch {
	case len(normal) == 0:
		return []scoring.Verdict{scoring.VerdictFail}
	case slices.Equal(normal, defaultFailOn()):
		return nil
	}
	return normal
}

// defaultFailOn is what a nil FailOn means.
func defaultFailOn() []scoring.Verdict { return []scoring.Verdict{scoring.VerdictInconclusive} }

// verdictsToFailOn are the verdicts that fail_on may name.
func verdictsToFailOn() []scoring.Verdict { return scoring.Verdicts()[1:] }

// verdictNames are the verdicts as files write them.
func verdictNames(list []scoring.Verdict) []string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = strings.ToLower(string(v))
	}
	return names
}

// typesWith lists the types that have a field.
func typesWith(name string) []string {
	var owners []string
	for _, t := range targetTypes() {
		if slices.Contains(t.fields, name) {
			owners = append(owners, string(t.name))
		}
	}
	return owners
}

// reducersWith lists the reducers that have a field.
func reducersWith(name string) []string {
	var owners []string
	for _, r := range scoring.Reducers() {
		if slices.Contains(r.Fields(), name) {
			owners = append(owners, string(r))
		}
	}
	return owners
}

func appendImprovement(list []setting, i scoring.Improvement) []setting {
	return append(list,
		textSettingOr("baseline", i.Baseline, ""),
		numberSettingOr("max_degradation_base", i.MaxDegradationBase, scoring.DefaultMeanDegradationBase))
}

// appendGate lists the fields of a gate in the order in which people read them. Absent bounds are left out, and so is
// fail_on, which is a list.
func appendGate(list []setting, g scoring.GateRules) []setting {
	list = appendBound(list, "min_pass_rate", g.MinPassRate)
	list = append(list,
		numberSettingOr("confidence", g.Confidence, scoring.DefaultConfidence),
		flagSetting("stable", g.Stable))
	list = appendBound(appendBound(list, "max_std", g.MaxStd), "min_score", g.MinScore)
	return append(list,
		textSettingOr("bound", g.Bound.Name(), scoring.NameT),
		flagSetting("no_degradation", g.NoDegradation),
		textSettingOr("values", g.Values.Name(), scoring.ValuesReported.Name()),
		numberSettingOr("min_seeds", float64(g.MinSeeds), 0))
}
