package store

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"track"
)

// views are those that docs/reference/sql.md describes.
var views = []string{ //nolint:gochecknoglobals // a constant
	"v_seed", "v_value", "v_result", "v_stability", "v_sweep", "v_run", "v_assessment", "v_param", "v_artifact", "v_execution", "v_score", "v_call", "v_request",
	"v_version", "v_mutation", "v_decision", "v_ledger",
}

// queryFunctions are what a query may call, on either database: nothing that reads files, settings or the catalog, that
// locks, waits, or runs SQL that it is given.
var queryFunctions = strings.Fields(`
	abs acos acosh age array_agg array_length array_position array_to_string ascii asin asinh atan atan2 atanh avg bit_length bool_and bool_or btrim cardinality
	cast cbrt ceil ceiling char char_length character_length chr coalesce concat concat_ws corr cos cosh cot count covar_pop covar_samp cume_dist date date_part
	date_trunc datetime decode degrees dense_rank div encode every exp extract factorial first_value floor format gcd glob greatest group_concat grouping hex if
	ifnull iif initcap instr isfinite json json_agg json_array json_array_length json_build_array json_build_object json_extract json_extract_path
	json_extract_path_text json_group_array json_group_object json_insert json_object json_object_agg json_patch json_pretty json_quote json_remove json_replace
	json_set json_type json_typeof json_valid jsonb jsonb_agg jsonb_array_length jsonb_build_array jsonb_build_object jsonb_extract_path
	jsonb_extract_path_text jsonb_object_agg jsonb_pretty jsonb_set jsonb_typeof julianday lag last_value lcm lead least left length like likelihood likely
	ln log log10 log2 lower lpad ltrim make_date make_interval make_timestamp max md5 median min mod mode nth_value ntile nullif octet_length overlay
	percent_rank percentile percentile_cont percentile_disc pi pow power printf quote quote_literal radians random rank regexp_count regexp_match
	regexp_matches regexp_replace regexp_split_to_array regr_count regr_intercept regr_r2 regr_slope repeat replace reverse right round row_number row_to_json
	rpad rtrim scale sha256 sign sin sinh soundex split_part sqrt starts_with stddev stddev_pop stddev_samp strftime string_agg string_to_array strpos substr
	substring sum tan tanh time timediff to_char to_date to_json to_jsonb to_number to_timestamp total translate trim trunc typeof unhex unicode unixepoch
	unlikely upper var_pop var_samp variance width_bucket zeroblob`) //nolint:gochecknoglobals // a constant

// tableFunctions are what a query may read from besides views.
var tableFunctions = strings.Fields(`
	generate_series json_array_elements json_array_elements_text json_each json_each_text json_object_keys json_tree jsonb_array_elements
	jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys regexp_split_to_table unnest`) //nolint:gochecknoglobals // a constant

// beforeParens are the words behind which a parenthesis begins no call.
var beforeParens = strings.Fields(`
	all and any array as between by case cube distinct else except exists filter from glob group having ilike in intersect is join like limit not offset on or
	over row rollup select sets similar some then union using values when where`) //nolint:gochecknoglobals // a constant

// fromEnders are the words that end a list of tables. Both databases reserve them: no table can have them for an alias.
var fromEnders = []string{"where", "group", "having", "order", "limit", "union", "intersect", "except"} //nolint:gochecknoglobals // a constant

// refusedNames are words that read tables or write them, and names that tell about the server without a call.
var refusedNames = []string{ //nolint:gochecknoglobals // a constant
	"table", "into", "session_user", "system_user", "current_role", "current_catalog", "current_schema",
	"regclass", "regcollation", "regconfig", "regdictionary", "regnamespace", "regoper", "regoperator", "regproc", "regprocedure", "regrole", "regtype",
}

