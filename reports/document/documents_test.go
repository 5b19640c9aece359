package document_test

import (
	"fmt"

	"track/reports/chart"
	"track/reports/document"
)

// hostile is what names and notes may hold.
const hostile = "<script>alert(1)</script> \"] & | `` ` \n\r\t\u202e\u200f\u2028\x00\xff ]]> --> [x](http://y) ![i](z) **b** _i_ ~~s~~ $$e$$ # h\\ " +
	"https://example.org/a www.example.org a@example.org @somebody #123 GH-7 org/repo#8 :tada: #quot; ﬂ°°60¶ß %%{init:{}}%% <!-- <br> </details> fa:fa-car"

// documents are those that golden files show.
func documents() map[string]document.Document {
	return map[string]document.Document{"rich": rich(), "hostile": hostileDocument(hostile), "empty": {Title: "Nothing"}}
}

func mono(s string) document.Span   { return document.Span{Text: s, Style: document.Monospace} }
func strong(s string) document.Span { return document.Span{Text: s, Style: document.Strong} }
func faint(s string) document.Span  { return document.Span{Text: s, Style: document.Faint} }
func plain(s string) document.Span  { return document.Span{Text: s} }

// rich is a report like those of lineages.
func rich() document.Document {
	return document.Document{Title: "Lineage tax-agent", Blocks: []document.Block{
		document.Paragraph{Text: document.Text{strong("v41"), plain(" is active, with a score of "), strong("0.871"), plain(" (95% interval 0.862 to 0.880, n = 40), "),
			strong("+0.213"), plain(" over the root. All decisions were verified: 41/41.")}},
		document.Paragraph{Text: document.Text{faint("Candidates: 60. Policy: holm at 0.05. Spent: $12.30 of $40.00.")}},
		document.Heading{Level: 2, Text: "Alerts"},
		document.Note{Kind: document.NoteWarning, Blocks: []document.Block{
			document.Paragraph{Text: document.Text{plain("Identical content, different scores: "), mono("v12"), plain(" and "), mono("v31"), plain(".")}},
			document.List{Items: []document.Text{document.T("v12: 0.742 (n = 10)"), document.T("v31: 0.801 (n = 10)")}},
		}},
		document.Note{Kind: document.NoteInfo, Blocks: []document.Block{document.Paragraph{Text: document.T("3 candidates were accepted inside the noise floor.")}}},
		document.Note{Kind: document.NoteImportant, Blocks: []document.Block{document.Paragraph{Text: document.T("The policy was overridden once, for v23.")}}},
		document.Note{Kind: document.NoteCaution, Blocks: []document.Block{document.Paragraph{Text: document.T("v38 has a failed status that others call best.")}}},
		document.Heading{Level: 2, Text: "Best path"},
		ledger(3),
		document.Heading{Level: 2, Text: "Scores"},
		document.Picture{Name: "scores", Alt: "Scores of 60 candidates; the best rises from 0.658 to 0.871.", Chart: lineage()},
		document.Picture{Name: "metrics", Alt: "Status of 3 metrics in 12 seeds.", Chart: heat()},
		document.Heading{Level: 2, Text: "Decisions"},
		ledger(24),
		document.Details{Summary: document.Text{plain("The "), strong("36"), plain(" others")}, Blocks: []document.Block{ledger(36)}},
		document.Heading{Level: 2, Text: "Changes"},
		document.Details{Summary: document.Text{mono("prompts/system.md"), plain(" v3 → v7: "), strong("+3"), plain(" −2")}, Blocks: []document.Block{
			document.Paragraph{Text: document.T("What the operator says: shorter, and with examples.")},
			document.Code{Language: "diff", Text: diff},
		}},
		document.Heading{Level: 2, Text: "Noise"},
		document.List{Ordered: true, Items: []document.Text{document.T("Standard deviation within a version: 0.021 (n = 400)."), document.T("Detectable difference: 0.013."), {plain("See "), {Text: "stability", Href: "stability_growth.md#per-group"}, plain(".")}}},
		document.Heading{Level: 2, Text: "How to reproduce"},
		document.Code{Language: "sh", Text: "track report lineage tax-agent -o lineage.html\ntrack evolve replay tax-agent --seed 7\n"},
		document.Details{Summary: document.T("Versions of everything"), Blocks: []document.Block{
			document.Note{Kind: document.NoteInfo, Blocks: []document.Block{document.Paragraph{Text: document.T("Schema 14, database b0e1…9c.")}, document.Picture{Name: "noise", Alt: "Scores over 10 seeds.", Chart: scores()}}},
		}},
	}}
}

const diff = `diff --git a/prompts/system.md b/prompts/system.md
--- a/prompts/system.md
+++ b/prompts/system.md
@@ -1,5 +1,6 @@
 You are an economist.
-Answer at length.
--- list sources
+Answer in three sentences.
+++ with examples
+	Use <b>tables</b> where numbers are compared, and never more than one hundred and twenty characters in a line of them.
 Say what you do not know.
`

