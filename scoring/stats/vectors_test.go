package stats

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
)

// vectorCase is one line of testdata/stats_vectors.jsonl.
type vectorCase struct {
	ID     string
	Stat   string
	Kind   string
	Inputs struct {
		X, Y, A, B, D, P numbers
		K, N             int
		Wins, Losses     int
		Dz               float64
	}
	Params struct {
		P, Cut, Confidence, Alpha, Power, Penalty float64
		SuggestedPenalty                          float64 `json:"suggested_penalty"`
		MinSize                                   int     `json:"min_size"`
		ZeroMethod                                string  `json:"zero_method"`
		Variant, Alternative                      string
		Paired                                    bool
	}
	Expected map[string]any
	Tol      struct{ Rel, Abs float64 }
}

// numbers reads the strings "NaN" and "Infinity" of policy cases too.
type numbers []float64

func (n *numbers) UnmarshalJSON(data []byte) error {
	var list []any
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*n = make(numbers, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case float64:
			(*n)[i] = v
		case string:
			(*n)[i] = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1)}[v]
		}
	}
	return nil
}

// results are the numbers of one case, by the names that expected uses. Values are float64, []float64, []bool, []int,
// string or nil for undefined.
type results map[string]any

// implemented holds the statistics of the vectors that this package has.
var implemented = map[string]func(vectorCase) (results, error){
	"mean": func(c vectorCase) (results, error) {
		m, err := NewMean(c.Inputs.X, 0.95)
		return results{"value": m.Mean}, err
	},
	"std_sample": func(c vectorCase) (results, error) {
		s, err := NewSD(c.Inputs.X, 0.95)
		return results{"value": s.SD}, err
	},
	"std_population": func(c vectorCase) (results, error) {
		s, err := PopulationSD(c.Inputs.X)
		return results{"value": s}, err
	},
	"median": func(c vectorCase) (results, error) {
		m, err := Median(c.Inputs.X)
		return results{"value": m}, err
	},
	"quantile": func(c vectorCase) (results, error) {
		q, err := NewQuantile(c.Inputs.X, c.Params.P)
		return results{"value": q.Value}, err
	},
	"trimmed_mean": func(c vectorCase) (results, error) {
		m, err := NewTrimmedMean(c.Inputs.X, c.Params.Cut)
		return results{"value": m.Mean, "trimmed_each_side": float64(m.EachSide)}, err
	},
	"iqm": func(c vectorCase) (results, error) {
		m, err := NewIQM(c.Inputs.X)
		return results{"value": m.Mean}, err
	},
	"t_ci": func(c vectorCase) (results, error) {
		if _, err := TInterval(c.Inputs.X, c.Params.Confidence); err != nil {
			return nil, err
		}
		m, err := NewMean(c.Inputs.X, c.Params.Confidence)
		return results{
			"mean": m.Mean, "lo": m.Interval.Lo, "hi": m.Interval.Hi, "df": float64(m.N - 1), "warning": codes(m.Warnings),
		}, err
	},
	"t_prediction_interval": func(c vectorCase) (results, error) {
		p, err := NewPrediction(c.Inputs.X, c.Params.Confidence)
		return results{"mean": p.Mean, "lo": p.Interval.Lo, "hi": p.Interval.Hi}, err
	},
	"wilson_ci": func(c vectorCase) (results, error) {
		p, err := Wilson(c.Inputs.K, c.Inputs.N, c.Params.Confidence)
		return results{"p": p.Value, "lo": p.Interval.Lo, "hi": p.Interval.Hi}, err
	},
	"clopper_pearson_ci": func(c vectorCase) (results, error) {
		p, err := ClopperPearson(c.Inputs.K, c.Inputs.N, c.Params.Confidence)
		return results{"p": p.Value, "lo": p.Interval.Lo, "hi": p.Interval.Hi}, err
	},
	"paired_t_test": func(c vectorCase) (results, error) {
		t, err := PairedT(c.Inputs.A, c.Inputs.B, c.Params.Confidence)
		return results{
			"t": t.T, "df": t.DF, "mean_diff": t.MeanDiff, "sd_diff": t.sd(), "lo": t.Interval.Lo, "hi": t.Interval.Hi,
			"p_two_sided": t.P.TwoSided, "p_greater": t.P.Greater, "p_less": t.P.Less,
		}, err
	},
	"welch_t_test": func(c vectorCase) (results, error) {
		t, err := WelchT(c.Inputs.A, c.Inputs.B, 0.95)
		return results{"t": t.T, "df": t.DF, "p_two_sided": t.P.TwoSided}, err
	},
	"wilcoxon_signed_rank":      signedRank,
	"wilcoxon_signed_rank_ties": signedRank,
	"mann_whitney": func(c vectorCase) (results, error) {
		m, err := NewMannWhitney(c.Inputs.X, c.Inputs.Y)
		return withP(results{"u": m.U, "p_absdev": m.PAbsDev}, m.P), err
	},
	"cohens_d": func(c vectorCase) (results, error) {
		e, err := NewEffect(c.Inputs.A, c.Inputs.B, EffectVariant(c.Params.Variant))
		return results{"d": e.D}, err
	},
	"hedges_g": func(c vectorCase) (results, error) {
		e, err := NewEffect(c.Inputs.A, c.Inputs.B, EffectVariant(c.Params.Variant))
		return results{"g": e.G, "j": e.J, "df": e.DF}, err
	},
	"prob_improvement": func(c vectorCase) (results, error) {
		if c.Params.Paired {
			p, err := NewProbImprovement(c.Inputs.X, c.Inputs.Y, 0.95)
			return results{"value": p.Value}, err
		}
		p, err := NewProbImprovementUnpaired(c.Inputs.X, c.Inputs.Y)
		return results{"value": p.Value}, err
	},
	"permutation_signflip": func(c vectorCase) (results, error) {
		p, err := SignFlip(c.Inputs.D, 1)
		return withP(results{"statistic": p.Statistic, "n_perm": float64(p.Permutations)}, p.P), err
	},
	"permutation_two_sample": func(c vectorCase) (results, error) {
		p, err := PermuteTwoSample(c.Inputs.X, c.Inputs.Y, 1)
		return withP(results{"statistic": p.Statistic, "n_perm": float64(p.Permutations), "p_absdev": p.PAbsDev}, p.P), err
	},
	"holm": func(c vectorCase) (results, error) {
		a, err := Holm(c.Inputs.P, c.Params.Alpha)
		return results{"adjusted": a.P, "reject": a.Reject}, err
	},
	"benjamini_hochberg": func(c vectorCase) (results, error) {
		a, err := BenjaminiHochberg(c.Inputs.P, c.Params.Alpha)
		return results{"adjusted": a.P, "reject": a.Reject}, err
	},
	"power_paired_t": func(c vectorCase) (results, error) {
		p, err := design(c).Power(c.Inputs.Dz, c.Inputs.N)
		return results{"power": p}, err
	},
	"sample_size_paired_t": func(c vectorCase) (results, error) {
		n, err := design(c).seedsNeeded(c.Inputs.Dz, c.Params.Power)
		return results{"n": float64(n)}, err
	},
	"mde_paired_t": func(c vectorCase) (results, error) {
		dz, err := design(c).DetectableDz(c.Inputs.N, c.Params.Power)
		return results{"dz": dz}, err
	},
	"empirical_bernstein_cs": func(c vectorCase) (results, error) {
		s, err := BernsteinSequence(c.Inputs.X, 1-c.Params.Alpha)
		return results{"lo": s.Lo, "hi": s.Hi}, err
	},
	"betting_cs": func(c vectorCase) (results, error) {
		s, err := BettingSequence(c.Inputs.X, 1-c.Params.Alpha)
		return results{"lo": s.Lo, "hi": s.Hi}, err
	},
	"sign_evalue": func(c vectorCase) (results, error) {
		e, err := signEValue(c.Inputs.Wins, c.Inputs.Losses)
		return results{"e_greater": e.Greater, "e_less": e.Less, "e_two_sided": e.TwoSided}, err
	},
	"symmetric_evalue": func(c vectorCase) (results, error) {
		e, err := SymmetricEValue(c.Inputs.D)
		return results{"e_greater": e.Greater, "e_less": e.Less, "e_two_sided": e.TwoSided}, err
	},
	"edivisive_split": func(c vectorCase) (results, error) {
		s, ok, err := BestSplit(c.Inputs.X, c.Params.MinSize)
		if !ok {
			return results{"tau": nil, "qhat": nil}, err
		}
		return results{"tau": float64(s.Index), "qhat": s.QHat}, err
	},
	"optimal_partition_l2": func(c vectorCase) (results, error) {
		p, err := optimalPartition(c.Inputs.X, c.Params.Penalty, c.Params.MinSize)
		if math.IsNaN(p.Cost) {
			return results{"changepoints": p.ChangePoints, "cost": nil}, err
		}
		return results{"changepoints": p.ChangePoints, "cost": p.Cost}, err
	},
	"change_points_known": func(c vectorCase) (results, error) {
		p, err := optimalPartition(c.Inputs.X, c.Params.SuggestedPenalty, c.Params.MinSize)
		return results{"changepoints": p.ChangePoints}, err
	},
}

