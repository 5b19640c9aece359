package rubric

import (
	"strings"
	"testing"
)

func TestDirectAnswer(t *testing.T) {
	for _, c := range []struct {
		name, taskType, output string
		want                   float64
	}{
		{"an answer", "", "The port is 8080.", 1},
		{"empty", "", "", 0},
		{"two words", "", "Port 8080.", 0},
		{"marks are no words", "", "- * 8080 --- port", 0},
		{"code in a coding task", "coding", "```\nx\n```", 1},
		{"code in another task", "analysis", "```\nx y z\n```", 0},
		{"empty code", "coding", "```\n```", 0},
		{"a heading alone", "", "# The port is 8080", 0},
		{"only a refusal", "", "I'm sorry. I can't help with that.", 0},
		{"typographic apostrophe", "", "I can’t help with that.", 0},
		{"a refusal and an answer", "", "I can't open the file. Its name suggests a list of ports.", 1},
		{"only a question", "", "Which file do you mean?", 0},
		{"bold question", "", "**Which file do you mean?**", 0},
		{"only an announcement", "", "Let me check the file first.", 0},
		{"polite announcement", "", "Sure! I'll check the file now.", 0},
		{"filler and announcement in one sentence", "", "Okay, let me look into it", 0},
		{"an announcement after an answer", "", "The port is 8080. I'll check the others.", 1},
		{"yes and a question", "", "Yes. Shall I go on?", 1}, // three words of prose, and not only a question
		{"refusal in Vietnamese", "", "Xin lỗi, tôi không thể giúp việc này.", 0},
		{"announcement in Vietnamese", "", "Vâng, để tôi kiểm tra tệp.", 0},
		{"question in Vietnamese", "", "Bạn muốn dùng tệp nào?", 0},
		{"answer in Vietnamese", "", "Cổng đang dùng là 8080.", 1},
	} {
		if got := value(t, score(t, textExecution(c.taskType, c.output)), directAnswer); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func score(t testing.TB, e Execution) Score {
	t.Helper()
	return named(t, V2).Score(e, Options{})
}

func TestExplanation(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, c := range []struct {
		name, output string
		want         float64
	}{
		{"24 words and a reason", words(23) + " because", 0},
		{"25 words and a reason", words(24) + " because", 1},
		{"25 words without a reason, in one block", words(25), 0},
		{"two blocks, one too short", words(18) + "\n\n" + words(7), 0},
		{"two blocks of 8 among 25 words", words(17) + "\n\n" + words(8), 1},
		{"items are blocks", "- " + words(13) + "\n- " + words(12), 1},
		{"words in code do not count", words(10) + "\n\n```\n" + words(30) + " because\n```", 0},
		{"a reason is a whole word", words(24) + " becauses", 0},
		{"a reason of two words over a line end", words(24) + " due\nto", 1},
		{"Vietnamese", words(23) + " vì vậy", 1},
	} {
		if got := value(t, score(t, textExecution("", c.output)), explanation); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	c := component(t, score(t, textExecution("", "First.\n\n"+words(24)+" because")), explanation)
	if d := c.Detail.(matchDetail); d.Line != 3 || d.Matched != "because" || d.Words != 26 {
		t.Errorf("%+v", d)
	}
}

func TestNextSteps(t *testing.T) {
	for _, c := range []struct {
		name, output string
		want         float64
	}{
		{"nothing", "It is done.", 0},
		{"heading with content", "## Next steps\n\nRun it.", 1},
		{"heading with a list under a heading", "## Recommendations\n\n### First\n\n- Run it", 1},
		{"heading with nothing under it", "## Next steps\n", 0},
		{"heading with the next heading under it", "## Next steps\n\n## Notes\n\nNone.", 0},
		{"heading in a fence", "```md\n## Next steps\nRun it.\n```", 0},
		{"open task", "- [ ] run it\n- [x] write it", 1},
		{"done tasks", "- [x] write it", 0},
		{"open task that is text", "It prints [ ] only.", 0},
		{"recommendation at the end", "It is done.\n\nI recommend to run it.", 1},
		{"recommendation in the last item", "It is done.\n\n- a\n- you should run it", 1},
		{"recommendation at the beginning", "I recommend to run it.\n\nIt is done.", 0},
		{"recommendation, then code", "You should run:\n\n```sh\nls\n```", 1},
		{"Vietnamese heading", "## Bước tiếp theo\n\nChạy lại.", 1},
		{"Vietnamese recommendation", "Đã xong.\n\nBạn nên chạy lại.", 1},
	} {
		if got := value(t, score(t, textExecution("", c.output)), nextSteps); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCompletenessOverParts: an analysis with answer and explanation has 0.5 of the 0.7 that apply; rubric/1 gives
// 0.5 of 1.
func TestCompletenessOverParts(t *testing.T) {
	e := textExecution("analysis", "The loop never ended because the parser read one token too far and so an empty list was never seen as empty at all by anyone here.")
	for name, want := range map[string]float64{v1: 0.5, V2: 0.5 / 0.7} {
		s := named(t, name).Score(e, Options{})
		if got := value(t, s, completeness); !near(got, want) {
			t.Errorf("%s: %v, want %v: %s", name, got, want, component(t, s, completeness).Reason)
		}
	}
}

// TestWrittenFilesAreCode: an agent that writes files and answers in prose has delivered code; rubric/1 knows the
// text only.
func TestWrittenFilesAreCode(t *testing.T) {
	e := textExecution("coding", "I wrote it.")
	e.Files = []File{{Name: "a.go", Content: "package a"}}
	for name, want := range map[string]float64{v1: 0, V2: 1} {
		if got := value(t, named(t, name).Score(e, Options{}), code); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
