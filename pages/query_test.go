package pages_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"track/ask"
	"track/internal/outsidetest"
	"track/internal/sample"
	"track/pages"
)

// The page for SQL lists the views and the columns that the database has.
func TestSQLViews(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	for _, view := range pages.SQLViews() {
		a, err := ask.Query().Question().Ask(t.Context(), ask.Source{Store: st}, url.Values{"sql": {"SELECT * FROM " + view.Name + " LIMIT 0"}})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range a.Tables()[0].Columns {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, view.Columns) {
			t.Errorf("%s has the columns %q, the page says %q", view.Name, names, view.Columns)
		}
	}
	page := get(t, serve(t, st)+"/query")
	for _, want := range []string{"v_seed", "total_score", `name="sql"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page without a statement lacks %s", want)
		}
	}
}

// A chart of two columns has an address, as bars and as a line.
func TestQueryChart(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	statement := "/query?sql=" + url.QueryEscape("SELECT status, count(*) AS n FROM v_seed GROUP BY status")
	tab.Open(base + statement + "&kind.chart=bar&x.chart=status&y.chart=n")
	if n := outsidetest.Evaluate[int](tab, `document.querySelectorAll("#chart .track-chart path.fill-1").length`); n == 0 {
		t.Error("no bars are drawn")
	}
	if n := outsidetest.Evaluate[int](tab, `document.querySelectorAll(".files a[download]").length`); n != 1 {
		t.Errorf("%d files of the bars, want an SVG", n)
	}
	for selector, want := range map[string]string{"y.chart": "n", "x.chart": "status"} {
		if got := outsidetest.Evaluate[string](tab, `document.querySelector("form.chart [name='`+selector+`']").value`); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	for _, violation := range tab.Violations() {
		t.Error(violation)
	}
	page := get(t, base+"/query?kind.chart=line&x.chart=a&y.chart=b&sql="+url.QueryEscape("SELECT 1 AS a, 2 AS b UNION SELECT 2, 5"))
	if !strings.Contains(page, "<svg") || !strings.Contains(page, "b by a") || !strings.Contains(page, `href="/query?file.page=chart.svg&amp;kind.chart=line`) {
		t.Error("no line is drawn")
	}
	if page := get(t, base+"/query?sql="+url.QueryEscape("SELECT 'x' AS a")); strings.Contains(page, "form class=\"chart\"") {
		t.Error("texts can be drawn")
	}
	if complaints := tab.Complaints(base); len(complaints) > 0 {
		t.Errorf("complaints: %q", complaints)
	}
}

// The first page of a statement reads the rows that it shows, and says what it does not know yet.
func TestFirstRowsOfQuery(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	numbers := "sql=" + url.QueryEscape("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i, CASE WHEN i > 300 THEN 'x' END AS late FROM n")
	for address, want := range map[string][]string{
		"limit=0&" + numbers:                   {"200 or more rows", `class="more"`, ">late</a>"},
		numbers:                                {"200 or more rows", "At most 10000 rows are listed", ">late</a>"},
		"limit=150&" + numbers:                 {"150 rows", "more rows than the first 150"},
		numbers + "&from.rows=100":             {"from row 101 of 10000 rows", "more rows than the first 10000", ">late</a>"},
		"limit=0&" + numbers + "&sort.rows=-i": {"20000 rows", ">20000<"},
		numbers + "&x.chart=i&y.chart=i":       {"9940 more are in the table"},
		"limit=0&sql=SELECT+1+AS+one":          {"one"},
	} {
		page := get(t, base+"/query?"+address)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the page lacks %s", address, text)
			}
		}
		if strings.Contains(page, "first 200") {
			t.Errorf("%s: a page says how many rows it reads", address)
		}
	}
}
