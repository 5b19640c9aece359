package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track/reports"
	"track/scoring"
	"track/scoring/format"
	"track/spec"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) specCommand() *cli.Command {
	return &cli.Command{
		Name:  "spec",
		Usage: "declare the metrics of a scenario and their targets",
		Subcommands: []*cli.Command{
			p.specAddCommand(), p.specListCommand(), p.specShowCommand(), p.specDiffCommand(), p.specLintCommand(), p.specSchemaCommand(),
		},
	}
}

func (p *program) specAddCommand() *cli.Command {
	return &cli.Command{
		Name:      "add",
		Usage:     "add a spec file; a changed one becomes the next version",
		UsageText: "track spec add FILE|-",
		Description: `Versions never change and are identified by their content: adding the same again does nothing. Seeds that were
recorded before their scenario had a spec are scored now.

Example:
   track spec add growth_plus.yaml`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track spec add takes one FILE, or - for standard input")
			}
			return p.specAdd(c.Context, c.Args().First())
		},
	}
}

func (p *program) specAdd(ctx context.Context, file string) error {
	parsed, err := p.readSpec(file)
	if err != nil {
		return err
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	added, err := seeds.AddSpec(ctx, st, parsed)
	if err != nil {
		return err
	}
	for _, w := range spec.Lint(parsed) {
		p.notice("%s", w)
	}
	line := fmt.Sprintf("added %s version %d (%s), %s", added.Scenario, added.Version, seeds.ShortHash(added.Hash), format.Counted(len(parsed.Metrics), "metric"))
	if !added.Added {
		line = fmt.Sprintf("%s version %d (%s) has this content already; nothing was added", added.Scenario, added.Version, seeds.ShortHash(added.Hash))
	}
	if added.Added && added.Version > 1 {
		line += fmt.Sprintf("\nseeds recorded before keep their scores; track rescore %s scores them under this version", added.Scenario)
	}
	if added.Scored > 0 {
		line += "; scored the " + format.Counted(added.Scored, "seed") + " that waited for it"
	}
	document := struct {
		Scenario string `json:"scenario"`
		Version  int    `json:"version"`
		Hash     string `json:"hash"`
		Added    bool   `json:"added"`
		NMetrics int    `json:"n_metrics"`
		Scored   int    `json:"scored"`
	}{added.Scenario, added.Version, added.Hash, added.Added, len(parsed.Metrics), added.Scored}
	return p.write(view{
		document: document,
		rows: grid{
			columns: []string{"scenario", "version", "hash", "added", "n_metrics", "scored"},
			cells:   [][]any{{added.Scenario, added.Version, added.Hash, added.Added, len(parsed.Metrics), added.Scored}},
		},
		page: []any{line},
	})
}

// readSpec reads and checks a spec file; - is standard input.
func (p *program) readSpec(file string) (scoring.Spec, error) {
	data, err := p.readInput("spec file", file, 64<<20)
	if err != nil {
		return scoring.Spec{}, err
	}
	return spec.Parse(inputName(file), data)
}

func (p *program) specListCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the specs and their versions",
		UsageText: "track spec list [FLAGS]",
		Description: `Example:
   track spec list`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track spec list takes no argument")
			}
			return p.specList(c.Context)
		},
	}
}

func (p *program) specList(ctx context.Context) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	specs, err := st.Specs(ctx)
	if err != nil {
		return err
	}
	type item struct {
		Scenario string `json:"scenario"`
		Version  int    `json:"version"`
		Hash     string `json:"hash"`
		Title    string `json:"title"`
		NMetrics int    `json:"n_metrics"`
		AddedAt  string `json:"added_at"`
	}
	items := []item{}
	v := view{lines: []any{}, rows: grid{columns: []string{"scenario", "version", "hash", "metrics", "title", "added"}}}
	for _, s := range specs {
		decoded, err := spec.Decode(s.Document)
		if err != nil {
			return fmt.Errorf("spec %s@%d: %w", s.Scenario, s.Version, err)
		}
		i := item{s.Scenario, s.Version, s.Hash, s.Title, len(decoded.Metrics), timeText(s.CreatedAt)}
		items = append(items, i)
		v.lines = append(v.lines, i)
		v.rows.cells = append(v.rows.cells, []any{i.Scenario, i.Version, shown{seeds.ShortHash(i.Hash), i.Hash}, i.NMetrics, i.Title, shown{people(s.CreatedAt), i.AddedAt}})
	}
	v.document = items
	v.page = []any{v.rows}
	if len(items) == 0 {
		v.page = []any{"no spec yet: track spec add FILE adds one"}
	}
	return p.write(v)
}

func (p *program) specShowCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show the metrics and targets of a spec",
		UsageText: "track spec show SCENARIO[@VERSION] [FLAGS]",
		Description: `--format jsonl prints the canonical document on one line; its SHA-256, without the line feed, is the hash of the version.

Examples:
   track spec show growth_plus
   track spec show growth_plus@1 --format json`,
		BashComplete: p.completeScenarios,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track spec show takes one SCENARIO[@VERSION]")
			}
			return p.specShow(c.Context, c.Args().First())
		},
	}
}