// checkQuery refuses what is not one SELECT over views, its own common table expressions, and functions of
// [queryFunctions]. Where the two databases split a text differently, as in comments within comments, it is refused.
func checkQuery(query string, isServer bool) error {
	tokens, err := tokensOf(query, isServer)
	if err != nil {
		return err
	}
	c := queryChecker{tokens: tokens}
	if err := c.checkBegin("a query"); err != nil {
		return err
	}
	if err := c.group(nil, false); err != nil {
		return err
	}
	if c.peek().kind != 0 && c.peek().kind != ';' {
		return fmt.Errorf("%w: a parenthesis is closed that was not opened", track.ErrInvalid)
	}
	for c.peek().kind == ';' {
		c.at++
	}
	if c.peek().kind != 0 {
		return fmt.Errorf("%w: one statement at a time", track.ErrInvalid)
	}
	return nil
}

// The kinds of tokens; any other token is its character, and the end is 0.
const (
	wordToken   = 'w' // not quoted, in lower case
	nameToken   = 'q' // quoted, without its quotes
	textToken   = 's'
	numberToken = 'n'
)

type queryToken struct {
	kind byte
	text string
}

func (t queryToken) isName() bool { return t.kind == wordToken || t.kind == nameToken }

func (t queryToken) is(words ...string) bool {
	return t.kind == wordToken && slices.Contains(words, t.text)
}

var (
	wordPattern   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	numberPattern = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)`)
)

// tokensOf splits a query as both databases would.
func tokensOf(query string, isServer bool) (tokens []queryToken, err error) {
	if strings.IndexByte(query, 0) >= 0 || !utf8.ValidString(query) {
		return nil, fmt.Errorf("%w: the query is not text", track.ErrInvalid)
	}
	for i := 0; i < len(query); {
		rest := query[i:]
		t, n := queryToken{kind: rest[0], text: rest[:1]}, 1
		switch c := rest[0]; {
		case strings.IndexByte(" \t\n\f\r", c) >= 0:
			i++
			continue
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "/*"):
			if n, err = commentLength(rest); err != nil {
				return nil, err
			}
			i += n
			continue
		case c == '\'' || c == '"' || !isServer && (c == '`' || c == '['):
			if t, n, err = quotedToken(query, i); err != nil {
				return nil, err
			}
		case wordPattern.MatchString(rest):
			n = len(wordPattern.FindString(rest))
			t = queryToken{wordToken, strings.ToLower(rest[:n])}
		case numberPattern.MatchString(rest):
			n = len(numberPattern.FindString(rest))
			t = queryToken{numberToken, rest[:n]}
			if n < len(rest) && (rest[n] == '.' || wordPattern.MatchString(rest[n:])) {
				return nil, fmt.Errorf("%w: put a space behind the number %s", track.ErrInvalid, rest[:n])
			}
		case isServer && strings.HasPrefix(rest, "::"):
			t, n = queryToken{':', "::"}, 2
		case strings.IndexByte("()*+,-./;<=>!~|&%^", c) >= 0, isServer && strings.IndexByte("[]@#?", c) >= 0:
		default:
			r, _ := utf8.DecodeRuneInString(rest)
			return nil, fmt.Errorf("%w: %q in the query: parameters are not supported, and other characters belong in quotes", track.ErrInvalid, r)
		}
		tokens = append(tokens, t)
		i += n
	}
	return tokens, nil
}

// commentLength returns the length of the comment at the beginning of a text.
func commentLength(text string) (int, error) {
	if strings.HasPrefix(text, "--") {
		line, _, _ := strings.Cut(text, "\n")
		if strings.Contains(strings.TrimSuffix(line, "\r"), "\r") {
			return 0, fmt.Errorf("%w: a comment of the query has a carriage return", track.ErrInvalid)
		}
		return len(line), nil
	}
	comment, _, isClosed := strings.Cut(text[2:], "*/")
	if !isClosed || strings.Contains(comment, "/*") {
		return 0, fmt.Errorf("%w: a comment of the query is not closed, or has another one in it", track.ErrInvalid)
	}
	return len(comment) + 4, nil
}

