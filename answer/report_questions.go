package answer

import (
	"slices"

	"track"
	"track/answer/param"
)

// StabilityReportQuestion asks for the report of one configuration.
type StabilityReportQuestion struct {
	Of    Selector
	Spec  int // version; 0 for the newest
	Seeds []track.SeedRange
}

func (q *StabilityReportQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "report on the seeds of this scenario"), specParam(&q.Spec, "judge under this `VERSION` of the spec"), seedsParam(&q.Seeds)}
}

// ScenarioReportQuestion asks for the report of a scenario.
type ScenarioReportQuestion struct {
	Of    Selector
	Spec  int // version; 0 for the newest
	Limit int // the newest so many configurations in the history
}

func (q *ScenarioReportQuestion) Params() param.List {
	q.Limit = 20
	return param.List{
		scenarioParam(&q.Of, "report on this scenario"),
		specParam(&q.Spec, "judge under this `VERSION` of the spec"),
		{Name: "limit", Unit: "N", Help: "show the newest `N` configurations in the history", Value: param.Whole(&q.Limit, 1)},
	}
}

// ParamsReportQuestion asks for the report on the parameters of a scenario, which has all pictures.
type ParamsReportQuestion struct{ ParamsQuestion }

func (q *ParamsReportQuestion) Params() param.List {
	return slices.DeleteFunc(q.ParamsQuestion.Params(), func(p param.Param) bool { return slices.Contains([]string{"plot", "by", "heatmap"}, p.Name) })
}

// LineageReportQuestion asks for the report of a lineage.
type LineageReportQuestion struct{ Lineage string } // empty if there is only one

func (q *LineageReportQuestion) Params() param.List { return param.List{ofLineage(&q.Lineage)} }

// IndexQuestion asks for the index of all reports.
type IndexQuestion struct {
	Limit int // the newest so many configurations of each scenario
}

func (q *IndexQuestion) Params() param.List {
	q.Limit = 20
	return param.List{{Name: "limit", Unit: "N", Help: "report on the newest `N` configurations of each scenario", Value: param.Whole(&q.Limit, 1)}}
}