// left out: the reference's table uses no bootstrap interval.
var notImplemented = []string{"bootstrap_percentile_ci", "bootstrap_bca_ci"}

// counts are the cases of each statistic that the file must hold, so that none is dropped silently.
var counts = map[string]struct{ numeric, policy int }{
	"mean": {15, 3}, "std_sample": {15, 4}, "std_population": {15, 3}, "median": {15, 3}, "quantile": {15, 4},
	"trimmed_mean": {15, 4}, "iqm": {15, 3}, "t_ci": {15, 5}, "t_prediction_interval": {15, 0},
	"wilson_ci": {15, 3}, "clopper_pearson_ci": {15, 3}, "paired_t_test": {15, 4}, "welch_t_test": {15, 0},
	"wilcoxon_signed_rank": {15, 0}, "wilcoxon_signed_rank_ties": {15, 1}, "mann_whitney": {15, 2},
	"cohens_d": {15, 0}, "hedges_g": {15, 0}, "prob_improvement": {15, 2},
	"permutation_signflip": {15, 0}, "permutation_two_sample": {15, 0}, "holm": {15, 3}, "benjamini_hochberg": {15, 3},
	"power_paired_t": {15, 0}, "sample_size_paired_t": {15, 0}, "mde_paired_t": {14, 0},
	"empirical_bernstein_cs": {15, 2}, "betting_cs": {15, 2}, "sign_evalue": {15, 0}, "symmetric_evalue": {15, 0},
	"edivisive_split": {15, 1}, "optimal_partition_l2": {15, 1}, "change_points_known": {15, 0},
	"bootstrap_percentile_ci": {15, 1}, "bootstrap_bca_ci": {15, 1},
}