// quotedToken returns the text or the name whose quote is at i. What gives a quote another meaning, such as E before
// it, is refused.
func quotedToken(query string, i int) (t queryToken, n int, err error) {
	if before := query[:i]; before != "" {
		last := before[len(before)-1]
		isWord := last == '_' || last >= '0' && last <= '9' || last >= 'A' && last <= 'Z' || last >= 'a' && last <= 'z'
		isBytes := query[i] == '\'' && (last == 'x' || last == 'X')
		if last == '&' || isWord && !isBytes {
			return t, 0, fmt.Errorf("%w: put a space before the quote behind %q", track.ErrInvalid, last)
		}
	}
	end := endOfQuoted(query, i)
	closing := query[i]
	if closing == '[' {
		closing = ']'
	}
	if end-i < 2 || query[end-1] != closing {
		return t, 0, fmt.Errorf("%w: a quote of the query is not closed", track.ErrInvalid)
	}
	t = queryToken{nameToken, query[i+1 : end-1]}
	if closing == '\'' {
		t.kind = textToken
	}
	return t, end - i, nil
}

// queryChecker walks through the tokens of a query.
type queryChecker struct {
	tokens []queryToken
	at     int
	depth  int // of parentheses
}

// deepest is how many parentheses may be open at once.
const deepest = 200

// token returns the token at a distance from the next one.
func (c *queryChecker) token(distance int) queryToken {
	if i := c.at + distance; i >= 0 && i < len(c.tokens) {
		return c.tokens[i]
	}
	return queryToken{}
}

func (c *queryChecker) peek() queryToken { return c.token(0) }

// checkBegin refuses what begins with another word than a query.
func (c *queryChecker) checkBegin(what string) error {
	if t := c.peek(); t.kind != '(' && !t.is("select", "with", "values") {
		word := strings.ToUpper(t.text)
		return track.WithHint(fmt.Errorf("%w: %s begins with SELECT, WITH or VALUES, not %q", track.ErrInvalid, what, word),
			nearestOf(word, []string{"SELECT", "WITH", "VALUES"}, onlyReads()))
	}
	return nil
}

// inParens checks what stands in the parentheses that begin with the next token, and stops at their end.
func (c *queryChecker) inParens(own []string, isFrom bool) error {
	if c.depth++; c.depth > deepest {
		return fmt.Errorf("%w: more than %d parentheses of the query are open at once", track.ErrInvalid, deepest)
	}
	c.at++
	if err := c.group(own, isFrom); err != nil {
		return err
	}
	c.depth--
	if c.peek().kind != ')' {
		return fmt.Errorf("%w: a parenthesis of the query is not closed", track.ErrInvalid)
	}
	return nil
}

// group checks the tokens up to the end of the parenthesis or the statement. own are the common table expressions that
// it sees. isFrom says that it stands where a table is expected.
func (c *queryChecker) group(own []string, isFrom bool) (err error) {
	if c.peek().is("with") {
		if own, err = c.commonTables(own); err != nil {
			return err
		}
	}
	isSelect, inFrom, expectsTable := false, isFrom, isFrom && !c.peek().is("select", "values")
	for ; ; c.at++ {
		t := c.peek()
		switch {
		case t.kind == 0 || t.kind == ')' || t.kind == ';':
			return nil
		case expectsTable && t.is("lateral"):
			continue
		case t.kind == '(':
			if err := c.inParens(own, expectsTable); err != nil {
				return err
			}
			expectsTable = false
		case expectsTable:
			if err := c.checkTable(own); err != nil {
				return err
			}
			expectsTable = false
		case t.is("select"):
			isSelect, inFrom = true, false
		case t.is("from"):
			isOperator := c.token(-1).is("distinct") && (c.token(-2).is("is") || c.token(-2).is("not") && c.token(-3).is("is"))
			expectsTable = isSelect && !isOperator
			inFrom = inFrom || expectsTable
		case t.is("join") || inFrom && t.kind == ',':
			expectsTable = true
		case t.is(fromEnders...) || t.is("window") && c.token(1).isName() && c.token(2).is("as"):
			inFrom = false
		case t.is("in") && c.token(1).kind != '(':
			return fmt.Errorf("%w: write a parenthesis behind IN", track.ErrInvalid)
		case t.isName() && slices.Contains(refusedNames, t.text):
			return forbiddenName("%s", strings.ToUpper(t.text))
		case t.isName() && c.token(1).kind == '(':
			if err := c.checkCall(); err != nil {
				return err
			}
		}
	}
}

