package main

import (
	"context"
	"math"

	"github.com/urfave/cli/v2"

	"track/bundle"
	"track/reports"
	"track/scoring/stats"
	"track/store"
	"track/tracker/lineages"
)

func (p *program) reportLineageCommand() *cli.Command {
	var o reportOptions
	return &cli.Command{
		Name:      "lineage",
		Usage:     "report on a lineage: what is in force and why, every decision, what speaks against it",
		UsageText: "track report lineage LINEAGE [FLAGS]",
		Description: `The version in force with its score, n and interval, the gain over the root, and what the replay came to; alerts; the path to it as a
flowchart; the scores of all candidates; the decisions with their draws; operators; what each step changed; rollbacks; noise; cost;
and the commands that reproduce it. The same database gives the same bytes.

Examples:
   track report lineage sepa -o lineage.md
   track report lineage sepa -o lineage.html
   track report lineage sepa --check lineage.md
   track report lineage sepa --template lineage-note.md.tmpl`,
		BashComplete: p.completeLineages,
		Flags:        o.flags(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track report lineage takes one LINEAGE")
			}
			return p.writeReportOf(c.Context, o, func(st *store.Reader) (d composedReport, err error) {
				name, err := evolving(c.Context, st, c.Args().First())
				if err != nil {
					return d, err
				}
				return lineageReport(c.Context, st, name, o.template != "")
			})
		},
	}
}

// lineageReport makes the report of a lineage; with the answers of its commands, where a template is to be filled.
func lineageReport(ctx context.Context, st *store.Reader, name string, answers bool) (d composedReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		data, facts, err := loadLineageData(ctx, st, name)
		if err != nil {
			return err
		}
		d.kind, d.command = "lineage", data.Command()
		if d.Document, err = reports.Lineage(data); err == nil && answers {
			d.answer, err = newLineageAnswer(ctx, st, facts)
		}
		return err
	})
	return d, err
}

// loadLineageData collects what the report of a lineage tells.
func loadLineageData(ctx context.Context, st *store.Reader, name string) (data reports.LineageData, facts lineages.Facts, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		facts, err = lineages.LoadFacts(ctx, st, name)
		if err != nil {
			return err
		}
		manifest, err := bundle.NewManifest(facts.Export)
		if err != nil {
			return err
		}
		data = lineageData(facts)
		data.SHA256 = manifest.SHA256
		return nil
	})
	return data, facts, err
}

func lineageData(f lineages.Facts) reports.LineageData {
	data := reports.LineageData{
		Name: f.Lineage.Name, Subject: f.Lineage.Subject, Seed: f.Lineage.Seed.String(), Entries: f.Entries, Replayed: f.Replay.Replayed, End: f.Lineage.End, Schema: store.SchemaVersion,
		Compared: f.Replay.NStrict, Settings: f.Lineage.Settings, Totals: reports.LineageTotals(f.Totals),
	}
	for _, d := range f.Replay.Differences {
		if lineages.MissingEvidence(d) {
			data.Missing = append(data.Missing, d)
		} else {
			data.Differences = append(data.Differences, d)
		}
	}
	for _, v := range f.Versions {
		data.Versions = append(data.Versions, reports.LineageVersion{
			Label: v.Name, ContentID: v.ContentID, Content: v.Content, Status: v.Status, SourceScore: v.SourceScore, Trials: v.Trials.Trials,
		})
	}
	for _, o := range f.Operators {
		figures := reports.OperatorFigures{
			Name: o.Operator.Name, Risk: o.Operator.Risk, Tried: o.Tried, Refused: o.Refused, Open: o.Open, Accepted: o.Accepted, Rejected: o.Rejected, Withdrawn: o.Withdrawn,
			RolledBack: o.RolledBack, NCost: o.NCost, CostPerPoint: o.CostPerPoint(),
		}
		if r := o.AcceptRate; r != nil {
			figures.Rate = estimated(r.Value, r.Interval, r.N)
		}
		if m := o.Delta; m != nil {
			figures.Delta = estimated(m.Mean, m.Interval, m.N)
		}
		if o.NCost > 0 {
			figures.CostUSD = &o.CostUSD
		}
		data.Operators = append(data.Operators, figures)
	}
	return data
}

func estimated(value float64, i stats.Interval, n int) *reports.Estimated {
	e := reports.Estimated{Value: value, Lo: math.NaN(), Hi: math.NaN(), N: n}
	if i.Defined() {
		e.Lo, e.Hi = i.Lo, i.Hi
	}
	return &e
}
