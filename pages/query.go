package pages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"track/answer"
	"track/ask"
	"track/reports/chart"
	"track/reports/escape"
	"track/reports/render"
)

// The parameters of the chart of a query.
const (
	chartX    = "x.chart"
	chartY    = "y.chart"
	chartKind = "kind.chart"
)

// mostBars is how many rows a bar chart shows.
const mostBars = 60

// queryForm asks for a statement, with what it can read next to it.
type queryForm struct {
	Form  form
	Views []SQLView
}

// composeQuery shows the rows of a statement as a table, and as a chart of two of its columns.
func composeQuery(ctx context.Context, b *builder) error {
	b.head("SQL")
	asked := *b.view.Form
	b.view.Form, b.view.Lead = nil, nil
	if err := b.addFragment("statement", "", "sql", queryForm{asked, SQLViews()}); err != nil || !b.asked.Has("sql") {
		return err
	}
	a, isCut, err := b.askFirst(ctx)
	if err != nil {
		return err
	}
	if err := b.addQueryChart(a.Tables()[0]); err != nil {
		return err
	}
	b.show(a)
	if isCut { // the table goes on behind the rows of the answer
		b.last().Table.Open = true
		var q answer.QueryQuestion
		limit, _ := q.Params().Find("limit")
		if most := cmp.Or(b.asked.Get("limit"), limit.Value.String()); most != "0" {
			b.note("At most " + most + " rows are listed; the parameter limit says how many, and 0 lists all.")
		}
	} else if limited, ok := a.(answer.LimitedAnswer); ok && limited.Limited() != nil {
		b.view.Lead = append(b.view.Lead, sentenceOf(*limited.Limited()))
	}
	return nil
}

// askFirst returns the first rows of a statement, if the page shows no others: the reader does not wait for all of
// them. It reports whether there are more than it returns.
func (b *builder) askFirst(ctx context.Context) (a answer.Answer, isCut bool, err error) {
	first := b.request.In.Get(chartX) == "" && b.request.In.Get(chartY) == ""
	for _, name := range []string{"from.rows", "sort.rows", "filter.rows", "where.rows"} {
		first = first && b.request.In.Get(name) == ""
	}
	limit, err := strconv.Atoi(cmp.Or(b.asked.Get("limit"), strconv.Itoa(keptRows+1)))
	if first && err == nil && (limit == 0 || limit > keptRows) {
		in := maps.Clone(b.asked)
		in.Set("limit", strconv.Itoa(keptRows))
		a, err := get(ctx, b, ask.Query(), in)
		if err != nil {
			return nil, false, err
		}
		isCut = a.LimitedTo > 0
		a.LimitedTo = 0
		return a, isCut, nil
	}
	a, err = b.askWhole(ctx, ask.Query().Question())
	return a, false, err
}

// queryChart is the form that chooses the chart of two columns.
type queryChart struct {
	Action           string
	Keep             []field
	Columns, Numbers []string
	X, Y, Kind       string
}

