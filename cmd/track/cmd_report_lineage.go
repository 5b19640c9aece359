package main

import (
	"context"
	"math"

	"track/bundle"
	"track/reports"
	"track/reports/document"
	"track/scoring/stats"
	"track/store"
	"track/tracker"
)

// lineageReport makes the report of a lineage.
func lineageReport(ctx context.Context, st *store.Store, name string) (d document.Document, err error) {
	err = st.Snapshot(ctx, func(st *store.Store) error {
		facts, err := tracker.LoadLineageFacts(ctx, st, name)
		if err != nil {
			return err
		}
		x, err := tracker.ExportLineage(ctx, st, name)
		if err != nil {
			return err
		}
		manifest, err := bundle.NewManifest(x)
		if err != nil {
			return err
		}
		data := lineageData(facts)
		data.SHA256 = manifest.SHA256
		d, err = reports.Lineage(data)
		return err
	})
	return d, err
}

func lineageData(f tracker.LineageFacts) reports.LineageData {
	data := reports.LineageData{
		Name: f.Lineage.Name, Subject: f.Lineage.Subject, Seed: f.Lineage.Seed.String(), Entries: f.Entries, End: f.Lineage.End, Schema: store.SchemaVersion,
		Differences: f.Replay.Differences, Settings: f.Lineage.Settings, Totals: reports.LineageTotals(f.Totals),
	}
	for _, v := range f.Versions {
		data.Versions = append(data.Versions, reports.LineageVersion{
			Label: v.Name, ContentID: v.ContentID, Content: v.Content, Status: v.Status, SourceScore: v.SourceScore, Fitness: v.Fitness, Trials: v.Trials.Trials,
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
