package masking_test

import (
	"strings"
	"testing"

	"track/internal/masking"
)

// The secrets are made of parts here, so that this file holds none that a scanner of sources would find.
var (
	upper  = strings.Repeat("AB1C", 4)
	letter = strings.Repeat("aB3dE", 12)
	hex    = strings.Repeat("0a1b2c3d", 8)
)

func secrets() map[string]string {
	dash := strings.Repeat("-", 5)
	return map[string]string{
		"aws-key-id":         "AKIA" + upper,
		"google-key":         "AI" + "za" + letter[:35],
		"google-token":       "ya" + "29." + letter[:30],
		"github-token":       "gh" + "p_" + letter[:36],
		"gitlab-token":       "gl" + "pat-" + letter[:20],
		"groq-key":           "gs" + "k_" + letter[:50],
		"huggingface-token":  "h" + "f_" + letter[:34],
		"npm-token":          "np" + "m_" + letter[:36],
		"pypi-token":         "py" + "pi-" + letter,
		"stripe-key":         "sk" + "_live_" + letter[:24],
		"anthropic-key":      "sk" + "-ant-api03-" + letter[:40],
		"openai-key":         "sk" + "-proj-" + letter[:40],
		"slack-token":        "xo" + "xb-" + "123456789012-" + letter[:24],
		"sendgrid-key":       "S" + "G." + letter[:22] + "." + letter[:43],
		"digitalocean-token": "dop" + "_v1_" + hex,
		"databricks-token":   "da" + "pi" + hex[:32],
		"age-key":            "AGE-" + "SECRET-KEY-" + strings.Repeat("QPZRY9X8", 7),
		"jwt":                "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxMjM0In0." + letter[:43],
		"private-key":        dash + "BEGIN RSA PRIVATE KEY" + dash + "\nMIIE" + letter + "\n" + letter + "==\n" + dash + "END RSA PRIVATE KEY" + dash,
	}
}

// A secret is found wherever it stands, and what stands around it stays.
func TestMaskShapes(t *testing.T) {
	for kind, secret := range secrets() {
		for _, around := range [][2]string{
			{"", ""}, {"see ", " there"}, {`{"x":"`, `"}`}, {"a\n", "\nb"}, {`a\n`, `\nb`}, {"(", ")"}, {"export X='", "'"}, {"é ", " é"},
		} {
			got, n := masking.Mask(around[0] + secret + around[1])
			if want := around[0] + "[masked:" + kind + "]" + around[1]; got != want || n != 1 {
				t.Errorf("%s: %q with %d masks, want %q", kind, got, n, want)
			}
		}
	}
}

func TestMaskInContext(t *testing.T) {
	word, random := "hun"+"ter2", letter[:24]
	for _, tt := range []struct{ text, want string }{
		{"password=" + word, "password=[masked:password]"},
		{"DB_PASSWORD=" + word + " ./run", "DB_PASSWORD=[masked:password] ./run"},
		{"a\nPGPASSWORD='" + word + "' psql", "a\nPGPASSWORD='[masked:password]' psql"},
		{`{"api_key": "` + random + `", "n": 1}`, `{"api_key": "[masked:api-key]", "n": 1}`},
		{`{\"api_key\":\"` + random + `\",\"n\":1}`, `{\"api_key\":\"[masked:api-key]\",\"n\":1}`},
		{`{\\\"apiKey\\\": \\\"` + random + `\\\"}`, `{\\\"apiKey\\\": \\\"[masked:api-key]\\\"}`},
		{`clientSecret: '` + random + `',`, `clientSecret: '[masked:secret]',`},
		{`config["password"] = "` + word + `"`, `config["password"] = "[masked:password]"`},
		{`password := "` + word + `"`, `password := "[masked:password]"`},
		{`'secret' => '` + word + `'`, `'secret' => '[masked:secret]'`},
		{"  password: correcthorse\n", "  password: [masked:password]\n"},
		{"aws_secret_access_key = " + letter[:40], "aws_secret_access_key = [masked:access-key]"},
		{"AccountName=x;AccountKey=" + letter[:40] + "==;EndpointSuffix=y", "AccountName=x;AccountKey=[masked:access-key];EndpointSuffix=y"},
		{"Server=s;User Id=u;Password=" + word + ";", "Server=s;User Id=u;Password=[masked:password];"},
		{"mysql --user root --password " + word, "mysql --user root --password [masked:password]"},
		{"x --api-key=" + random + " y", "x --api-key=[masked:api-key] y"},
		{"token=" + random, "token=[masked:token]"},
		{`curl -H "Authorization: Bearer ` + random + `" u`, `curl -H "Authorization: Bearer [masked:authorization]" u`},
		{"Authorization: Basic dXNlcjpwYXNz\nHost: h", "Authorization: Basic [masked:authorization]\nHost: h"},
		{`"authorization": "token ` + random + `"`, `"authorization": "token [masked:authorization]"`},
		{"<password>" + word + "</password>", "<password>[masked:password]</password>"},
		{"https://x.example/?access_token=" + random + "&a=b", "https://x.example/?access_token=[masked:token]&a=b"},
		{"sk" + "-" + hex[:32], "[masked:openai-key]"},
		{"with Bearer " + random + ".", "with Bearer [masked:bearer-token]"},
		{"Cookie: session=" + random + "; a=b\n", "Cookie: [masked:cookie]\n"},
		{"x-api-key: " + random, "x-api-key: [masked:api-key]"},
		{"postgres://app:" + word + "@db.example:5432/x?y=z", "postgres://app:[masked:url-password]@db.example:5432/x?y=z"},
		{"https://:" + random + "@git.example/r.git", "https://:[masked:url-password]@git.example/r.git"},
		{"mongodb+srv://u:p@ss:w@h/", "mongodb+srv://u:[masked:url-password]@h/"},
		{"https://hooks.slack.com/services/" + "T000/B000/" + random, "https://hooks.slack.com/services/[masked:slack-webhook]"},
		{strings.Repeat("-", 5) + "BEGIN PRIVATE KEY" + strings.Repeat("-", 5) + `\n` + letter, "[masked:private-key]"},
		{"password=" + word + "\npassword=" + word, "password=[masked:password]\npassword=[masked:password]"},
		{"RUNNER=curl -u me:" + word + " https://x", "RUNNER=curl -u me:[masked:password] https://x"},
		{"RUNNER=curl --user me:" + word + " u", "RUNNER=curl --user me:[masked:password] u"},
		{"RUNNER=mysql -p" + word + " db", "RUNNER=mysql -p[masked:password] db"},
		{"X=sshpass -p " + word + " ssh h", "X=sshpass -p [masked:password] ssh h"},
		{"X=zip -P " + word + " a.zip", "X=zip -P [masked:password] a.zip"},
		{"X=redis-cli -a " + word + " ping", "X=redis-cli -a [masked:password] ping"},
		{`{"ARGS":"curl -u me:` + word + ` "}`, `{"ARGS":"curl -u me:[masked:password] "}`},
	} {
		got, n := masking.Mask(tt.text)
		if want := strings.Count(tt.want, "[masked:"); got != tt.want || n != want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
		if again, n := masking.Mask(got); again != got || n != 0 {
			t.Errorf("%q becomes %q when it is masked again", got, again)
		}
	}
}