// addQueryChart adds the chart that the address names; its form alone if it names none, and nothing if no column has
// numbers.
func (b *builder) addQueryChart(t answer.Table) error {
	c := queryChart{Action: b.request.Base + b.view.Path, Columns: namesOf(t), X: b.request.In.Get(chartX), Y: b.request.In.Get(chartY), Kind: b.request.In.Get(chartKind)}
	for k, name := range c.Columns {
		if render.IsNumericColumn(t.Rows, k) {
			c.Numbers = append(c.Numbers, name)
		}
	}
	if len(c.Numbers) == 0 {
		return nil
	}
	for name, values := range b.params() {
		if name != chartX && name != chartY && name != chartKind {
			c.Keep = append(c.Keep, field{name, values[0]})
		}
	}
	slices.SortFunc(c.Keep, func(a, b field) int { return strings.Compare(a.Name, b.Name) })
	form, err := fragment("query-chart", c)
	x, y := slices.Index(c.Columns, c.X), slices.Index(c.Columns, c.Y)
	if err != nil || x < 0 || y < 0 || !slices.Contains(c.Numbers, c.Y) {
		b.add(section{ID: "chart", HTML: form})
		return err
	}
	s, title := section{ID: "chart", HTML: form}, escape.Line(c.Y+" by "+c.X)
	numberOrNaN := func(cell any) float64 {
		if v, ok := number(cell); ok {
			return v
		}
		return math.NaN()
	}
	if c.Kind == "line" && slices.Contains(c.Numbers, c.X) {
		line := chart.Line{Title: title, XLabel: escape.Line(c.X), YLabel: escape.Line(c.Y), Series: []chart.Named{{Name: escape.Line(c.Y)}}}
		for _, row := range t.Rows {
			line.X, line.Series[0].Y = append(line.X, numberOrNaN(row[x])), append(line.Series[0].Y, numberOrNaN(row[y]))
		}
		return b.addChart(s, line, nil, "chart", nil, false)
	}
	bars := chart.Bars{Title: title, XLabel: escape.Line(c.Y)}
	for _, row := range t.Rows[:min(len(t.Rows), mostBars)] {
		bars.Rows = append(bars.Rows, chart.Bar{Name: escape.Line(render.PeopleText(row[x])), Text: escape.Line(render.PeopleText(row[y])), Value: numberOrNaN(row[y])})
	}
	if left := len(t.Rows) - mostBars; left > 0 {
		s.Sentences = []sentence{{Class: "note", Text: fmt.Sprintf("The bars show the first rows; %d more are in the table.", left)}}
	}
	return b.addChart(s, bars, nil, "chart", nil, false)
}

// SQLView is a view of the database that queries can read.
type SQLView struct {
	Name    string
	Columns []string
}

// SQLViews returns the views with their columns, as docs/reference/sql.md describes them.
func SQLViews() []SQLView {
	return []SQLView{
		{"v_seed", strings.Fields("scenario seed label configuration commit_id dirty params outcome message spec_version" +
			" status total_score n_pass n_warn n_fail started_at duration_s recorded_at environment id")},
		{"v_assessment", strings.Fields("scenario seed label configuration spec_version newest status total_score n_pass n_warn n_fail assessed_at id")},
		{"v_result", strings.Fields("scenario seed label configuration spec_version newest metric metric_group type weight value status score reason id")},
		{"v_param", strings.Fields("configuration label param value number")},
		{"v_stability", strings.Fields("scenario spec_version label configuration commit_id params n_seeds n_scored" +
			" n_failed n_unassessed pass_rate score score_of_seeds_that_ran std_score min_score max_score combined_score stable")},
		{"v_sweep", strings.Fields("id scenario label configuration params seeds n_planned n_recorded command shard n_shards ending code_changed started_at ended_at withdrawn_at")},
		{"v_run", strings.Fields("scenario seed label configuration outcome attempts exit_code signal duration_s cpu_s rss_bytes sweep id")},
		{"v_artifact", strings.Fields("scenario seed label configuration outcome name n_bytes hash left_out pruned_at id")},
		{"v_execution", strings.Fields("lineage version task task_type complexity trial session status message open rubric score grade n_calls n_failed n_unknown" +
			" corrections holdout model tokens_input tokens_output tokens_cache_read tokens_cache_write tokens_reasoning cost_usd priced started_at duration_s recorded_at source key id")},
		{"v_score", strings.Fields("lineage version task rubric active score grade n_failed n_unknown scored_at id")},
		{"v_call", strings.Fields("execution call tool exit error answered rejected input_bytes output_bytes output_whole_bytes input_digest duration_s request")},
		{"v_request", strings.Fields("lineage version task execution request message_id request_id model tokens_input tokens_output tokens_cache_read tokens_cache_write tokens_reasoning")},
		{"v_version", strings.Fields("lineage version parent operator status note content content_digest source source_score source_parent_score source_created_at created_at")},
		{"v_mutation", strings.Fields("lineage number mutation parents child operator risk state n_attempts delta cost_usd note source proposed_at generation iteration island cell")},
		{"v_decision", strings.Fields("lineage number mutation attempt decision state accepted label policy params overridden old_score new_score" +
			" delta delta_lo delta_hi p_improve n_child n_parent noise_sd false_accept u p head_before head_after decided_at")},
		{"v_ledger", strings.Fields("lineage number kind mutation attempt head_before head_after at body prev hash")},
	}
}
