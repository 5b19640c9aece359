package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track"
	"track/internal/reportfiles"
	"track/reports"
	"track/scoring/format"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "the versions of a lineage and their contents",
		Subcommands: []*cli.Command{p.versionListCommand(), p.versionShowCommand(), p.versionDiffCommand(), p.versionExportCommand()},
	}
}

type versionDocument struct {
	Version       string                `json:"version"`
	Place         lineages.VersionPlace `json:"place"`
	Best          bool                  `json:"best"`
	Parent        string                `json:"parent"`
	Operator      string                `json:"operator"`
	Fitness       *float64              `json:"fitness"`
	N             int                   `json:"n"` // trials with a score
	NFailed       int                   `json:"n_failed"`
	ContentSHA256 string                `json:"content_sha256"`
	Problem       string                `json:"problem,omitempty"` // why there is no fitness
	Status        string                `json:"status,omitempty"`  // in the words of its source
	SourceScore   *float64              `json:"source_score,omitempty"`
	CreatedAt     string                `json:"created_at"`
}

func newVersionDocument(v lineages.VersionEntry) versionDocument {
	return versionDocument{
		Version: v.Name, Place: v.State, Best: v.Best, Parent: v.Parent, Operator: v.Operator, Fitness: v.Fitness, N: v.N, NFailed: v.NFailed,
		ContentSHA256: v.ContentID, Problem: v.Problem, Status: v.Status, SourceScore: v.SourceScore, CreatedAt: timeText(v.CreatedAt),
	}
}

func versionsGrid() grid {
	return grid{columns: []string{"version", "place", "parent", "operator", "fitness", "n", "failed", "content"}}
}

func (d versionDocument) cells() []any {
	place := string(d.Place)
	if d.Best {
		place += ", best"
	}
	var fitness any
	switch {
	case d.Fitness != nil:
		fitness = shown{format.Fixed(*d.Fitness, 2), *d.Fitness}
	case d.Problem != "":
		fitness = "mixed rubrics"
	}
	return []any{d.Version, place, d.Parent, d.Operator, fitness, d.N, d.NFailed, shown{seeds.ShortHash(d.ContentSHA256), d.ContentSHA256}}
}

func (p *program) versionListCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the versions of a lineage, the newest first",
		UsageText: "track version list LINEAGE",
		Description: `A candidate was never in force. Of those that were, the newest, the best and the one in force are active, and the others archived: none is
ever deleted.

Example:
   track version list sepa --format csv`,
		BashComplete: p.completeLineages,
		Action: func(c *cli.Context) error {
			return p.readLineage(c, func(st *store.Reader, lineage string) error {
				list, err := lineages.Versions(c.Context, st, lineage)
				if err != nil {
					return err
				}
				documents, v := []versionDocument{}, view{lines: []any{}, rows: versionsGrid()}
				for _, entry := range list {
					d := newVersionDocument(entry)
					documents, v.lines = append(documents, d), append(v.lines, d)
					v.rows.cells = append(v.rows.cells, d.cells())
				}
				v.document, v.page = documents, []any{v.rows}
				if len(list) == 0 {
					v.page = []any{"lineage " + lineage + " has no version yet"}
				}
				return p.write(v)
			})
		},
	}
}

// versionArgument reads L@V.
func versionArgument(c *cli.Context, command string) (lineage, version string, err error) {
	if c.NArg() == 0 {
		return "", "", usage("track version %s takes LINEAGE@VERSION", command)
	}
	lineage, name, err := parseLineage(c.Args().First())
	if err != nil {
		return "", "", err
	}
	if name == nil || *name == "" {
		return "", "", usage("track version %s takes LINEAGE@VERSION, as in %s@v002", command, lineage)
	}
	return lineage, *name, nil
}

// versionOf is the name of a version of a lineage, given as VERSION or LINEAGE@VERSION.
func versionOf(lineage, text string) (string, error) {
	of, name, long := strings.Cut(text, "@")
	switch {
	case !long:
		return text, nil
	case of == lineage && name != "":
		return name, nil
	}
	return "", usage("%s is no version of lineage %s: give VERSION, or %s@VERSION", text, lineage, lineage)
}

// knownContent is the content of a version; an error that says why where it is not known.
func knownContent(ctx context.Context, st *store.Reader, lineage, version string) (string, error) {
	content, err := st.Content(ctx, lineage, version)
	if err == nil && content == nil {
		err = track.WithHint(fmt.Errorf("content of %s@%s: %w: nobody recorded it", lineage, version, track.ErrNotFound), track.Hint{Text: "track mutation propose records contents; so does track import where the source has them"})
	}
	if err != nil {
		return "", err
	}
	return *content, nil
}

func (p *program) versionShowCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "a version with its content",
		UsageText: "track version show LINEAGE@VERSION",
		Description: `Example:
   track version show sepa@v002`,
		Action: func(c *cli.Context) error {
			lineage, name, err := versionArgument(c, "show")
			if err != nil {
				return err
			}
			if c.NArg() > 1 {
				return usage("track version show takes one LINEAGE@VERSION")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			return p.showVersion(c.Context, st.Reader, lineage, name)
		},
	}
}

