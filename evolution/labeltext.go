package evolution

import (
	"fmt"
	"strings"
)

// Text returns a label for people. A band of [Bands] or [Threshold] has the condition that it stands for. The source
// calls a delta above 5 a significant improvement; that name is added only if an interval shows the improvement,
// because the band is no test. Labels in JSON are the codes of the source.
func (l Label) Text(policy string, params []byte, shown bool) string {
	p, err := ParsePolicy(policy, params)
	if err != nil {
		return l.Name()
	}
	bands, ok := bandsOf(p)
	if !ok {
		return l.Name()
	}
	switch l {
	case Significant:
		text := fmt.Sprintf("%s (delta > %v)", l.Name(), bands.Significant)
		if shown {
			text += ", in the source " + string(l)
		}
		return text
	case marginal:
		return fmt.Sprintf("%s (delta > %v)", l, bands.Marginal)
	case exploration:
		return fmt.Sprintf("%s (delta > %v)", l, bands.Explore)
	case regression:
		return fmt.Sprintf("%s (delta <= %v)", l, bands.Explore)
	}
	return l.Name()
}

// Name returns what a label is called where no interval stands next to it.
func (l Label) Name() string {
	if l == Significant {
		return "large_improvement"
	}
	return strings.ReplaceAll(string(l), "_", " ")
}

// IsAbove reports whether the interval shows a difference above 0; nil shows none.
func (i *Interval) IsAbove() bool { return i != nil && i.Lo > 0 }
