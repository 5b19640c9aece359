package masking

import "strings"

const longestLook = 160 // how far is looked back for the name that belongs to a value

// keyAround returns what a key is by what stands around it, if its own name says nothing: the data of a Kubernetes
// secret, and pairs such as {"name":"DB_PASSWORD","value":"…"}. start and value are where key and value begin.
func (s *scanner) keyAround(name string, start, value int, k key) key {
	if start < s.block && name != "" {
		return key{"secret", strong}
	}
	switch name {
	case "data", "stringData":
		if end := s.kubernetesData(start, value); end > 0 {
			s.block = end
		}
	case "value", "Value", "val", "default", "defaultValue", "secretString", "SecretString":
		if k := s.pairedKey(start); k.kind != "" {
			return k
		}
		return s.keyBehind(value)
	case "thin":
		if found := s.oracleLogin(value); found.kind != "" {
			return key{"password", login}
		}
	case "Private-Lines":
		return key{"private-key", lines}
	case "p", "P":
		if start > 0 && s.text[start-1] == ';' && strings.Contains(s.text[max(0, start-100):start], "WIFI:") {
			return key{"password", strong}
		}
		if start > 1 && s.text[start-1] == '/' && s.text[start-2] == ' ' && s.command.is("xfreerdp") {
			return key{"password", strong}
		}
	}
	if literal := "--from-literal="; start >= len(literal) && s.text[start-1] == '=' &&
		s.text[start-len(literal):start] == literal {
		return key{"secret", strong}
	}
	if s.command.word == "secrets" && s.command.last == "set" && start > 0 && s.text[start-1] == ' ' &&
		strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && name != "" {
		return key{"secret", strong}
	}
	return k
}

// kubernetesData returns the end of the data of a Kubernetes secret, 0 if there is none. start and value are where data
// and what follows it begin.
func (s *scanner) kubernetesData(start, value int) int {
	const far = 4096
	if !isKubernetesSecret(s.text[max(0, start-far):start]) &&
		!isKubernetesSecret(s.text[value:min(len(s.text), value+far)]) {
		return 0
	}
	rest := s.text[value:]
	if strings.HasPrefix(rest, "{") {
		if end := strings.IndexByte(rest[:min(len(rest), 64<<10)], '}'); end > 0 {
			return value + end
		}
		return 0
	}
	indent := start - 1 - strings.LastIndexByte(s.text[max(0, start-longestLook):start], '\n') - max(0,
		start-longestLook)
	end := value
	for end < len(s.text) && end < value+64<<10 {
		line := strings.IndexByte(s.text[end:], '\n')
		if line < 0 {
			return len(s.text)
		}
		next := end + line + 1
		if deep := run(s.text[next:], &isBlank); next+deep < len(s.text) && deep <= indent &&
			s.text[next+deep] != '\n' {
			return next
		}
		end = next
	}
	return end
}

var isBlank = set{1<<' ' | 1<<'\t'}

func isKubernetesSecret(text string) bool {
	for {
		n := strings.Index(text, "kind")
		if n < 0 {
			return false
		}
		text = text[n+len("kind"):]
		value := strings.TrimLeft(text, "\\\": \t")
		if value = strings.TrimPrefix(value, "'"); strings.HasPrefix(value, "Secret") &&
			(len(value) == len("Secret") || !isWord.has(value[len("Secret")])) {
			return true
		}
	}
}

// blockValue returns the indented lines behind key: | of YAML. i is the position of the mark.
func (s *scanner) blockValue(i int, k key) span {
	const longest = 16 << 10
	n := i + 1
	if n < len(s.text) && (s.text[n] == '-' || s.text[n] == '+') {
		n++
	}
	if n >= len(s.text) || s.text[n] != '\n' || k.strength < strong || k.strength > strong {
		return span{}
	}
	line := strings.LastIndexByte(s.text[max(0, i-longestName-40):i], '\n') + 1 + max(0, i-longestName-40)
	indent := run(s.text[line:], &isBlank)
	start := n + 1 + run(s.text[n+1:], &isBlank)
	end := s.blockEnd(n, i+longest, indent)
	if end <= start || !k.isSecret(s.text[start:end]) {
		return span{}
	}
	return span{start, s.blockEnd(end, len(s.text), indent), k.kind}
}

// blockEnd returns where the lines end that begin behind end and are indented deeper; a line that begins at the limit
// or behind it does not count.
func (s *scanner) blockEnd(end, limit, indent int) int {
	for end < len(s.text) && end < limit {
		deep := run(s.text[end+1:], &isBlank)
		if deep <= indent || end+1+deep >= len(s.text) || s.text[end+1+deep] == '\n' {
			break
		}
		next := strings.IndexByte(s.text[end+1:], '\n')
		if next < 0 {
			return len(s.text)
		}
		end += 1 + next
	}
	return end
}

// passwordFile returns the password of a line such as host:5432:database:user:password. i is the position of its first
// colon.
func (s *scanner) passwordFile(i int) span {
	host := runBack(s.text[max(0, i-longestName):i], &isName)
	if host == 0 && s.text[max(0, i-1)] != '*' || host == longestName ||
		strings.Trim(s.text[i-host:i], "0123456789") == "" && host > 0 {
		return span{}
	}
	line := s.text[i+1 : min(len(s.text), i+400)]
	if end := strings.IndexAny(line, "\r\n \t\"'"); end >= 0 {
		line = line[:end]
	}
	fields := strings.SplitN(line, ":", 4)
	if len(fields) < 4 || strings.Trim(fields[0], "0123456789*") != "" || len(fields[0]) > 5 || fields[1] == "" ||
		fields[2] == "" {
		return span{}
	}
	if names := fields[1] + fields[2]; strings.Trim(names, "0123456789") == "" ||
		run(strings.ReplaceAll(names, "*", ""), &isName) < len(strings.ReplaceAll(names, "*", "")) ||
		len(fields[3]) < 4 || !(key{kind: "password"}).isSecret(fields[3]) || strings.Contains(fields[3], ":") {
		return span{}
	}
	end := i + 1 + len(line)
	return span{end - len(fields[3]), end, "password"}
}
