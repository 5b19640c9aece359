package lineages

import (
	"context"

	"track/answer"
	"track/evolution"
	"track/importer/lines"
	"track/store"
)

// LoadReport returns the report of a lineage from one state of the database, with what it was made of.
func LoadReport(ctx context.Context, st *store.Reader, name string) (r answer.LineageReport, facts Facts, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		if facts, err = LoadFacts(ctx, st, name); err != nil {
			return err
		}
		if err := checkReadable(facts.Replay.Events); err != nil {
			return err
		}
		r = facts.report()
		r.SHA256, err = lines.Sum(facts.Export)
		return err
	})
	return r, facts, err
}

// checkReadable returns the error of the first decision that cannot be read.
func checkReadable(events []evolution.Event) error {
	for _, e := range events {
		if e.Kind == evolution.KindDecision && e.Body == nil {
			return e.Decode(new(evolution.Record))
		}
	}
	return nil
}

func (f Facts) report() answer.LineageReport {
	r := answer.LineageReport{
		Name: f.Lineage.Name, Subject: f.Lineage.Subject, Seed: f.Lineage.Seed.String(), Entries: f.Entries, Replayed: f.Replay.Replayed, End: f.Lineage.End,
		Schema: store.SchemaVersion, Compared: f.Replay.NStrict, Settings: f.Lineage.Settings, Totals: answer.LineageTotals(f.Totals),
	}
	for _, d := range f.Replay.Differences {
		if d.Missing {
			r.Missing = append(r.Missing, d)
		} else {
			r.Differences = append(r.Differences, d)
		}
	}
	for _, v := range f.Versions {
		r.Versions = append(r.Versions, answer.ReportedVersion{
			Label: v.Name, ContentID: v.ContentID, Content: v.Content, Status: v.Status, SourceScore: v.SourceScore, Trials: v.Trials.Trials, Holdout: v.Trials.Held,
		})
	}
	for _, o := range f.Operators {
		r.Operators = append(r.Operators, o.reported())
	}
	return r
}

func (r OperatorReport) reported() answer.ReportedOperator {
	reported := answer.ReportedOperator{
		Name: r.Operator.Name, Risk: r.Operator.Risk, Proposed: r.Proposed, Accepted: r.Accepted, Rejected: r.Rejected, Refused: r.Refused, Withdrawn: r.Withdrawn, Open: r.Open, RolledBack: r.RolledBack,
		Rate: r.AcceptRate, Delta: r.Delta, NCost: r.NCost, CostPerPoint: r.costPerPoint(),
	}
	if r.NCost > 0 {
		reported.CostUSD = &r.CostUSD
	}
	return reported
}