func lineage() chart.Lineage {
	l := chart.Lineage{Title: "Scores of candidates", XLabel: "candidate", YLabel: "score (0 to 1)", Interval: "95% t interval", Rollbacks: []chart.Rollback{{After: 28, To: 7}}}
	for i := range 60 {
		mean := 0.66 + 0.0035*float64(i) - 0.01*float64(i*7%11)
		c := chart.Candidate{Number: i + 1, Decision: chart.Rejected, Estimate: chart.Estimate{N: 40, Mean: mean, Lo: mean - 0.02, Hi: mean + 0.02}}
		if i%7 == 0 {
			c.Decision = chart.Accepted
		}
		c.Head = i == 49
		l.Candidates = append(l.Candidates, c)
	}
	return l
}

func heat() chart.HeatMap {
	h := chart.HeatMap{Title: "Metrics by seed", XLabel: "seed"}
	for i := range 12 {
		h.Seeds = append(h.Seeds, chart.HeatColumn{Label: fmt.Sprint(i), Failed: i == 8})
	}
	for k, name := range []string{"inflation", "output gap", "wages"} {
		row := chart.HeatRow{Name: name}
		for i := range 12 {
			row.Cells = append(row.Cells, []chart.Status{chart.Pass, chart.Pass, chart.Warn, chart.Pass, chart.Fail}[(i*(k+2))%5])
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

func scores() chart.Distribution {
	return chart.Distribution{Title: "Scores over seeds", XLabel: "score (0 to 1)", Values: []float64{0.86, 0.84, 0.85, 0.86, 0.85, 0.86, 0.84, 0.86, 0.86, 0.86}, Hi: 1}
}

func ledger(n int) document.Table {
	t := document.Table{Columns: []document.Column{
		{Title: "#", Numeric: true}, {Title: "child"}, {Title: "parents"}, {Title: "operator"}, {Title: "n", Numeric: true}, {Title: "Δ", Numeric: true}, {Title: "interval"},
		{Title: "P(improvement)", Numeric: true}, {Title: "label"}, {Title: "u against p"}, {Title: "verdict"}, {Title: "replay"},
	}}
	for i := range n {
		verdict := document.Text{plain("❌ rejected")}
		if i%7 == 0 {
			verdict = document.Text{plain("✅ "), strong("accepted")}
		}
		t.Rows = append(t.Rows, []document.Text{
			document.T(fmt.Sprint(i + 1)), {mono(fmt.Sprintf("v%d", i+2))}, {mono(fmt.Sprintf("v%d", i/2+1))}, document.T("rewrite | shorten"), document.T("40"),
			document.T(fmt.Sprintf("%+.3f", float64(i%9-4)/100)), document.T("−0.012 to 0.034"), document.T("0.81"), {faint("inside the noise floor")}, document.T("0.31 < 0.5"), verdict, document.T("✓"),
		})
	}
	return t
}

// hostileDocument has every block, with the text wherever one may stand.
func hostileDocument(text string) document.Document {
	all := document.Text{plain(text), mono(text), strong(text), faint(text), {Text: text, Href: text}, {Text: text, Style: document.Monospace, Href: "#" + text}}
	return document.Document{Title: text, Blocks: []document.Block{
		document.Heading{Level: 2, Text: text}, document.Heading{Level: 2, Text: text}, document.Paragraph{Text: all},
		document.List{Items: []document.Text{all, {mono(text)}}}, document.List{Items: []document.Text{{strong(text)}}}, document.List{Ordered: true, Items: []document.Text{{plain(text)}}},
		document.Table{Columns: []document.Column{{Title: text}, {Title: text, Numeric: true}}, Rows: [][]document.Text{{all, {mono(text), mono("x")}}, {nil, {plain(text)}}}},
		document.Code{Language: text, Text: text}, document.Code{Language: "diff", Text: "+" + text + "\n-" + text},
		document.Picture{Name: "one", Alt: text, Chart: chart.Line{Title: text, Series: []chart.Named{{Name: text, Y: []float64{1, 2}}}}},
		document.Details{Summary: all, Blocks: []document.Block{document.Heading{Level: 3, Text: text}, document.Paragraph{Text: all}, document.Code{Text: text},
			document.Details{Summary: document.T(text), Blocks: []document.Block{document.Paragraph{Text: document.T(text)}}}}},
		document.Note{Kind: document.NoteWarning, Blocks: []document.Block{document.Paragraph{Text: all}, document.Code{Text: text + "\n\n\n" + text}, document.List{Items: []document.Text{all}},
			document.Note{Kind: document.NoteInfo, Blocks: []document.Block{document.Paragraph{Text: document.T(text)}}},
			document.Picture{Name: "two", Alt: text, Chart: chart.Line{Series: []chart.Named{{Name: text, Y: []float64{1, 2}}}}}}},
	}}
}
