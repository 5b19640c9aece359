package rubric

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The word lists, English then Vietnamese, in the form that plain gives to a text.
var (
	// refusals, announcements and fillers are how a sentence begins that answers nothing.
	refusals = phrases(
		"i can't", "i cannot", "i can not", "i'm unable", "i am unable", "i'm not able", "i am not able", "i won't", "i'm sorry",
		"i am sorry",
		"sorry", "i apologize", "as an ai", "unfortunately i can't", "unfortunately i cannot", "unfortunately i'm unable",
		"unfortunately i am unable",
		"i must decline", "i don't have access", "i do not have access",
		"tôi không thể", "xin lỗi", "rất tiếc", "tôi rất tiếc", "tôi xin lỗi", "tôi không có khả năng", "tôi không được phép",
		"mình không thể", "em không thể",
	)
	announcements = phrases(
		"i'll", "i will", "let me", "let's", "let us", "i'm going to", "i am going to", "i'm about to", "i need to", "now i'll",
		"now i will", "now let me",
		"now let's", "first i'll", "first i will", "first let me", "first let's", "next i'll", "next i will", "next let me",
		"then i'll", "then i will",
		"tôi sẽ", "để tôi", "hãy để tôi", "bây giờ tôi sẽ", "bây giờ hãy", "trước tiên tôi sẽ", "đầu tiên tôi sẽ",
		"tiếp theo tôi sẽ", "mình sẽ", "để mình", "em sẽ", "để em",
		"chúng ta hãy",
	)
	fillers = phrases(
		"ok", "okay", "sure", "sure thing", "certainly", "of course", "absolutely", "great", "perfect", "alright", "got it",
		"understood", "right", "hello", "hi", "thanks", "thank you",
		"vâng", "dạ", "được", "được rồi", "chắc chắn rồi", "tất nhiên", "tuyệt vời", "xin chào", "chào bạn", "cảm ơn", "cảm ơn bạn",
	)
	causes = phrases(
		"because", "therefore", "thus", "hence", "so that", "due to", "as a result", "which means", "this means", "that means",
		"the reason", "the cause", "caused by", "in order to",
		"this is why", "that is why", "that's why", "consequently", "leads to", "since the", "since it",
		"vì", "bởi", "do đó", "do vậy", "vì vậy", "vì thế", "cho nên", "nên", "nguyên nhân", "lý do", "lí do", "dẫn đến", "nhờ đó",
		"điều này có nghĩa", "có nghĩa là",
	)
	nextHeadings = phrases(
		"next step", "next steps", "what's next", "what next", "recommendation", "recommendations", "recommended", "follow up",
		"follow ups", "todo", "to do", "suggestion", "suggestions", "future work",
		"bước tiếp theo", "tiếp theo", "khuyến nghị", "đề xuất", "gợi ý", "kiến nghị", "hướng phát triển", "việc cần làm",
	)
	recommendations = phrases(
		"recommend", "recommended", "recommendation", "i suggest", "i'd suggest", "we suggest", "suggested", "consider",
		"you should", "you can now", "you may want", "you might want", "you'll want", "you could",
		"next step", "next steps", "next you", "be sure to", "make sure", "remember to", "don't forget to",
		"bạn nên", "nên xem xét", "khuyến nghị", "đề xuất", "gợi ý", "hãy", "bước tiếp theo", "tiếp theo", "bạn có thể", "bạn cần",
		"đừng quên",
	)
	// successes are claims that all is well.
	successes = phrases(
		"all tests pass", "all tests passed", "all tests are passing", "all tests now pass", "tests pass", "tests passed",
		"tests are passing", "tests now pass", "test passes", "test passed",
		"build succeeds", "build succeeded", "build passes", "build passed", "builds successfully", "builds cleanly",
		"compiles successfully", "compiles cleanly", "build is green", "tests are green",
		"successfully", "everything works", "everything is working", "works correctly", "works as expected", "all checks pass",
		"all checks passed",
		"thành công", "kiểm thử đều đạt", "kiểm thử đều qua", "test đều pass", "test đã pass", "hoạt động đúng", "hoạt động tốt",
	)
	// negations take a claim back that stands in the same sentence.
	negations = phrases(
		"not", "no", "never", "cannot", "can't", "couldn't", "didn't", "doesn't", "don't", "isn't", "aren't", "wasn't", "weren't",
		"won't", "fail", "fails", "failed", "failing", "failure", "failures",
		"unsuccessfully", "until", "once", "if", "except", "but", "should", "error", "errors",
		"không", "chưa", "lỗi", "thất bại", "nhưng", "nếu", "khi",
	)
	// affirmations have a word of negation and take nothing back.
	affirmations = strings.NewReplacer(
		" no errors ", " ", " no error ", " ", " no failures ", " ", " without errors ", " ", " without any errors ", " ",
		" 0 errors ", " ", " 0 failures ", " ", " 0 failed ", " ",
		" không có lỗi ", " ", " không lỗi ", " ",
	)
)

// phrases is a list of phrases, each with a space before and behind it.
func phrases(list ...string) []string {
	for i, phrase := range list {
		list[i] = " " + phrase + " "
	}
	return list
}

// contains returns the first phrase in a plain text that is in the list; empty for none.
func contains(plainText string, list []string) (found string) {
	first := len(plainText)
	for _, phrase := range list {
		if at := strings.Index(plainText[:min(len(plainText), first+len(phrase))], phrase); at >= 0 && at < first {
			first, found = at, strings.TrimSpace(phrase)
		}
	}
	return found
}

// begins returns the phrase of the list that a plain text begins with; empty for none.
func begins(plainText string, list []string) string {
	i := slices.IndexFunc(list, func(phrase string) bool { return strings.HasPrefix(plainText, phrase) })
	if i < 0 {
		return ""
	}
	return strings.TrimSpace(list[i])
}

// plain is a text as its words in lower case, with one space before, between and after them; apostrophes within words
// stay.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	spaced := true
	for i, r := range s {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteByte(byte(r))
			spaced = false
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(unicode.ToLower(r))
			spaced = false
		case (r == '\'' || r == '’') && !spaced && letterAt(s[i+utf8.RuneLen(r):]):
			b.WriteByte('\'')
		case !spaced:
			b.WriteByte(' ')
			spaced = true
		}
	}
	if !spaced {
		b.WriteByte(' ')
	}
	return b.String()
}

func letterAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// countWords counts what white space separates and has a letter or a digit.
func countWords(s string) int {
	n := 0
	counted := false // the word that is being read
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			counted = false
		case !counted && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			n++
			counted = true
		}
	}
	return n
}

// sentences cuts a block of prose after . ! ? and … where white space or the end follows.
func sentences(s string) []string {
	var list []string
	start := 0
	for i := 0; i < len(s); i++ {
		end := i + 1
		switch s[i] {
		case '.', '!', '?':
		case 0xE2: // …
			if !strings.HasPrefix(s[i:], "…") {
				continue
			}
			end = i + len("…")
		default:
			continue
		}
		for end < len(s) && strings.IndexByte(`*_)"'`+"`", s[end]) >= 0 { // closing marks belong to the sentence
			end++
		}
		if end == len(s) || s[end] == ' ' || s[end] == '\n' || s[end] == '\t' || s[end] == '\r' {
			list = append(list, s[start:end])
			start, i = end, end-1
		}
	}
	if strings.TrimSpace(s[start:]) != "" {
		list = append(list, s[start:])
	}
	return list
}

// asks says that a sentence is a question.
func asks(sentence string) bool {
	return strings.HasSuffix(strings.TrimRight(sentence, " \t\r\n*_)\"'`"), "?")
}