// innocent texts hold no secret.
var innocent = []string{
	"", "plain prose about passwords, tokens and secrets: they are masked.",
	"The password must be at least 8 characters long.", "Enter password: ", "password: string;", "password: str = None",
	`"password": {"type": "string"}`, `"password": ""`, `"password": null`, `"password": true`,
	"password = get_password(user)", "password = os.environ['PASSWORD']", `token = os.environ["TOKEN"]`, "apiKey: process.env.API_KEY,",
	"PASSWORD=$PASSWORD", "PASSWORD=${DB_PASSWORD:-x}", "password: {{ vault_password }}", "password=<your password>", "api_key=********", "password=xxxxxxxx",
	"if password == other {", "password != \"\"", "token: Token", "let token = lexer.next();", "token := p.next()", "max_tokens=4096", `"input_tokens": 1200, "output_tokens": 35`,
	"PWD=/home/user/project2", "OLDPWD=/srv/data-01", "PASS=3 FAIL=0", "bypass=enabled12345", "compass: north12345", "secretary: Mrs 12345678",
	"8e8d4ce5ad2dfae14cb26caf5d3cddebee929990", "sha256:" + strings.Repeat("9f86d081", 8), "196820da-1026-4b6f-a513-a6aae42da1a6",
	"toolu_01FdQ8qTyVyZjE3Kw4dguQGx", "msg_01MKH1ccEGrZGNPvu8pYiiQa", "call_QazIeAavKevvIILVQkrDdKKT", "req_011CY15QS2LGwAeBxdfa6e1V",
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"https://example.com:8080/a@b?c=d", "git@github.com:a/b.git", "ssh://git@github.com/a/b.git", "http://[::1]:80/", "user@example.com: hello",
	"sk-learn-is-a-library-for-machine-learning", "skip-this-very-long-hyphenated-word-please", "task-2026-01-02-with-a-long-name",
	"Bearer of bad news", "bearer authentication is required", "eyJ", "ghp_short", "AKIA", "npm_config_registry=https://registry.npmjs.org",
	"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "-H \"Authorization: Bearer ${TOKEN}\"", "authorization: required",
	"-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "-- a comment", "<password></password>", "a<b>c</b>", "<label>Password</label>", "List<Token> tokens", "---", "--password-file x",
	"[masked:password]", "password=[masked:password]", `"api_key": "[masked:api-key]"`, "[masked:api-key]=x", "key: value", `{"key":"abc123def456"}`, "monkey=123456789",
	"keyboard: qwerty", "std::password::x", "a ? password : other",
}

func TestMaskInnocent(t *testing.T) {
	for _, text := range innocent {
		if got, n := masking.Mask(text); got != text || n != 0 {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, secret := range secrets() {
		f.Add(secret)
	}
	for _, text := range innocent {
		f.Add(text)
	}
	f.Add(`password="pwd="secret=[masked:x]y` + "\npassword=[masked:password]tail")
	f.Fuzz(func(t *testing.T, text string) {
		masked, n := masking.Mask(text)
		if (n == 0) != (masked == text) {
			t.Fatalf("%d masks, yet %q became %q", n, text, masked)
		}
		if again, n := masking.Mask(masked); again != masked || n != 0 {
			t.Fatalf("%q became %q, and %q when it was masked again", text, masked, again)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	code := strings.Repeat("func (s *Store) Close() error { return s.db.Close() } // the token of a parser: next = 12\n", 10_000)
	log := strings.Repeat(`{"type":"tool_result","tool_use_id":"toolu_01FdQ8qTyVyZjE3Kw4dguQGx","content":"a\nb","max_tokens":12}`+"\n", 10_000)
	for name, text := range map[string]string{
		"code": code, "log": log, "with secrets": strings.Repeat(log[:5000]+"password="+letter[:20]+"\n", 200),
		"base64": strings.Repeat(letter, 20_000), "keys without end": strings.Repeat(`password="`, 50_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				masking.Mask(text)
			}
		})
	}
}
