package masking

import "strings"

const longestAuthority = 400

// address returns the password of scheme://user:password@host, a token in place of the user, or the path of a webhook.
// i is the position of ://.
func (s *scanner) address(i int) span {
	start := i + len("://")
	rest := s.text[start:min(len(s.text), start+longestAuthority)]
	for end := 0; end < len(rest); end++ {
		if strings.IndexByte(" \t\r\n\"'`\\", rest[end]) >= 0 || rest[end] == '>' && !hasInnerBrackets(rest[:min(end+2, len(rest))]) {
			rest = rest[:end]
		}
	}
	if next := strings.Index(rest, "://"); next >= 0 {
		rest = rest[:next]
	}
	if from, to := urlPassword(rest); to > 0 {
		return span{start + from, start + to, "url-password"}
	}
	if n := run(rest, &isWord); n > 0 && n < len(rest) {
		if found := s.known(start, start+n); found.kind != "" {
			return found
		}
	}
	if from, to := webhookPath(rest); to > 0 {
		return span{start + from, start + to, "webhook"}
	}
	return span{}
}

// urlPassword returns where the password, or the token in place of a user, lies in what follows the :// of an address.
func urlPassword(rest string) (from, to int) {
	if strings.HasPrefix(rest, "[masked:") {
		return 0, 0
	}
	authority := rest
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	colon := strings.IndexByte(authority, ':')
	if at < 0 && colon >= 0 {
		at = lateAt(rest, colon, len(authority))
	}
	if at < 0 {
		return 0, 0
	}
	password := key{kind: "url-password"}
	if colon < 0 || colon > at {
		if isRandom(rest[:at]) && at >= 16 {
			return 0, at
		}
		return 0, 0
	}
	if colon+1 == at { // the token is the user
		if isRandom(rest[:colon]) {
			return 0, colon
		}
		return 0, 0
	}
	if user := rest[:colon]; colon >= 20 && isRandom(user) && rest[colon+1:at] != "" && !hasDigit(rest[colon+1:at]) {
		return 0, colon // TOKEN:x-oauth-basic
	}
	if !password.isSecret(rest[colon+1 : at]) {
		return 0, 0
	}
	return colon + 1, at
}

// lateAt returns the position of the @ behind a password with a slash or a hash, -1 if there is none. end is where the
// authority would end without it.
func lateAt(rest string, colon, end int) int {
	if port := rest[colon+1 : end]; strings.Trim(port, "0123456789") == "" {
		return -1
	}
	for at := strings.LastIndexByte(rest, '@'); at > end; at = strings.LastIndexByte(rest[:at], '@') {
		host := rest[at+1:]
		n := 0
		for n < len(host) && (isURL64.has(host[n]) || host[n] == '.') {
			n++
		}
		if n > 0 && (n == len(host) || strings.IndexByte(":/?#", host[n]) >= 0) &&
			!strings.ContainsAny(rest[:at], "?") {
			return at
		}
	}
	return -1
}

// webhookPath returns where the secret part lies in the address of a webhook, behind its ://.
func webhookPath(rest string) (from, to int) {
	slash := strings.IndexByte(rest, '/')
	if slash < 0 || len(rest)-slash < 20 {
		return 0, 0
	}
	from = -1
	for _, mark := range [...]string{"/webhooks/", "/webhook/", "/webhookb2/", "/hooks/", "/hook/", "/incoming/",
		"/services/"} {
		if n := strings.Index(rest[slash:], mark); n >= 0 {
			from = slash + n + len(mark)
			break
		}
	}
	if from < 0 && (strings.HasPrefix(rest, "hooks.") || strings.HasPrefix(rest, "hook.") ||
		strings.HasPrefix(rest, "webhook.")) {
		from = slash + 1
	}
	if from < 0 || from >= len(rest) {
		return 0, 0
	}
	to = from + run(rest[from:], &isPath)
	for part := range strings.SplitSeq(rest[from:to], "/") {
		if isRandom(part) || len(part) >= 16 && isRandomBody(part, false) || isUUIDText(part) {
			return from, to
		}
	}
	return 0, 0
}
