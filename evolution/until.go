package evolution

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The measures of a rule to end a loop.
const (
	untilScore    = "score"    // fitness of the active version
	untilAccepted = "accepted" // mutations of the lineage
)

// Until is a rule by which a loop ends, such as score>=95 or accepted=3. The zero Until is none.
type Until struct {
	measure, sign string
	value         float64
}

// ParseUntil reads a rule: score or accepted, a sign, and a number.
func ParseUntil(text string) (u Until, err error) {
	i := strings.IndexAny(text, "<>=")
	if i < 0 {
		i = len(text)
	}
	number := strings.TrimLeft(text[i:], "<>=")
	u.measure, u.sign = strings.TrimSpace(text[:i]), text[i:len(text)-len(number)]
	signs := map[string][]string{untilScore: {">=", ">", "<=", "<"}, untilAccepted: {"=", ">="}}[u.measure]
	u.value, err = strconv.ParseFloat(strings.TrimSpace(number), 64)
	isCount := u.value >= 1 && u.value == math.Trunc(u.value)
	if err != nil || finite(u.value) == nil || !slices.Contains(signs, u.sign) || u.measure == untilAccepted && !isCount {
		return Until{}, fmt.Errorf("%q is not a rule: score>=95 ends when the active version has this fitness (score<=0.1 if less is better), and accepted=3 when 3 mutations are accepted", text)
	}
	return u, nil
}

// String returns the rule as it is written; empty for none.
func (u Until) String() string {
	if u.measure == "" {
		return ""
	}
	return u.measure + u.sign + strconv.FormatFloat(u.value, 'g', -1, 64)
}

// CheckScale returns an error if the rule asks for worse scores of a scale.
func (u Until) CheckScale(s *Scale) error {
	isLess, wantsLess := strings.HasPrefix(u.sign, "<"), s != nil && s.Minimize
	if u.measure != untilScore || isLess == wantsLess {
		return nil
	}
	better, sign := "more", ">="
	if wantsLess {
		better, sign = "less", "<="
	}
	return fmt.Errorf("%s: %s is better in this lineage, so use score%s", u, better, sign)
}

// Reached returns what reached the rule, in words; empty if nothing did. score is nil if it is not known well enough.
func (u Until) Reached(score *float64, accepted int) string {
	switch {
	case u.measure == untilAccepted && float64(accepted) >= u.value:
		return fmt.Sprintf("%s: %d accepted", u, accepted)
	case u.measure == untilScore && score != nil && u.compare(*score):
		return fmt.Sprintf("%s: the active version has %.6g", u, *score)
	}
	return ""
}

func (u Until) compare(score float64) bool {
	switch u.sign {
	case ">=":
		return score >= u.value
	case ">":
		return score > u.value
	case "<=":
		return score <= u.value
	}
	return score < u.value
}
