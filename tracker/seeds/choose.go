package seeds

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/store"
)

// Choice is what a selector names.
type Choice struct {
	Scenario       string
	Configurations []store.Configuration // one, unless mixing was allowed; the newest first
	NOthers        int                   // configurations of the scenario that were not chosen
	NRevisions     int                   // other revisions of what was named, if the newest of several was chosen
}

// allConfigurations is the limit of a list that has none.
const allConfigurations = math.MaxInt

// latest names the configuration of the seed that was recorded last.
const latest = "latest"

// Choose finds the configuration that a selector names: by label, by a prefix of the hash or of the commit, by
// parameters as in theta=14,beta=2, or as @latest. If nothing is named, all configurations of the scenario are
// candidates, or those with the parameters of its pinned one. Among candidates that differ in the revision of the code,
// and in labels that change with it, the newest one is meant; so it is if no revision is recorded. If parameters
// differ, or labels at one revision, it returns [track.ErrAmbiguous] with a list of them, unless mixing is allowed:
// then all candidates are meant.
func Choose(ctx context.Context, r *store.Reader, sel answer.Selector, allowMixed bool) (c Choice, err error) {
	_, total, err := r.Configurations(ctx, sel.Scenario, 1)
	if err != nil {
		return c, err
	}
	c.Scenario, c.NOthers = sel.Scenario, total-1
	if sel.Configuration == latest {
		newest, err := r.NewestConfiguration(ctx, sel.Scenario)
		c.Configurations = []store.Configuration{newest}
		return c, err
	}
	candidates, found, err := candidatesOf(ctx, r, sel, allowMixed)
	if err != nil {
		return c, err
	}
	if allowMixed {
		c.Configurations, err = listed(ctx, r, candidates, allConfigurations)
		c.NOthers = total - len(c.Configurations)
		return c, err
	}
	if isAmbiguous(candidates, found) {
		return c, ambiguous(ctx, r, sel, candidates, found)
	}
	c.Configurations, err = listed(ctx, r, candidates, 1)
	c.NRevisions = found.N - 1
	return c, err
}

// isAmbiguous reports whether the newest of the candidates is not simply meant.
func isAmbiguous(c store.Candidates, found store.Choice) bool {
	return !found.SameParams || found.LabelsDiffer || c.Hash != "" && found.N > 1
}

func listed(ctx context.Context, r *store.Reader, candidates store.Candidates, limit int) (list []store.Configuration, err error) {
	found, err := r.ListCandidates(ctx, candidates, false, limit)
	for _, c := range found {
		list = append(list, c.Configuration)
	}
	return list, err
}

// allNamed returns the configurations that a selector with a name means, also those whose seeds are all withdrawn.
func allNamed(ctx context.Context, r *store.Reader, sel answer.Selector) ([]store.Configuration, error) {
	if sel.Configuration == latest {
		choice, err := Choose(ctx, r, sel, true)
		return choice.Configurations, err
	}
	candidates, _, err := namedCandidates(ctx, r, store.Candidates{Scenario: sel.Scenario, AlsoWithdrawn: true}, sel.Configuration)
	if err != nil {
		return nil, err
	}
	return listed(ctx, r, candidates, allConfigurations)
}

// candidatesOf returns the candidates of a selector, and in what they differ.
func candidatesOf(ctx context.Context, r *store.Reader, sel answer.Selector, allowMixed bool) (c store.Candidates, found store.Choice, err error) {
	c.Scenario = sel.Scenario
	if sel.Configuration != "" {
		return namedCandidates(ctx, r, c, sel.Configuration)
	}
	if found, err = r.CompareCandidates(ctx, c); err != nil || allowMixed || found.SameParams && !found.LabelsDiffer {
		return c, found, err
	}
	pin, err := r.Baseline(ctx, sel.Scenario)
	if err != nil || pin == nil {
		return c, found, err
	}
	pinned := c
	pinned.Params = []string{string(pin.Configuration.Params.JSON())}
	like, err := r.CompareCandidates(ctx, pinned)
	if err == nil && like.LabelsDiffer {
		pinned.Label = &pin.Configuration.Label
		like, err = r.CompareCandidates(ctx, pinned)
	}
	if err != nil || like.N == 0 {
		return c, found, err
	}
	return pinned, like, nil
}

