package masking

import "strings"

const farForeign = 48 // bytes that are looked back for a word of another language

// foreignWords mean password, key or token in languages whose words are not of ASCII letters alone.
var foreignWords = [...]string{
	"пароль", "пароля", "паролем", "токен", "ключ api", "секрет", "лозинка", "парола", "κωδικός", "κωδικος",
	"συνθηματικό",
	"密码", "密碼", "口令", "密钥", "密鑰", "令牌", "パスワード", "暗証番号", "トークン", "合言葉", "비밀번호", "암호", "토큰",
	"كلمة المرور", "كلمة السر", "رمز عبور", "گذرواژه", "پاس ورڈ", "סיסמה", "סיסמא", "पासवर्ड", "পাসওয়ার্ড",
	"கடவுச்சொல்", "รหัสผ่าน",
	"mật khẩu", "contraseña", "şifre", "hasło", "hasła", "lösenord", "jelszó", "palavra-passe", "clé secrète",
	"clé api",
	"salasõna", "slaptažodis", "գաղտնաբառ", "პაროლი", "clé d'accès", "schlüssel", "құпиясөз", "aðgangsorð",
}

// foreignKey returns what a word of another language before i says, on the same line and in the same clause.
func (s *scanner) foreignKey(i int) key {
	before := s.text[max(0, i-farForeign):i]
	before = before[strings.LastIndexAny(before, "\n;{}")+1:]
	if strings.IndexFunc(before, isForeign) < 0 {
		return key{}
	}
	before = strings.ToLower(before)
	for _, word := range foreignWords {
		if n := strings.LastIndex(before, word); n >= 0 {
			return key{"password", strong}
		}
	}
	return key{}
}

func hasForeign(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return true
		}
	}
	return false
}

func isForeign(c rune) bool { return c >= 0x80 }

// foreignValue returns the password that begins at start if a word of another language stands right before it.
func (s *scanner) foreignValue(start int) span {
	end := start + len(strings.TrimRight(asciiStart(s.text[start:s.until(&endsWord, start, min(len(s.text),
		start+longestQuote))]), ".,;:!?)"))
	if !isChosen(s.text[start:end]) || s.foreignKey(start).kind == "" {
		return span{}
	}
	return span{start, end, "password"}
}

// asciiStart returns what a text begins with that is ASCII.
func asciiStart(text string) string {
	if n := strings.IndexFunc(text, isForeign); n >= 0 {
		return text[:n]
	}
	return text
}

// isAfterForeign reports whether a letter that is not ASCII stands before i, perhaps with a space or a quote between.
func (s *scanner) isAfterForeign(i int) bool {
	for n := 0; i > 0 && n < 2 && (s.text[i-1] == ' ' || isQuote(s.text[i-1])); n++ {
		i--
	}
	return i > 0 && s.text[i-1] >= 0x80
}

// wideColon returns what a full-width colon assigns. i is the position of its first byte.
func (s *scanner) wideColon(i int) span {
	if !strings.HasPrefix(s.text[i:], "：") {
		return span{}
	}
	return s.assignment(i, i+len("："))
}