// commonTables checks a WITH clause, and returns the names that the query behind it sees.
func (c *queryChecker) commonTables(own []string) ([]string, error) {
	c.at++
	isRecursive := c.peek().is("recursive")
	if isRecursive {
		c.at++
	}
	own = slices.Clone(own)
	for ; ; c.at++ {
		name := c.peek()
		c.at++
		if name.isName() && c.peek().kind == '(' { // its columns
			for c.peek().kind != ')' && c.peek().kind != 0 {
				c.at++
			}
			c.at++
		}
		if !name.isName() || !c.peek().is("as") {
			return nil, fmt.Errorf("%w: WITH is followed by NAME AS (SELECT …), and names that refer to themselves need RECURSIVE", track.ErrInvalid)
		}
		for c.at++; c.peek().is("not", "materialized"); c.at++ {
		}
		if c.peek().kind != '(' {
			return nil, fmt.Errorf("%w: WITH %s AS is followed by a query in parentheses", track.ErrInvalid, name.text)
		}
		visible := own
		if isRecursive {
			visible = append(slices.Clone(own), name.text)
		}
		c.at++
		if err := c.checkBegin("a query in WITH"); err != nil {
			return nil, err
		}
		c.at--
		if err := c.inParens(visible, false); err != nil {
			return nil, err
		}
		own = append(own, name.text)
		if c.at++; c.peek().kind != ',' {
			return own, c.checkBegin("a query behind WITH")
		}
	}
}

// checkTable refuses the next token if it names neither a view nor a common table expression.
func (c *queryChecker) checkTable(own []string) error {
	t, next := c.peek(), c.token(1)
	switch {
	case !t.isName():
		return fmt.Errorf("%w: FROM, JOIN and a comma behind them are followed by a view, not %q", track.ErrInvalid, t.text)
	case next.kind == '(':
		if !slices.Contains(tableFunctions, t.text) {
			return forbiddenName("the function %s", t.text)
		}
	case next.kind == '.':
		return forbiddenName("%s.%s", t.text, c.token(2).text)
	case slices.Contains(own, t.text) || slices.Contains(views, t.text):
	case strings.HasPrefix(t.text, "v_"):
		return track.WithHint(fmt.Errorf("%w: there is no view %s", track.ErrInvalid, t.text), track.Hint{Text: strings.Join(append(meant(t.text, views), viewsHint().Text), " ")})
	default:
		return forbiddenName("the table %s", t.text)
	}
	return nil
}

// checkCall refuses the next token, which a parenthesis follows, if it may be the name of another function.
func (c *queryChecker) checkCall() error {
	t, before := c.peek(), c.token(-1)
	switch {
	case before.kind == '.':
		return forbiddenName("the function %s of a schema", t.text)
	case t.is(beforeParens...), slices.Contains(queryFunctions, t.text), slices.Contains(tableFunctions, t.text):
		return nil
	case before.is("as"), before.kind == ':': // a type, or the columns of an alias
		return nil
	}
	return forbiddenName("the function %s", t.text)
}

// forbiddenName returns the error of a query that names something else than it may.
func forbiddenName(format string, args ...any) error {
	return track.WithHint(fmt.Errorf("%w: a query sees the views v_… and their columns, not "+format, append([]any{track.ErrForbidden}, args...)...), viewsHint())
}

// viewsHint returns the hint to the page of views and functions.
func viewsHint() track.Hint {
	return track.Hint{Text: "docs/reference/sql.md describes the views, and lists the functions"}
}