func (p *program) specShow(ctx context.Context, name string) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	stored, decoded, err := loadSpecByName(ctx, st.Reader, name)
	if err != nil {
		return err
	}
	rows := grid{columns: []string{"metric", "type", "weight", "target", "group"}}
	v := view{document: jsontext.Value(stored.Document)}
	for _, m := range decoded.Metrics {
		rows.cells = append(rows.cells, []any{m.Name, string(m.Target.Type()), shown{fmt.Sprint(m.Weight), m.Weight}, m.Description(), m.Group})
	}
	v.rows = rows
	heading := fmt.Sprintf("%s version %d, %d metrics, added %s\nhash %s", stored.Scenario, stored.Version, len(decoded.Metrics), people(stored.CreatedAt), stored.Hash)
	if decoded.Title != "" {
		heading = decoded.Title + "\n" + heading
	}
	if i := decoded.Improvement; i != nil {
		heading += fmt.Sprintf("\nimprovement over %s, largest degradation %v / weight", cmp.Or(i.Baseline, "the pinned baseline"), i.MaxDegradationBase)
	}
	if decoded.Gate != nil {
		heading += "\ngate: " + reports.RulesText(*decoded.Gate)
	}
	v.page = []any{heading, rows}
	return p.write(v)
}

// loadSpecByName loads SCENARIO or SCENARIO@VERSION.
func loadSpecByName(ctx context.Context, st *store.Reader, name string) (store.Spec, scoring.Spec, error) {
	scenario, versionText, given := strings.Cut(name, "@")
	number := 0
	if given {
		var err error
		if number, err = strconv.Atoi(strings.TrimPrefix(versionText, "v")); err != nil || number < 1 {
			return store.Spec{}, scoring.Spec{}, usage("%q: a version is a number from 1, as in %s@1", name, scenario)
		}
	}
	return seeds.LoadSpec(ctx, st, scenario, number)
}

func (p *program) specDiffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "show what differs between two specs",
		UsageText: "track spec diff A B [FLAGS]",
		Description: `A and B are SCENARIO[@VERSION] or spec files.

Examples:
   track spec diff growth_plus@1 growth_plus@2
   track spec diff growth_plus growth_plus.yaml`,
		BashComplete: p.completeScenarios,
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usage("track spec diff takes two of SCENARIO[@VERSION] or FILE")
			}
			return p.specDiff(c.Context, c.Args().Get(0), c.Args().Get(1))
		},
	}
}

func (p *program) specDiff(ctx context.Context, a, b string) error {
	before, err := p.specOrFile(ctx, a)
	if err != nil {
		return err
	}
	after, err := p.specOrFile(ctx, b)
	if err != nil {
		return err
	}
	type item struct {
		Kind   spec.Kind `json:"kind"`
		Metric string    `json:"metric"`
		Field  string    `json:"field"`
		Old    string    `json:"old"`
		New    string    `json:"new"`
	}
	items := []item{}
	v := view{lines: []any{}, rows: grid{columns: []string{"change", "metric", "field", "old", "new"}}}
	for _, c := range spec.Diff(before, after) {
		i := item{c.Kind, c.Metric, c.Field, c.Old, c.New}
		items = append(items, i)
		v.lines = append(v.lines, i)
		v.rows.cells = append(v.rows.cells, []any{string(c.Kind), c.Metric, c.Field, c.Old, c.New})
	}
	v.document = items
	v.page = []any{v.rows}
	if len(items) == 0 {
		v.page = []any{fmt.Sprintf("%s and %s do not differ", a, b)}
	}
	return p.write(v)
}

// specOrFile reads the file of that name where there is one, and else the spec from the database.
func (p *program) specOrFile(ctx context.Context, name string) (scoring.Spec, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() || name == "-" {
		return p.readSpec(name)
	}
	st, err := p.open(ctx)
	if err != nil {
		return scoring.Spec{}, err
	}
	defer func() { _ = st.Close() }()
	_, decoded, err := loadSpecByName(ctx, st.Reader, name)
	return decoded, err
}

func (p *program) specLintCommand() *cli.Command {
	return &cli.Command{
		Name:      "lint",
		Usage:     "check a spec file without adding it",
		UsageText: "track spec lint FILE|- [FLAGS]",
		Description: `Says what makes the file unusable (exit code 5), or else what works and deserves a look.

Example:
   track spec lint growth_plus.yaml`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track spec lint takes one FILE, or - for standard input")
			}
			return p.specLint(c.Args().First())
		},
	}
}

func (p *program) specLint(file string) error {
	parsed, err := p.readSpec(file)
	if err != nil {
		return err
	}
	type item struct {
		Metric  string `json:"metric"`
		Field   string `json:"field"`
		Message string `json:"message"`
	}
	items := []item{}
	v := view{lines: []any{}, rows: grid{columns: []string{"metric", "field", "message"}}}
	for _, w := range spec.Lint(parsed) {
		i := item{w.Metric, w.Field, w.Message}
		items = append(items, i)
		v.lines = append(v.lines, i)
		v.rows.cells = append(v.rows.cells, []any{w.Metric, w.Field, w.Message})
	}
	v.document = items
	line := fmt.Sprintf("%s: scenario %s, %d metrics, no problems, %d remarks", file, parsed.Scenario, len(parsed.Metrics), len(items))
	v.page = []any{line}
	if len(items) > 0 {
		v.page = append(v.page, v.rows)
	}
	return p.write(v)
}

func (p *program) specSchemaCommand() *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of spec files, for editors",
		UsageText: "track spec schema",
		Description: `Example:
   track spec schema > track-spec.schema.json`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track spec schema takes no argument")
			}
			_, err := p.out.Write(spec.Schema())
			return err
		},
	}
}