func (p *program) showVersion(ctx context.Context, st *store.Reader, lineage, name string) error {
	entry, err := lineages.LoadVersion(ctx, st, lineage, name)
	if err != nil {
		return err
	}
	content, err := st.Content(ctx, lineage, name)
	if err != nil {
		return err
	}
	d, rows := newVersionDocument(entry), versionsGrid()
	rows.cells = [][]any{d.cells()}
	document := struct {
		Lineage string `json:"lineage"`
		versionDocument
		Content *string `json:"content"`
	}{lineage, d, content}
	text := "its content is not known"
	if content != nil {
		text = *content
	}
	return p.write(view{document: document, rows: rows, page: []any{rows, strings.TrimSuffix(text, "\n")}})
}

func (p *program) versionDiffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "the difference of two versions",
		UsageText: "track version diff LINEAGE@VERSION [VERSION]",
		Description: `Of a version and its parent, or of two versions, the older first.

Examples:
   track version diff sepa@v002
   track version diff sepa@v001 v004`,
		Action: func(c *cli.Context) error {
			lineage, name, err := versionArgument(c, "diff")
			if err != nil {
				return err
			}
			if c.NArg() > 2 {
				return usage("track version diff takes LINEAGE@VERSION, and the name of another version of it")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			if c.NArg() == 2 {
				other, err := versionOf(lineage, c.Args().Get(1))
				if err != nil {
					return err
				}
				return p.writeDiff(c.Context, st.Reader, lineage, name, other)
			}
			v, err := st.VersionState(c.Context, lineage, name)
			if err != nil {
				return err
			}
			return p.writeDiff(c.Context, st.Reader, lineage, v.Parent, name)
		},
	}
}

// writeDiff writes the difference of two versions; of one without a parent, all of it.
func (p *program) writeDiff(ctx context.Context, st *store.Reader, lineage, from, to string) (err error) {
	before, after := "", ""
	if from != "" {
		if before, err = knownContent(ctx, st, lineage, from); err != nil {
			return err
		}
	}
	if after, err = knownContent(ctx, st, lineage, to); err != nil {
		return err
	}
	if l, err := st.Evolving(ctx, lineage); err == nil && l.Subject != lineages.SubjectAgent {
		before, after = membersOnLines(before), membersOnLines(after)
	}
	text, added, removed := reports.Diff(orNone(from), before, to, after)
	document := map[string]any{"lineage": lineage, "from": from, "to": to, "added": added, "removed": removed, "diff": text}
	page := strings.TrimSuffix(text, "\n")
	if text == "" {
		page = fmt.Sprintf("%s and %s are the same", from, to)
	}
	if p.shared.format == "md" {
		_, err := fmt.Fprintf(p.out, "%s\n%s\n%s\n", fence(text)+"diff", page, fence(text))
		return err
	}
	return p.write(view{
		document: document, page: []any{page},
		rows: grid{columns: []string{"lineage", "from", "to", "added", "removed"}, cells: [][]any{{lineage, from, to, added, removed}}},
	})
}

// membersOnLines puts each parameter of a simulation on a line of its own, by name.
func membersOnLines(object string) string {
	v := jsontext.Value(object)
	if object == "" || v.Canonicalize() != nil || v.Indent(jsontext.WithIndent("  ")) != nil {
		return object
	}
	return string(v) + "\n"
}

// fence is a fence that no line of a text closes.
func fence(text string) string {
	f := "```"
	for strings.Contains(text, f) {
		f += "`"
	}
	return f
}

func (p *program) versionExportCommand() *cli.Command {
	var file string
	return &cli.Command{
		Name:      "export",
		Usage:     "write the content of a version, to the byte",
		UsageText: "track version export LINEAGE@VERSION [-o FILE]",
		Description: `Examples:
   track version export sepa@v002 > prompt.md
   track version export sepa@$(track lineage head sepa) -o prompt.md`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write, - for standard output", Value: "-", Destination: &file}},
		Action: func(c *cli.Context) error {
			lineage, name, err := versionArgument(c, "export")
			if err != nil {
				return err
			}
			if c.NArg() > 1 {
				return usage("track version export takes one LINEAGE@VERSION")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			content, err := knownContent(c.Context, st.Reader, lineage, name)
			if err != nil {
				return err
			}
			if err := p.writeFile(file, []byte(content)); err != nil {
				return fmt.Errorf("--output %s: %w", file, notFound(err))
			}
			return nil
		},
	}
}

// writeFile writes a whole file, which stands there complete or not at all; - is standard output.
func (p *program) writeFile(file string, data []byte) error {
	if file == "-" {
		_, err := io.Copy(p.out, bytes.NewReader(data))
		return err
	}
	return reportfiles.Replace([]reportfiles.File{{Path: file, Data: data}})
}
