package evolution

import (
	"fmt"
	"strings"
)

// Text returns a label for people. A band of [Threshold] has the condition that it stands for. The source
// calls a delta above 5 a significant improvement; that name is added only if an interval shows the improvement,
// because the band is no test. Labels in JSON are the codes of the source.
func (l Label) Text(policy string, params []byte, shown bool) string {
	p, err := ParsePolicy(policy, params)
	if err != nil {
		return l.Name()
	}
	bands, ok := p.(Threshold)
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

// Reason says in words why a decision has a label, where the difference alone does not say it; else it is empty.
func (l Label) Reason() string {
	switch l {
	case screenedOut:
		return "clearly worse in the first pairs"
	case futile:
		return "more pairs would hardly show an improvement"
	case noImprovement:
		return "the pairs show no improvement"
	case ChildFailed:
		return "all its trials failed"
	}
	return ""
}