// namedCandidates returns those of all candidates that a name means, in the first way in which it means any.
func namedCandidates(ctx context.Context, r *store.Reader, all store.Candidates, name string) (c store.Candidates, found store.Choice, err error) {
	ways := []func(c *store.Candidates){func(c *store.Candidates) { c.Label = &name }}
	if len(name) >= 4 && strings.Trim(name, "0123456789abcdef") == "" {
		ways = append(ways, func(c *store.Candidates) { c.Hash = name }, func(c *store.Candidates) { c.Commit = name })
	}
	for _, narrow := range ways {
		c = all
		narrow(&c)
		if found, err = r.CompareCandidates(ctx, c); err != nil || found.N > 0 {
			return c, found, err
		}
	}
	c = all
	if values := namedParams(name); values != nil {
		if c.Params, err = r.ParamsWith(ctx, c, values); err != nil {
			return c, found, err
		}
		if len(c.Params) > 0 {
			found, err = r.CompareCandidates(ctx, c)
			return c, found, err
		}
	}
	return c, found, noCandidates(ctx, r, all, name)
}

// noCandidates returns the error for a name that means no configuration, or only withdrawn ones.
func noCandidates(ctx context.Context, r *store.Reader, all store.Candidates, name string) error {
	if _, _, err := r.Configurations(ctx, all.Scenario, 1); err != nil {
		return err // of an unknown scenario
	}
	if !all.AlsoWithdrawn {
		all.AlsoWithdrawn = true
		_, found, err := namedCandidates(ctx, r, all, name)
		if err == nil && found.N > 0 {
			of := answer.Selector{Scenario: all.Scenario, Configuration: name}.String()
			err := fmt.Errorf("%s: all seeds are withdrawn: %w", of, track.ErrNotFound)
			return track.WithHint(err, track.NewHint("make them count again", "restore configuration", of).With("reason", "WHY"))
		}
	}
	err := fmt.Errorf("scenario %s has no configuration %q: %w", all.Scenario, name, track.ErrNotFound)
	return track.WithHint(err, track.NewHint("list its configurations, and name one by its label, its hash, its commit or its parameters", "history", all.Scenario))
}

// namedParams reads theta=14,beta=2; nil if the text is something else. A backslash before a comma makes it part of a
// value.
func namedParams(text string) map[string]string {
	const comma = "\x00" // which no argument of a command line holds
	values := map[string]string{}
	for _, part := range strings.Split(strings.ReplaceAll(text, `\,`, comma), ",") {
		part = strings.ReplaceAll(part, comma, ",")
		name, value, given := strings.Cut(part, "=")
		if !given || name == "" {
			return nil
		}
		values[name] = value
	}
	return values
}

// ambiguousShown is how many candidates an error lists.
const ambiguousShown = 20

// ambiguous returns the error for candidates among which the newest is not simply meant.
func ambiguous(ctx context.Context, r *store.Reader, sel answer.Selector, candidates store.Candidates, found store.Choice) error {
	list, err := r.ListCandidates(ctx, candidates, true, ambiguousShown)
	if err != nil {
		return err
	}
	params := make([]track.Params, len(list))
	for i, c := range list {
		params[i] = c.Params
	}
	differing, err := parameterLines(params)
	if err != nil {
		return err
	}
	why := "differ in their parameters"
	switch {
	case !found.SameParams:
	case found.LabelsDiffer:
		why = "have different labels at one revision of the code"
	default:
		why = "differ in their revisions"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d configurations match, and they %s", found.N, why)
	for i, c := range list {
		fmt.Fprintf(&b, "\n  %s@%s  label %s  params %s  n %d  first recorded %s  revision %s", sel.Scenario, track.ShortHash(c.Hash), orDash(c.Label),
			orDash(answer.Shorten(differing[i])), c.NSeeds, c.CreatedAt.UTC().Format(time.DateOnly), orDash(c.Revision.String()))
	}
	if more := found.N - len(list); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	err = fmt.Errorf("%s is %w: %s", sel, track.ErrAmbiguous, b.String())
	return withWaysToName(err, sel, list, differing)
}

// withWaysToName adds to an error how to name one of the candidates.
func withWaysToName(err error, sel answer.Selector, list []store.Candidate, differing []string) error {
	if len(list) == 0 {
		return err
	}
	hint := "name one of them by its hash, such as " + answer.Selector{Scenario: sel.Scenario, Configuration: track.ShortHash(list[0].Hash)}.String()
	if label := list[0].Label; label != "" && !slices.ContainsFunc(list[1:], func(c store.Candidate) bool { return c.Label == label }) {
		hint += ", by its label, such as " + sel.Scenario + "@" + label
	}
	if differing[0] != "" && !strings.ContainsAny(differing[0], `",[{`) {
		hint += ", by its parameters, such as " + sel.Scenario + "@" + strings.ReplaceAll(differing[0], " ", ",")
	}
	err = track.WithHint(err, track.Hint{Text: hint + "; " + sel.Scenario + "@" + latest + " is the one that was recorded last"})
	return track.WithHint(err, answer.PinHint(sel.Scenario))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
