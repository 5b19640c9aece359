// Package seeds records the seeds of scenarios, judges them by specs, and answers what they show: whether a
// configuration is stable, how it compares with others, and whether it passes a gate.
package seeds

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
	"track/store"
)

// StabilityOptions narrow a stability aggregate.
type StabilityOptions struct {
	SpecVersion int // 0 for the newest
	Seeds       []track.SeedRange
	AllowMixed  bool
}

// StabilityReport is the stability of a configuration, with what it was computed from.
type StabilityReport struct {
	scoring.Stability
	Choice
	Stored             store.Spec
	Spec               scoring.Spec
	NEnvironments      int
	EnvironmentsDiffer []string // in these, by name
	Failing            []track.FailingSeed
	verdict.Judgement  // whether the seeds show that the configuration is stable
}

// Stability aggregates the stored results of the seeds that a selector names. It returns an error if seeds that ran
// well were never judged under the spec: leaving them out, or counting them as failed, would both be wrong.
func Stability(ctx context.Context, st *store.Reader, sel answer.Selector, options StabilityOptions) (report StabilityReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		report, err = stability(ctx, st, sel, options)
		return err
	})
	return report, err
}

func stability(ctx context.Context, st *store.Reader, sel answer.Selector, options StabilityOptions) (report StabilityReport, err error) {
	if report.Choice, err = Choose(ctx, st, sel, options.AllowMixed); err != nil {
		return report, err
	}
	if report.Stored, report.Spec, err = LoadSpec(ctx, st, sel.Scenario, options.SpecVersion); err != nil {
		return report, err
	}
	selection := store.Selection{Scenario: sel.Scenario, SpecID: report.Stored.ID, Seeds: options.Seeds}
	for _, c := range report.Configurations {
		selection.Configurations = append(selection.Configurations, c.ID)
	}
	totals, err := st.SeedTotals(ctx, selection)
	if err != nil {
		return report, err
	}
	if err := checkAssessed(sel.Scenario, report.Stored.Version, totals); err != nil {
		return report, err
	}
	metrics, err := st.MetricTotals(ctx, selection)
	if err != nil {
		return report, err
	}
	report.Stability = scoring.NewStability(report.Spec, totals.SeedTotals, metrics)
	report.NEnvironments = totals.NEnvironments
	if report.EnvironmentsDiffer, err = environmentsDiffer(ctx, st, selection, totals.NEnvironments); err != nil {
		return report, err
	}
	coverage, err := coverageOf(ctx, st, selection)
	if err != nil {
		return report, err
	}
	report.Judgement = verdict.Judge(report.Stability, coverage, scoring.DefaultConfidence)
	report.Failing, err = st.FailingSeeds(ctx, selection)
	return report, err
}

// environmentsDiffer returns the names of what differs between the n environments of a selection.
func environmentsDiffer(ctx context.Context, st *store.Reader, sel store.Selection, n int) ([]string, error) {
	if n < 2 {
		return nil, nil
	}
	uses, err := st.Environments(ctx, sel)
	if err != nil {
		return nil, err
	}
	differ := map[string]bool{}
	for _, one := range uses {
		for name, value := range one.Environment {
			for _, other := range uses {
				if found, known := other.Environment[name]; !known || found != value {
					differ[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(differ)), nil
}

func checkAssessed(scenario string, version int, totals store.Totals) error {
	switch {
	case totals.NSeeds == 0:
		return track.WithHint(fmt.Errorf("no seeds in this selection: %w", track.ErrNotFound), track.NewHint("list the recorded seeds", "seeds", scenario))
	case totals.NUnassessed > 0:
		err := fmt.Errorf("%w: %s %s never scored under %s@%d", track.ErrInvalid,
			format.CountedOf(totals.NUnassessed, totals.NSeeds, "seed"), format.Verb(totals.NUnassessed, "was", "were"), scenario, version)
		err = track.WithHint(err, track.NewHint("score them", "rescore", scenario).With("spec", strconv.Itoa(version)))
		if version == 1 {
			return err
		}
		return track.WithHint(err, track.NewHint("or judge by a version that they were scored under, such as", "stability", scenario).With("spec", strconv.Itoa(version-1)))
	}
	return nil
}

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

// ListSeeds lists recorded seeds, the newest first.
func ListSeeds(ctx context.Context, r *store.Reader, q answer.SeedsQuestion) (a answer.Seeds, err error) {
	limit := q.Page.PageLimit()
	filter := store.SeedFilter{
		Scenario: q.Of.Scenario, Label: q.Label, Outcome: q.Outcome, Status: q.Status, MinScore: q.MinScore, MaxScore: q.MaxScore,
		Since: q.Since.From(r.Now()), Withdrawn: q.Withdrawn, After: q.Page.After, Limit: limit + 1, // one more says whether there is another page
	}
	if q.Page.After != "" { // an unknown position must not look like the end of the list
		known, err := r.HasSeed(ctx, q.Page.After)
		if err != nil {
			return a, err
		}
		if !known {
			return a, q.Page.UnknownCursor()
		}
	}
	if q.Of.Configuration != "" {
		found, err := allNamed(ctx, r, q.Of)
		if err != nil {
			return a, err
		}
		for _, c := range found {
			filter.Configurations = append(filter.Configurations, c.ID)
		}
	}
	seeds, err := r.Seeds(ctx, filter)
	if err != nil {
		return a, err
	}
	if len(seeds) == 0 && !q.Withdrawn && filter.Scenario != "" && filter.After == "" {
		if _, err := r.NewestConfiguration(ctx, filter.Scenario); err != nil {
			return a, err
		}
	}
	a.Items = seeds[:min(limit, len(seeds))]
	if len(seeds) > limit {
		a.Next = seeds[limit-1].ID
	}
	a.Annotated, err = annotatedOf(ctx, r, a.Items)
	return a, err
}

// annotatedOf returns the configurations of seeds that have tags or notes, in the order of the seeds.
func annotatedOf(ctx context.Context, r *store.Reader, list []track.RecordedSeed) (found []answer.AnnotatedConfiguration, err error) {
	of := map[string]map[string]answer.Annotations{} // by scenario and hash
	for _, seed := range list {
		known, has := of[seed.Scenario]
		if !has {
			if known, err = annotationsByHash(ctx, r, seed.Scenario); err != nil {
				return nil, err
			}
			of[seed.Scenario] = known
		}
		hash := seed.Configuration.Hash
		if annotations, has := known[hash]; has {
			found = append(found, answer.AnnotatedConfiguration{Scenario: seed.Scenario, Configuration: hash, Annotations: annotations})
			delete(known, hash)
		}
	}
	return found, nil
}
