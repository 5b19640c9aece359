package rubric

import (
	"fmt"
	"strings"
)

// What the heuristics ask for.
const (
	answerWords      = 3  // of prose make a direct answer
	explanationWords = 25 // of prose make an explanation
	blockWords       = 8  // make a block that explains, of which it takes two where no reason is given
)

func (s *scorer) outputQuality() Component {
	switch {
	case s.e.Output == nil:
		return missing(OutputQuality, "the final text is not known")
	case s.doc == nil:
		return missing(OutputQuality, warnUnparsed.Message())
	}
	return s.whole(OutputQuality, []Component{s.completeness(), s.accuracy()})
}

// completeness is direct answer 0.3 + code 0.3 + explanation 0.2 + next steps 0.2. Where the task asks for no code,
// rubric/1 gives none of its 0.3, and any other rubric scores over the parts that apply.
func (s *scorer) completeness() Component {
	return s.whole(completeness, []Component{s.directAnswer(), s.codePart(), s.explanation(), s.nextSteps()})
}

// directAnswer wants at least three words of prose, or code in a coding task, that are not only refusals, questions and
// announcements.
func (s *scorer) directAnswer() Component {
	coding, _ := s.e.coding()
	if code, ok := s.doc.first(codeBlock); ok && coding && strings.TrimSpace(code.Text) != "" {
		return holds(directAnswer, true, matchDetail{Line: code.Line}, "code at line %d", code.Line)
	}
	words, idle := s.doc.words, ""
	for _, b := range s.doc.blocks {
		if b.Kind != proseBlock {
			continue
		}
		for _, sentence := range sentences(b.Text) {
			why := idleness(sentence)
			if why == "" && words >= answerWords {
				matched := excerpt(strings.TrimSpace(sentence))
				return holds(directAnswer, true, matchDetail{Matched: matched, Line: b.Line, Words: words}, "line %d answers: %q", b.Line, matched)
			}
			if idle == "" && why != "nothing" {
				idle = why
			}
		}
	}
	d := matchDetail{Words: words}
	if words < answerWords {
		return holds(directAnswer, false, d, "%s of prose, %d make an answer", plural(words, "word"), answerWords)
	}
	return holds(directAnswer, false, d, "every sentence is a refusal, a question or an announcement; the first: %s", idle)
}

// idleness says why a sentence is no answer; empty where it may be one.
func idleness(sentence string) string {
	text := plain(sentence)
	switch {
	case text == " ":
		return "nothing"
	case asks(sentence):
		return "a question"
	}
	if filler := begins(text, fillers); filler != "" {
		text = text[1+len(filler):] // "Sure, let me …"
		if text == " " {
			return fmt.Sprintf("%q", filler)
		}
	}
	if phrase := begins(text, refusals); phrase != "" {
		return fmt.Sprintf("a refusal, %q", phrase)
	}
	if phrase := begins(text, announcements); phrase != "" {
		return fmt.Sprintf("an announcement, %q", phrase)
	}
	return ""
}

// codePart wants code in the final text or in a file that the agent wrote, if the task is a coding task. Rubric/1
// knows the text only.
func (s *scorer) codePart() Component {
	coding, known := s.e.coding()
	switch {
	case !coding && s.rubric.literal && known:
		return holds(code, false, nil, "not a coding task: rubric/1 gives nothing for code")
	case !coding && s.rubric.literal:
		return holds(code, false, nil, "the type of the task is not known: rubric/1 counts it as not coding, and gives nothing for code")
	case !coding && known:
		return missing(code, "not a coding task: scored over the other parts")
	case !coding:
		return missing(code, "the type of the task is not known: scored over the other parts")
	case s.rubric.literal:
		return linePart(code, lineOf(s.text, "```"), "line has three backticks")
	}
	for _, b := range s.doc.blocks {
		if b.Kind == codeBlock && strings.TrimSpace(b.Text) != "" {
			return holds(code, true, matchDetail{Line: b.Line}, "code block at line %d", b.Line)
		}
	}
	for _, f := range s.e.Files {
		if strings.TrimSpace(f.Content) != "" {
			return holds(code, true, matchDetail{Matched: f.Name}, "the agent wrote %s", f.Name)
		}
	}
	return holds(code, false, nil, "a coding task without a code block or a written file")
}

// explanation wants at least 25 words of prose and either a causal marker or two blocks of at least 8 words.
func (s *scorer) explanation() Component {
	words, long, second := s.doc.words, 0, 0
	d := matchDetail{Words: words}
	if words < explanationWords {
		return holds(explanation, false, d, "%s of prose, %d make an explanation", plural(words, "word"), explanationWords)
	}
	for _, b := range s.doc.blocks {
		if b.Kind != proseBlock {
			continue
		}
		if cause := contains(b.plain, causes); cause != "" {
			d.Matched, d.Line = cause, b.Line
			return holds(explanation, true, d, "%d words of prose, with %q at line %d", words, cause, b.Line)
		}
		if b.words >= blockWords {
			if long++; long == 2 {
				second = b.Line
			}
		}
	}
	if long >= 2 {
		d.Line = second
		return holds(explanation, true, d, "%d words of prose, in %d blocks of at least %d", words, long, blockWords)
	}
	return holds(explanation, false, d, "%d words of prose, but no reason is given and fewer than two blocks have %d words", words, blockWords)
}

// nextSteps wants a heading about next steps or recommendations with content under it, an unchecked item of a task
// list, or a recommendation in the last block of prose.
func (s *scorer) nextSteps() Component {
	for i, b := range s.doc.blocks {
		if b.Kind == headingBlock {
			if phrase := contains(b.plain, nextHeadings); phrase != "" && s.hasContent(i) {
				title := strings.TrimSpace(excerpt(b.Text))
				return holds(nextSteps, true, matchDetail{Matched: phrase, Line: b.Line}, "heading %q at line %d", title, b.Line)
			}
		}
		if b.Task {
			return holds(nextSteps, true, matchDetail{Matched: "[ ]", Line: b.Line}, "unchecked task at line %d", b.Line)
		}
	}
	last := -1
	for _, b := range s.doc.blocks {
		if b.Kind == proseBlock {
			last = b.Top
		}
	}
	for _, b := range s.doc.blocks {
		if b.Top != last || b.Kind != proseBlock {
			continue
		}
		if phrase := contains(b.plain, recommendations); phrase != "" {
			return holds(nextSteps, true, matchDetail{Matched: phrase, Line: b.Line}, "recommendation at line %d: %q", b.Line, phrase)
		}
	}
	return holds(nextSteps, false, nil, "no heading about next steps, no open task, and no recommendation in the last block")
}

// hasContent says that the section of the heading at i has something in it.
func (s *scorer) hasContent(i int) bool {
	for _, b := range s.doc.blocks[i+1:] {
		if b.Kind == headingBlock {
			if b.Level <= s.doc.blocks[i].Level {
				return false
			}
			continue
		}
		if strings.TrimSpace(b.Text) != "" {
			return true
		}
	}
	return false
}
