package scoring

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// jsonNumber reads a JSON number, or one of the strings "NaN", "Infinity" and "-Infinity" that stand for what JSON
// lacks.
type jsonNumber float64

func (n *jsonNumber) UnmarshalJSON(data []byte) error {
	x, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	*n = jsonNumber(x)
	return err
}

// approx lets two numbers differ by 1e-12, absolute or relative, whichever is looser; NaN equals NaN.
var approx = cmp.Options{
	cmp.Comparer(near),
	cmp.Comparer(func(a, b Value) bool { return near(float64(a), float64(b)) }),
	cmp.Comparer(func(a, b jsonNumber) bool { return near(float64(a), float64(b)) }),
}

func near(a, b float64) bool {
	switch {
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0), math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b))
}

func readJSON[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return decode[T](t, data)
}

// readLines reads one JSON object a line.
func readLines[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []T
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		list = append(list, decode[T](t, lines.Bytes()))
	}
	return list
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
	return v
}

// params holds the parameters of a metric of any type; nil is absent.
type params struct {
	Target, Tolerance, Min, Max *jsonNumber
	MaxOutlier                  *jsonNumber `json:"max_outlier"`
	PenaltyWeight               *jsonNumber `json:"penalty_weight"`
	Threshold                   *jsonNumber
	Invert                      bool
}

// target builds the target, or names the required field that is absent: a Go struct cannot lack one, so the reader of
// a file has to notice.
func (p params) target(kind Type) (target Target, missing string) {
	need := func(field string, x *jsonNumber) float64 {
		if x == nil {
			missing = field
			return 0
		}
		return float64(*x)
	}
	switch kind {
	case TypeMeanTolerance:
		target = MeanTolerance{
			Target: need("target", p.Target), Tolerance: need("tolerance", p.Tolerance),
			Min: (*float64)(p.Min), Max: (*float64)(p.Max),
		}
	case TypeRange:
		target = Range{Min: need("min", p.Min), Max: need("max", p.Max)}
	case TypePctWithin:
		target = PctWithin{Target: need("target", p.Target), Min: need("min", p.Min)}
	case TypeOutlier:
		penalty := DefaultPenaltyWeight
		if p.PenaltyWeight != nil {
			penalty = float64(*p.PenaltyWeight)
		}
		target = Outlier{MaxOutlier: need("max_outlier", p.MaxOutlier), PenaltyWeight: penalty}
	case TypeBoolean:
		target = Boolean{Threshold: need("threshold", p.Threshold), Invert: p.Invert}
	default:
		missing = fmt.Sprintf("type %q", kind)
	}
	return target, missing
}

// readSpec reads testdata/bam/metric_spec_<scenario>.json.
func readSpec(t *testing.T, scenario string) Spec {
	t.Helper()
	type metric struct {
		Name       string
		Type       Type
		Weight     jsonNumber
		Params     params
		Group      string
		Format     Format
		TargetDesc string `json:"target_desc"`
	}
	file := readJSON[struct {
		Scenario, Title string
		Metrics         []metric
	}](t, "bam/metric_spec_"+scenario+".json")
	spec := Spec{Scenario: file.Scenario, Title: file.Title}
	for _, m := range file.Metrics {
		target, missing := m.Params.target(m.Type)
		if missing != "" {
			t.Fatalf("%s: metric %s lacks %s", scenario, m.Name, missing)
		}
		spec.Metrics = append(spec.Metrics, Metric{
			Name: m.Name, Weight: float64(m.Weight), Target: target,
			Group: m.Group, Format: m.Format, TargetDesc: m.TargetDesc,
		})
	}
	return spec
}

// stabilityFigures is an aggregate as the data files and the vectors write it.
type stabilityFigures struct {
	NSeeds        int                      `json:"n_seeds"`
	MeanScore     jsonNumber               `json:"mean_score"`
	StdScore      jsonNumber               `json:"std_score"`
	MinScore      jsonNumber               `json:"min_score"`
	MaxScore      jsonNumber               `json:"max_score"`
	PassRate      jsonNumber               `json:"pass_rate"`
	CombinedScore jsonNumber               `json:"combined_score"`
	IsStable      bool                     `json:"is_stable"`
	MetricStats   map[string]metricFigures `json:"metric_stats"`
}

type metricFigures struct {
	MeanValue  jsonNumber `json:"mean_value"`
	StdValue   jsonNumber `json:"std_value"`
	MeanScore  jsonNumber `json:"mean_score"`
	StdScore   jsonNumber `json:"std_score"`
	PassRate   jsonNumber `json:"pass_rate"`
	ReportFlag Flag       `json:"report_flag"` // only in the files
}

func figuresOf(s Stability) stabilityFigures {
	score := s.Totals().Score
	f := stabilityFigures{
		NSeeds:    s.NSeeds,
		MeanScore: jsonNumber(score.Mean), StdScore: jsonNumber(score.Std),
		MinScore: jsonNumber(score.Min), MaxScore: jsonNumber(score.Max),
		PassRate: numberOrNaN(s.PassRate), CombinedScore: numberOrNaN(s.CombinedScore), IsStable: s.Stable,
		MetricStats: map[string]metricFigures{},
	}
	for _, m := range s.Metrics {
		value := m.Totals().Value
		switch { // the origin counts values that are not finite in the mean; those of the vectors are NaN and +Inf
		case m.NNaN > 0:
			value.Mean, value.Std = math.NaN(), math.NaN()
		case m.NInfinite > 0:
			value.Mean, value.Std = math.Inf(1), math.NaN()
		}
		f.MetricStats[m.Name] = metricFigures{
			MeanValue: jsonNumber(value.Mean), StdValue: jsonNumber(value.Std),
			MeanScore: numberOrNaN(m.MeanScore), StdScore: numberOrNaN(m.StdScore),
			PassRate: numberOrNaN(m.PassRate), ReportFlag: m.Flag,
		}
	}
	return f
}

func numberOrNaN(x *float64) jsonNumber {
	if x == nil {
		return nan
	}
	return jsonNumber(*x)
}

// count adds the counts of the results to an assessment that lacks them.
func count(a Assessment) Assessment {
	a.NPass, a.NWarn, a.NFail = 0, 0, 0
	for _, r := range a.Results {
		switch r.Status {
		case Pass:
			a.NPass++
		case Warn:
			a.NWarn++
		case Fail:
			a.NFail++
		}
	}
	return a
}

// reason is the reason that a value, which is not missing, gives a result.
func reason(value float64) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return ReasonNonFinite
	}
	return ""
}
