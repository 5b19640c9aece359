package rubric

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHostileText: no text takes long, exhausts the stack or panics. Each of these takes a parser more than a minute,
// or all memory that it may have, where nothing stands before it.
func TestHostileText(t *testing.T) {
	fence := func(lang, code string) string { return "```" + lang + "\n" + code + "\n```\n" }
	many := func(s string, n int) string {
		if testing.Short() {
			n /= 8
		}
		return strings.Repeat(s, n)
	}
	for name, output := range map[string]string{
		"10 MB of prose":            many("word because. ", 700_000),
		"10 MB without a space":     many("x", 10<<20),
		"10 MB of lines":            many("\n", 10<<20),
		"headings":                  many("# a\n", 1<<18),
		"items":                     many("- a\n", 1<<18),
		"quotes in quotes":          many(">", 1<<20),
		"quotes with spaces":        many("> ", 1<<19),
		"items in items":            many("- ", 1<<19) + "x",
		"a break of many dashes":    many("- ", 1<<19),
		"numbers in numbers":        many("1. ", 1<<18),
		"empty lines in deep items": many("- ", 60) + "a" + many("\n", 20_000) + "b",
		"all empty lines":           many("- ", 60) + "a" + many("\n", 1<<20),
		"indented items":            indented(400),
		"lines in indented items":   indented(400) + many(many("  ", 400)+"a\n", 300),
		"empty lines in indented":   indented(400) + many("\n", 5_000),
		"lines of quotes":           many(many("> ", maxNesting)+"a\n", 2_000),
		"lines of items":            many(many("- ", maxNesting)+"a\n\n", 2_000),
		"brackets":                  many("[", 1<<20),
		"link definitions":          many("[a]: b\n", 1<<17),
		"open link definitions":     many("[a]: (\n\n", 1<<17),
		"emphasis":                  many("*a **b ", 1<<17),
		"fences":                    many("```\n", 1<<18),
		"empty blocks":              many("```\n```\n", 1<<17),
		"HTML":                      many("<div>\n\n", 1<<17),
		"not UTF-8":                 many("\xff\xfe\x00 ", 1<<18),
		"placeholders":              many("YOUR_", 1<<18),
		"questions":                 many("?", 1<<20),
		"apostrophes":               many("a'", 1<<19),
		"arrows":                    fence("ts", many("x=>", 20_000)+"x"),
		"arrows over lines":         fence("ts", many("x=>\n", 15_000)+"x"),
		"nots":                      fence("js", many("!", 60_000)+"x"),
		"ifs":                       fence("js", many("if(a)", 12_000)+"b"),
		"elses":                     fence("js", "if(a){}"+many("else if(a){}", 5_000)),
		"brackets in TypeScript":    fence("ts", many("(", 60_000)),
		"nested rules":              fence("css", many("a{", 30_000)),
		"nested elements":           fence("jsx", many("<a>", 20_000)),
		"templates":                 fence("js", many("`${", 20_000)),
		"brackets in sh":            fence("sh", many("$(", 30_000)),
		"arithmetic in sh":          fence("sh", many("$((", 20_000)),
		"ifs in sh":                 fence("sh", many("if ", 20_000)),
		"brackets in Go":            fence("go", "package p\nvar x = "+many("(", 60_000)),
		"nots in Go":                fence("go", "package p\nvar x = "+many("!", 60_000)+"x"),
		"brackets in JSON":          fence("json", many("[", 60_000)),
		"brackets in YAML":          fence("yaml", many("[", 60_000)),
		"items in YAML":             fence("yaml", many("- ", 30_000)),
		"aliases that multiply":     fence("yaml", billion()),
		"brackets in TOML":          fence("toml", "a = "+many("[", 60_000)),
		"elements in XML":           fence("xml", many("<a>", 20_000)),
		"brackets in Python":        fence("py", many("(", 60_000)),
		"quotes in Python":          fence("py", many("'''", 20_000)),
		"much code in many blocks":  many(fence("ts", many("if(a)", 1_600)+"b;"), 40),
		"much prose in many blocks": many("All tests pass, thus all is well.\n\n", 15_000),
	} {
		e := textExecution("coding", output)
		e.Calls = []Call{{Tool: "Bash", Output: &output}, {Tool: "Bash", Exit: ptr(1), Command: output, Output: &output}}
		start := time.Now()
		if s := score(t, e); !(s.Value >= 0 && s.Value <= 100) {
			t.Errorf("%s: %v", name, s.Value)
		}
		if strings.HasPrefix(name, "10 MB") { // what the two rubrics do differently
			named(t, v1).Score(e, Options{})
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		} else if took > time.Second/4 {
			t.Logf("%s took %v", name, took)
		}
	}
}

// indented nests items by indentation, which no single line gives away.
func indented(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// billion is YAML of 9¹⁰ values in a hundred bytes, once its aliases are expanded.
func billion() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := range 10 {
		refs := strings.TrimSuffix(strings.Repeat("*a"+string(rune('0'+i))+",", 9), ",")
		b.WriteString("a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + refs + "]\n")
	}
	return b.String()
}

// TestClipped: what is cut off is not looked at, and the score says so.
func TestClipped(t *testing.T) {
	s := score(t, textExecution("", strings.Repeat("word ", maxText/5)+"é# not seen\n\n## Heading"))
	if !slices.Contains(s.Warnings, warnClipped) {
		t.Errorf("warns of %v", s.Warnings)
	}
	if value(t, s, headings) != 0 {
		t.Error("a heading beyond the limit was seen")
	}
}

// TestTooDeep: nothing is said about a text that is no document, and rubric/1, which needs no tree, still sees its
// lines.
func TestUnparsed(t *testing.T) {
	e := textExecution("", "# Title\n"+strings.Repeat(">", maxNesting+1)+" x")
	s := score(t, e)
	for _, name := range []string{OutputQuality, StructureScore} {
		if c := component(t, s, name); c.Value != nil {
			t.Errorf("%+v", c)
		}
	}
	if !slices.Contains(s.Warnings, warnUnparsed) {
		t.Errorf("warns of %v", s.Warnings)
	}
	if s := score(t, textExecution("", "a"+strings.Repeat("\n", 30_000))); !slices.Contains(s.Warnings, warnUnparsed) {
		t.Error("30,000 empty lines are parsed")
	}
	if value(t, named(t, v1).Score(e, Options{}), headings) != 1 {
		t.Error("rubric/1 does not see the line")
	}
	if s := score(t, textExecution("", "> "+strings.Repeat("- ", 200)+"\n")); slices.Contains(s.Warnings, warnUnparsed) {
		t.Error("a thematic break is taken for items in items")
	}
}
