package pages

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/shell"
	"track/reports/escape"
	"track/scoring/format"
)

// sayWhyEmpty makes the page of a tab that has nothing to show. The page says what is missing and which command makes
// it, and keeps the tabs. If nothing is recorded of what the address names, it returns the cause.
func (b *builder) sayWhyEmpty(ctx context.Context, cause error) error {
	if !isAbsent(cause) && !errors.Is(cause, track.ErrAmbiguous) {
		return cause
	}
	name := b.page.question.Name
	switch {
	case slices.ContainsFunc(scenarioTabs, func(t tab) bool { return t.question == name }) && b.asksOnly("scenario", "label", "by", "allow-mixed"):
		return b.explainScenario(ctx, cause)
	case slices.ContainsFunc(lineageTabList, func(t tab) bool { return t.question == name }) && b.asksOnly("lineage"):
		return b.explainLineage(ctx, cause)
	}
	return cause
}

// asksOnly reports whether the first parameter is given once, and no others than these are given.
func (b *builder) asksOnly(names ...string) bool {
	for name := range b.asked {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return len(b.asked[names[0]]) == 1
}

// explainScenario says why a page about a scenario or a configuration is empty.
func (b *builder) explainScenario(ctx context.Context, cause error) error {
	selector, err := answer.ParseSelector(b.asked.Get("scenario"))
	if err != nil {
		return cause
	}
	of := url.Values{"scenario": {b.asked.Get("scenario")}}
	seeds, seedsErr := get(ctx, b, ask.Seeds(), of)
	hasSeeds := seedsErr == nil && len(seeds.Items) > 0
	ofSpec := url.Values{"scenario": {selector.Scenario}}
	spec, specErr := get(ctx, b, ask.Spec(), ofSpec)
	if !hasSeeds && (specErr != nil || selector.Configuration != "") {
		return cause
	}
	b.sayMissing(cause)
	b.scenarioTrail(selector)
	b.tabs(selector.String(), strings.TrimSuffix(b.page.question.Name+" "+b.request.In.Get(partName), " "))
	switch {
	case errors.Is(cause, track.ErrAmbiguous) && b.page.question.Name != "params":
		return b.addChoices(ctx, selector.Scenario)
	case b.page.question.Name == "history" && hasSeeds:
		b.show(seeds)
		b.view.Downloads = b.downloadsOf("Seeds", ask.Seeds().Question(), of)
	case b.page.question.Name == "history":
		for _, t := range spec.Tables() {
			b.addTable(t)
		}
		b.view.Downloads = b.downloadsOf("Spec", ask.Spec().Question(), ofSpec)
	}
	return nil
}

// choiceOf is a configuration that a page can be about.
type choiceOf struct {
	Link                   link
	Hash, Differing, Seeds string
}

// addChoices offers the configurations of a scenario, each as this page about it alone.
func (b *builder) addChoices(ctx context.Context, scenario string) error {
	a, err := get(ctx, b, ask.History(), url.Values{"scenario": {scenario}})
	if err != nil {
		return nil //nolint:nilerr // the sentences name them
	}
	var list []choiceOf
	for _, e := range slices.Backward(a.Entries) {
		hash := track.ShortHash(e.Configuration.Hash)
		to := link{Text: escape.Line(configurationName(e.Configuration)), Href: b.here("scenario", answer.Selector{Scenario: scenario, Configuration: hash}.String())}
		list = append(list, choiceOf{to, hash, escape.Line(e.Differing), format.Counted(e.NSeeds, "seed")})
	}
	return b.addFragment("configurations", "Configurations", "configurations", list)
}

// explainLineage says why a page about a lineage is empty. In the place of its state stand its newest executions.
func (b *builder) explainLineage(ctx context.Context, cause error) error {
	name := b.asked.Get("lineage")
	executions, err := get(ctx, b, ask.Executions(), url.Values{"lineage": {name}, "limit": {"20"}})
	if err != nil || len(executions.Items) == 0 {
		return cause
	}
	b.sayMissing(cause)
	b.head(name)
	b.lineageTabs(name, b.page.question.Name)
	if b.page.question.Name == "lineage show" {
		t := executions.Tables()[0]
		t.Notes = nil
		b.titled(t, "Newest executions")
		b.view.Downloads = b.downloadsOf("Executions", ask.Executions().Question(), url.Values{"lineage": {name}})
	}
	return nil
}

// sayMissing begins the page anew with what a problem says. The rest of a list of candidates stands below as links.
func (b *builder) sayMissing(cause error) {
	problem := answer.ProblemOf(cause)
	text, _, _ := strings.Cut(problem.Message, "\n")
	b.view.Sections, b.view.Facts, b.view.Downloads, b.view.Command = nil, nil, nil, ""
	b.view.Lead = []sentence{{Class: "verdict", Text: escape.Line(text)}}
	for _, h := range problem.Hints {
		b.view.Lead = append(b.view.Lead, hintSentence(b.request.Base, h))
	}
}

// teachList shows the commands that would fill a list without rows, with the names of what is recorded.
func (b *builder) teachList(ctx context.Context) {
	name := b.page.question.Name
	if name != "sweep list" && name != "executions" {
		return
	}
	for name := range b.asked {
		if name != "limit" && name != "lineage" { // what is asked for may exist elsewhere
			return
		}
	}
	for _, s := range b.view.Sections {
		if s.Table != nil && s.Table.N > 0 {
			return
		}
	}
	b.add(section{ID: "begin", Title: "To begin", Commands: listCommands(name, b.nameOfScenario(ctx), b.asked.Get("lineage"))})
}

// listCommands returns what fills lists: commands for a scenario and a lineage, which may have no names yet.
func listCommands(question, scenario, lineage string) []string {
	switch question {
	case "sweep list":
		return []string{"track sweep --scenario " + scenario + " --seeds 0..9 -- python simulate.py --seed {seed}", "track sweep list"}
	case "executions":
		version := "v001"
		if of, err := answer.ParseLineageSelector(lineage); err == nil && lineage != "" {
			if lineage = of.Lineage; of.Version != nil {
				version = *of.Version
			}
		}
		of := shell.Word(cmp.Or(lineage, "sepa"))
		return []string{
			"track record execution --lineage " + of + " --version " + shell.Word(version) + " --events executions.jsonl",
			"track import claude-code ~/.claude/projects --lineage " + of, "track executions " + of,
		}
	}
	return nil
}

// nameOfScenario returns the name of a scenario as a word of a command: the first one that is recorded.
func (b *builder) nameOfScenario(ctx context.Context) string {
	a, err := get(ctx, b, ask.Scenarios(), url.Values{"limit": {"1"}})
	if err != nil || len(a.Items) == 0 {
		return "growth_plus"
	}
	return shell.Word(a.Items[0].Scenario)
}
