package masking

import "strings"

// shape is how the keys of a service look: a beginning that nothing else has, and so many characters of a set.
type shape struct {
	prefix string
	set    *set
	least  int // characters behind the prefix
	most   int // 0: any number
	mixed  bool
	kind   string
}

// shapes are tried in order, by their first letter. Mixed ones must hold a digit and a capital letter, since their
// beginnings are those of words too.
var shapes = byFirst([]shape{
	{prefix: "AKIA", set: &isUpper, least: 16, most: 16, kind: "aws-key-id"},
	{prefix: "ASIA", set: &isUpper, least: 16, most: 16, kind: "aws-key-id"},
	{prefix: "ABIA", set: &isUpper, least: 16, most: 16, kind: "aws-key-id"},
	{prefix: "AIza", set: &isURL64, least: 35, kind: "google-key"},
	{prefix: "AGE-SECRET-KEY-", set: &isUpper, least: 40, kind: "age-key"},
	{prefix: "GOCSPX-", set: &isURL64, least: 20, kind: "google-key"},
	{prefix: "ya29.", set: &isURL64, least: 20, kind: "google-token"},
	{prefix: "ghp_", set: &isAlnum, least: 30, kind: "github-token"},
	{prefix: "gho_", set: &isAlnum, least: 30, kind: "github-token"},
	{prefix: "ghu_", set: &isAlnum, least: 30, kind: "github-token"},
	{prefix: "ghs_", set: &isAlnum, least: 30, kind: "github-token"},
	{prefix: "ghr_", set: &isAlnum, least: 30, kind: "github-token"},
	{prefix: "github_pat_", set: &isWord, least: 22, kind: "github-token"},
	{prefix: "glpat-", set: &isURL64, least: 20, kind: "gitlab-token"},
	{prefix: "gsk_", set: &isAlnum, least: 40, kind: "groq-key"},
	{prefix: "hf_", set: &isAlnum, least: 30, kind: "huggingface-token"},
	{prefix: "npm_", set: &isAlnum, least: 36, kind: "npm-token"},
	{prefix: "pypi-", set: &isURL64, least: 50, kind: "pypi-token"},
	{prefix: "rk_live_", set: &isAlnum, least: 16, kind: "stripe-key"},
	{prefix: "rk_test_", set: &isAlnum, least: 16, kind: "stripe-key"},
	{prefix: "sk_live_", set: &isAlnum, least: 16, kind: "stripe-key"},
	{prefix: "sk_test_", set: &isAlnum, least: 16, kind: "stripe-key"},
	{prefix: "whsec_", set: &isAlnum, least: 16, kind: "stripe-key"},
	{prefix: "sk-ant-", set: &isURL64, least: 20, kind: "anthropic-key"},
	{prefix: "sk-or-v1-", set: &isHex, least: 64, kind: "openrouter-key"},
	{prefix: "sk-", set: &isHex, least: 32, most: 64, kind: "openai-key"}, // of services that speak its language
	{prefix: "sk-", set: &isURL64, least: 20, mixed: true, kind: "openai-key"},
	{prefix: "dop_v1_", set: &isHex, least: 64, kind: "digitalocean-token"},
	{prefix: "dapi", set: &isHex, least: 32, most: 34, kind: "databricks-token"},
	{prefix: "xapp-", set: &isURL64, least: 20, kind: "slack-token"},
	{prefix: "xoxa-", set: &isURL64, least: 10, kind: "slack-token"},
	{prefix: "xoxb-", set: &isURL64, least: 10, kind: "slack-token"},
	{prefix: "xoxe-", set: &isURL64, least: 10, kind: "slack-token"},
	{prefix: "xoxp-", set: &isURL64, least: 10, kind: "slack-token"},
	{prefix: "xoxr-", set: &isURL64, least: 10, kind: "slack-token"},
	{prefix: "xoxs-", set: &isURL64, least: 10, kind: "slack-token"},
})

func byFirst(list []shape) (table [256][]shape) {
	for _, s := range list {
		table[s.prefix[0]] = append(table[s.prefix[0]], s)
	}
	return table
}

// token returns the key that begins with the word at i.
func (m masker) token(i int) span {
	text := string(m[i:])
	for _, s := range shapes[text[0]] {
		if strings.HasPrefix(text, s.prefix) {
			if n := s.length(text); n > 0 {
				return span{i, i + n, s.kind}
			}
		}
	}
	switch text[0] {
	case 'e':
		return jsonWebToken(text, i)
	case 'S':
		return sendgrid(text, i)
	case 'B', 'b':
		return bearer(text, i)
	case 'h':
		return slackHook(text, i)
	}
	return span{}
}

// length returns how long the key at the beginning of the text is; 0 if there is none.
func (s shape) length(text string) int {
	size := run(text[len(s.prefix):min(len(text), len(s.prefix)+longestToken)], s.set)
	n := len(s.prefix) + size
	if size < s.least || size == longestToken || s.most > 0 && size > s.most || n < len(text) && isWord[text[n]] {
		return 0
	}
	if s.mixed && !(strings.ContainsAny(text[:n], "0123456789") && strings.ContainsAny(text[:n], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
		return 0
	}
	return n
}

// longestToken bounds how far a key is followed: within a long word each part of it might be taken as the beginning of
// another.
const longestToken = 1024

// run returns how many characters of a set a text begins with.
func run(text string, s *set) int {
	n := 0
	for n < len(text) && s[text[n]] {
		n++
	}
	return n
}

// jsonWebToken knows tokens by their first two parts, which are JSON objects in base64.
func jsonWebToken(text string, i int) span {
	if !strings.HasPrefix(text, "eyJ") {
		return span{}
	}
	head := run(text[:min(len(text), longestToken)], &isURL64)
	if head < 12 || !strings.HasPrefix(text[head:], ".eyJ") {
		return span{}
	}
	n := head + 1
	n += run(text[n:], &isURL64)
	if n < len(text) && text[n] == '.' {
		n += 1 + run(text[n+1:], &isURL64)
	}
	return span{i, i + n, "jwt"}
}

func sendgrid(text string, i int) span {
	if !strings.HasPrefix(text, "SG.") {
		return span{}
	}
	n := 3 + run(text[3:min(len(text), longestToken)], &isURL64)
	if n < 3+16 || n >= len(text) || text[n] != '.' {
		return span{}
	}
	rest := run(text[n+1:], &isURL64)
	if rest < 16 {
		return span{}
	}
	return span{i, i + n + 1 + rest, "sendgrid-key"}
}

// bearer recognises a token by the scheme of an Authorization header before it.
func bearer(text string, i int) span {
	const scheme = "bearer "
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return span{}
	}
	value := text[len(scheme):]
	n := 0
	for n < len(value) && (isURL64[value[n]] || strings.IndexByte("._~+/=", value[n]) >= 0) {
		n++
	}
	if n < 16 || !strings.ContainsAny(value[:n], "0123456789") {
		return span{}
	}
	start := i + len(scheme)
	return span{start, start + n, "bearer-token"}
}

func slackHook(text string, i int) span {
	const host = "hooks.slack.com/services/"
	if !strings.HasPrefix(text, host) {
		return span{}
	}
	n := len(host)
	for n < len(text) && (isURL64[text[n]] || text[n] == '/') {
		n++
	}
	if n < len(host)+20 {
		return span{}
	}
	return span{i + len(host), i + n, "slack-webhook"}
}