func TestVectors(t *testing.T) {
	ran := map[string]struct{ numeric, policy int }{}
	for _, c := range readVectors(t) {
		n := ran[c.Stat]
		switch c.Kind {
		case "numeric":
			n.numeric++
		case "policy":
			n.policy++
		}
		ran[c.Stat] = n
		if slices.Contains(notImplemented, c.Stat) {
			continue
		}
		compute, ok := implemented[c.Stat]
		if !ok {
			t.Errorf("%s: no statistic %s", c.ID, c.Stat)
			continue
		}
		got, err := compute(c)
		for _, problem := range c.compare(got, err) {
			t.Errorf("%s: %s", c.ID, problem)
		}
	}
	if !maps.Equal(ran, counts) {
		t.Errorf("cases by statistic:\n got %v\nwant %v", ran, counts)
	}
	if len(implemented)+len(notImplemented) != len(counts) {
		t.Errorf("%d implemented and %d left out of %d statistics", len(implemented), len(notImplemented), len(counts))
	}
}

// compare lists where got or err is not what the case expects.
func (c vectorCase) compare(got results, err error) []string {
	if name, ok := c.Expected["error"]; ok {
		return c.compareError(name.(string), err)
	}
	if err != nil {
		return []string{fmt.Sprintf("unexpected error: %v", err)}
	}
	var problems []string
	for key, want := range c.Expected {
		value, ok := got[key]
		if key == "position_tolerance" {
			continue // read with changepoints
		}
		if !ok || !c.equal(key, value, want) {
			problems = append(problems, fmt.Sprintf("%s: got %v, want %v", key, value, want))
		}
	}
	return problems
}

var errorNames = map[string]error{
	"empty": ErrEmpty, "nonfinite": errNonFinite, "too_few": ErrTooFew, "bad_param": ErrBadParam,
	"length_mismatch": errLengthMismatch, "zero_variance": ErrZeroVariance, "out_of_range": ErrOutOfRange,
}

func (c vectorCase) compareError(name string, err error) []string {
	if want := errorNames[name]; want == nil || !errors.Is(err, want) {
		return []string{fmt.Sprintf("got error %v, want %s", err, name)}
	}
	if need, ok := c.Expected["need"]; ok {
		var few TooFewError
		if !errors.As(err, &few) || float64(few.Need) != need {
			return []string{fmt.Sprintf("got %#v, want need %v", err, need)}
		}
	}
	return nil
}

// equal compares what JSON made of the expected value with what was computed.
func (c vectorCase) equal(key string, got, want any) bool {
	switch want := want.(type) {
	case nil:
		return got == nil
	case string: // warning
		return slices.Contains(got.([]string), want)
	case float64:
		number, ok := got.(float64)
		return ok && c.close(number, want)
	case []any:
		switch got := got.(type) {
		case []float64:
			return slices.EqualFunc(got, want, func(g float64, w any) bool { return c.close(g, w.(float64)) })
		case []bool:
			return slices.EqualFunc(got, want, func(g bool, w any) bool { return g == w.(bool) })
		case []int:
			slip, _ := c.Expected["position_tolerance"].(float64)
			return slices.EqualFunc(got, want, func(g int, w any) bool { return math.Abs(float64(g)-w.(float64)) <= slip })
		}
	}
	return false
}

func (c vectorCase) close(got, want float64) bool {
	return math.Abs(got-want) <= max(c.Tol.Abs, c.Tol.Rel*math.Abs(want))
}

func signedRank(c vectorCase) (results, error) {
	s, err := WilcoxonSignedRank(c.Inputs.D, Zeros(c.Params.ZeroMethod))
	return withP(results{"w_plus": s.WPlus, "w_minus": s.WMinus, "n_eff": float64(s.NEffective)}, s.P), err
}

func withP(r results, p PValues) results {
	r["p_two_sided"], r["p_greater"], r["p_less"] = p.TwoSided, p.Greater, p.Less
	return r
}

func design(c vectorCase) Design {
	return Design{Alpha: c.Params.Alpha, Alternative: Alternative(c.Params.Alternative)}
}

func codes(warnings []Warning) []string {
	list := make([]string, len(warnings))
	for i, w := range warnings {
		list[i] = string(w)
	}
	return list
}

func readVectors(t *testing.T) []vectorCase {
	t.Helper()
	file, err := os.Open("testdata/stats_vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var cases []vectorCase
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c vectorCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}
