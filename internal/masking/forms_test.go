package masking_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"track/internal/masking"
)

var marked = regexp.MustCompile(`(?s)⟦.*?⟧`)

// checkMasked masks texts in which ⟦…⟧ surrounds the secrets, and expects masks in their place and everything else as
// it was.
func checkMasked(t *testing.T, texts ...string) {
	t.Helper()
	kind := regexp.MustCompile(`\[masked:[a-z-]+\]`)
	for _, text := range texts {
		plain := strings.NewReplacer("⟦", "", "⟧", "").Replace(text)
		masked, _ := masking.Mask(plain)
		if got, want := kind.ReplaceAllString(masked, "⟦⟧"), marked.ReplaceAllString(text, "⟦⟧"); got != want {
			t.Errorf("%q became %q", text, masked)
		}
		if again, n := masking.Mask(masked); again != masked || n != 0 {
			t.Errorf("%q becomes %q when it is masked again", masked, again)
		}
		checkMaskedInJSON(t, plain, masked)
	}
}

// checkMaskedInJSON checks that a text is masked in the same way in a string of JSON, however its characters are
// escaped.
func checkMaskedInJSON(t *testing.T, plain, masked string) {
	t.Helper()
	quoted, err := jsontext.AppendQuote(nil, plain)
	if err != nil {
		t.Fatal(err)
	}
	var escaped strings.Builder
	for _, c := range utf16.Encode([]rune(plain)) {
		fmt.Fprintf(&escaped, `\u%04x`, c)
	}
	for _, encoded := range []string{string(quoted), `"` + escaped.String() + `"`} {
		text, _ := masking.Mask(`{"x":` + encoded + `}`)
		decoded, err := jsontext.AppendUnquote(nil, strings.TrimSuffix(strings.TrimPrefix(text, `{"x":`), "}"))
		if err != nil || string(decoded) != masked {
			t.Errorf("%s in JSON became %q, want %q: %v", encoded, decoded, masked, err)
		}
	}
}

const (
	chosen = "Tr0ub4dor&3x"
	mixed  = "k7Qw2ZpL9xVb4TnR8sMd1"
)

func TestMaskCommands(t *testing.T) {
	checkMasked(t,
		"curl -u me:⟦"+chosen+"⟧ https://h", "curl -sSu 'me:⟦"+chosen+"⟧' https://h", "curl --user me:⟦"+mixed+"⟧ h", "curl -b '⟦sid="+mixed+"⟧' h",
		"mysql -u root -p⟦"+mixed+"⟧ shop", "sshpass -p ⟦"+mixed+"⟧ ssh h", "redis-cli -h h -a ⟦"+mixed+"⟧ ping", "docker login -u me -p ⟦"+mixed+"⟧ r.example",
		"zip -P ⟦"+mixed+"⟧ a.zip b", "htpasswd -bc f me ⟦"+mixed+"⟧", "wandb login ⟦"+mixed+"⟧", "aws configure set aws_secret_access_key ⟦"+mixed+"⟧",
		`["mysqldump","--password","⟦`+mixed+`⟧"]`, `["curl", "-u", "me:⟦`+mixed+`⟧"]`, "openssl rsa -passin pass:⟦"+mixed+"⟧ -in k", "smbclient -U me%⟦"+mixed+"⟧ //h/s",
		"echo ⟦"+mixed+"⟧ | docker login --password-stdin", "ldapsearch -D cn=me -w ⟦"+mixed+"⟧ -x", "app -token ⟦"+mixed+"⟧ x", "setx API_TOKEN ⟦"+mixed+"⟧",
		"curl -X POST \\\n -u me:⟦"+mixed+"⟧ \\\n h", "sqlplus me/⟦"+mixed+"⟧@db",
	)
	checkUnmasked(t, "docker run -p 8080:80 nginx", "mkdir -p a/b", "ssh -p 2222 h", "mysql -p shop", "curl -u me https://h", "tar -xzf a.tgz -C b", "grep -P 'a+' f1", "docker login -p $TOKEN h",
		"zip -r a.zip b", "sort -u a; cp -p b1 c", "python3 -u train.py -p 0.5", "use curl -u when asked", "set password policy to strict", "git config --global user.name Me")
}

func TestMaskFiles(t *testing.T) {
	checkMasked(t,
		"machine h login me password ⟦"+mixed+"⟧", "machine h\n  login me\n  password ⟦"+mixed+"⟧\n", "db.example:5432:shop:me:⟦"+mixed+"⟧",
		`{"auths":{"r":{"auth":"⟦bWU6aHVudGVyMg==⟧"}}}`, "//r.example/:_auth=⟦bWU6aHVudGVyMg==⟧", `{"name":"DB_PASSWORD","value":"⟦`+mixed+`⟧"}`, "- name: DB_PASSWORD\n  value: ⟦"+mixed+"⟧",
		"kind: Secret\ndata:\n  a: ⟦aGVsbG8=⟧\n  b: ⟦d29ybGQ=⟧\nmetadata:\n  name: x", "apiVersion: v1\ndata:\n  a: ⟦aGVsbG8=⟧\nkind: Secret\n",
		"<key>token</key>\n<string>⟦"+mixed+"⟧</string>", `<add key="DbPassword" value="⟦`+mixed+`⟧"/>`, "password: |\n  ⟦"+mixed+"⟧\nnext: 1", "define('DB_PASSWORD', '⟦"+mixed+"⟧');",
	)
	begin, line := strings.Repeat("-", 5)+"BEGIN RSA PRIVATE KEY"+strings.Repeat("-", 5), strings.Repeat("aB3/+Eab", 6)
	checkMasked(t, "⟦"+begin+"\n"+line+"\n"+line+"⟧", "- ⟦"+begin+"\n  "+line+"\n  "+line+"⟧", "⟦"+line+"\n"+line+"\n"+strings.Replace(begin, "BEGIN", "END", 1)+"⟧")
	checkUnmasked(t, "kind: ConfigMap\ndata:\n  a: aGVsbG8=\n", "name,path\na,b1\n", "user,password policy\nme,none\n", `{"name":"LOG_LEVEL","value":"debug1234"}`, "h:12:34: message a1b2c3d4")
}

func TestMaskValues(t *testing.T) {
	checkMasked(t,
		"password=⟦$ecret9!x⟧", "password='⟦%a9Kx#2q⟧'", "password='⟦(a9Kx#2q⟧'", `{"password":"⟦{a9Kx#2q⟧"}`, "STRIPE_KEY=⟦"+mixed+"⟧", "NPM_PAT=⟦"+mixed+"⟧", "token%3D⟦"+mixed+"⟧", "\x1b[31m⟦gh"+"p_"+letter[:36]+"⟧\x1b[0m",
		"CREATE USER me IDENTIFIED BY '⟦"+mixed+"⟧'", "ALTER ROLE me WITH PASSWORD '⟦"+mixed+"⟧'", "SENTRY_DSN=https://⟦"+hex[:32]+"⟧@o1.ingest.example/2", "the password is ⟦"+mixed+"⟧.",
		"postgres://me:⟦pa/ss#w0rd⟧@h:5432/db", "https://h/x?X-Amz-Signature=⟦"+hex+"⟧&a=b", "https://acct.blob.example/c?sv=2024&sig=⟦"+letter[:43]+"%3D⟧", "Authorization: Digest ⟦username=\"me\", response=\""+hex[:32]+"\"⟧",
		"https://discord.com/api/webhooks/⟦1234567890/"+letter+"⟧", `https:\/\/hooks.slack.com\/services\/⟦T000\/B000\/`+mixed+`⟧`, "new token for staging: ⟦"+mixed+"⟧", "got ⟦acme_"+mixed+"k2P⟧ from the shop", "PASSWORD_PROD=⟦"+chosen[:9]+"⟧",
	)
	checkUnmasked(t, "password=$DB_PASSWORD", "password=$pass1", "password=%s", "password=%PASSWORD%", "password={{ .Values.password }}", "password={password}", "password=(none)", "password: !vault |", "password: [redacted]",
		"PRIMARY_KEY=id", "cache key: linux-go-"+hex, "key: 8f14e45f-ceea-467f-a8b5-1c2d3e4f5a6b", "0x"+hex[:40], "sha512-"+letter+"==", "http://host:8080/a@b", "https://h/services/list?page=2", "git@github.com:a/b.git")
}

func TestMaskAnnounced(t *testing.T) {
	checkMasked(t,
		"the password was changed to ⟦"+mixed+"⟧", "Password for me: ⟦"+mixed+"⟧", "password (temporary): ⟦"+mixed+"⟧", "- **Password:** `⟦"+mixed+"⟧`", "| password | ⟦"+mixed+"⟧ |",
		"DB_SENHA=⟦"+mixed+"⟧", "wachtwoord: ⟦"+mixed+"⟧", "credentials: admin / ⟦"+mixed+"⟧", "private key: ⟦"+hex+"⟧",
		"seed phrase: ⟦"+strings.Repeat("apple ", 11)+"zebra⟧", `MNEMONIC="⟦`+strings.Repeat("apple ", 11)+`zebra⟧"`, "enable secret 5 ⟦"+mixed+"⟧",
	)
	checkUnmasked(t, "the password policy of 2024 changed", "password: see RFC 8018", "the password is stored in /etc/app/secret1.txt", "пароль должен быть длинным", "密码长度 8", "error code: 12345678", "status codes: 200, 404, 500",
		"seed: 12345678", "the phrase: the quick brown fox", "backup codes are printed once", "the key: "+hex[:40], "password_policy=strong1234", "password_file=/run/secrets/x1")
}

func TestMaskGiven(t *testing.T) {
	checkMasked(t,
		`printf 'password=%s\n' '⟦`+mixed+"⟧' >> f", `printf "user=%s password=%s" "me" "⟦`+mixed+`⟧"`, `fmt.Sprintf("password=%s", "⟦`+mixed+`⟧")`, "TOKEN=$(echo ⟦"+mixed+"abc⟧ | base64 -d)",
		"r login --password-stdin <<< '⟦"+mixed+"⟧'", "openssl passwd -6 ⟦"+mixed+"⟧", "password: \x1b[31m⟦ab|Cd9efgh⟧\x1b[39m",
		`connect("h", "me", "⟦`+chosen+`⟧")`, `require("twilio")("AC`+hex[:32]+`", "⟦`+hex[:32]+`⟧")`, "AUTH default ⟦"+mixed+"⟧",
	)
	checkUnmasked(t, `printf 'password=%s\n' "$P"`, `fmt.Sprintf("password=%s", p)`, "echo "+hex+" | wc", `connect("localhost", "app")`, "cat <<EOF\nhello1234\nEOF\n", `same("`+hex[:40]+`", "`+hex[:40]+`")`)
}

func checkUnmasked(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if got, n := masking.Mask(text); got != text || n != 0 {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestMaskElements(t *testing.T) {
	checkMasked(t, "<code>⟦"+mixed+"⟧</code>", "<password>⟦"+chosen+"⟧</password>",
		"<code>scenario-x.html</code>", "set <code>GOFLAGS=-v1</code> first", "<key>com.example.x1</key>", "<code>v1.2.3-rc1</code>")
}

func TestMaskInStrings(t *testing.T) {
	for text, want := range map[string]string{
		`"https:\/\/hooks.slack.com\/services\/T000\/B000\/` + mixed + `"`: `"https://hooks.slack.com/services/[masked:slack-webhook]"`,
		`{"p\u0061ssword":"` + chosen + `"}`:                               `{"password":"[masked:password]"}`,
		`log {"a":"{\"b\":\"password\\u003d` + chosen + `\"}"} end`:        `log {"a":"{\"b\":\"password=[masked:password]\"}"} end`,
		`{"a":"a\/b","b":"password policy"}`:                               `{"a":"a\/b","b":"password policy"}`,
	} {
		if got, _ := masking.Mask(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

func TestMaskBrackets(t *testing.T) {
	for _, password := range []string{"hunt(er)2x", "hunt[er]2x", "hunt{er}2x", "hunt<er>2x", "[hunter]2x", "<hunter>2x", "(hu)nt{er}2x"} {
		checkMasked(t, "DB_PASSWORD=⟦"+password+"⟧", "x DB_PASSWORD=⟦"+password+"⟧ y", "password: ⟦"+password+"⟧", `"password": "⟦`+password+`⟧"`, "x --password '⟦"+password+"⟧' y",
			"postgres://u:⟦"+password+"⟧@h/x", `conn = "Server=s;Password=⟦`+password+`⟧;x=y"`, "curl -u me:⟦"+password+"⟧ u")
	}
	checkMasked(t, "DB_PASSWORD=⟦hunter2[x⟧\nB=1")
	checkUnmasked(t, "password=make2(user)", "password = words2[0]", "password = make2(\n  a)", "password=make2(a, b)", "password=<your-password-2>", "<https://h:80>, <me@h1>")
}

func TestMaskInputs(t *testing.T) {
	checkMasked(t, `<input type="password" value="⟦hunter2⟧">`, `<input value='⟦hunter2⟧' name=x type='password'>`, "<input type=password value=⟦hunter2⟧>", `<INPUT TYPE="PASSWORD" VALUE="⟦hunter2⟧">`,
		"<input type=\"password\"\n  class=\"wide\"\n  value=\"⟦hunter2⟧\"/>")
	checkUnmasked(t, `<input type="password" value="">`, `<input type="password" value="{{ .Password }}">`, `<Input type="password" value={password1} />`, `<input type="password"> <input type="text" value="other1x">`)
}

func TestMaskFirebase(t *testing.T) {
	long := strings.Repeat("aB3-dE_x", 14)
	checkMasked(t, "cXy1-_abcDEF123456789a:⟦APA91b"+long+"⟧", "AAAAabc1234:⟦APA91b"+long+"⟧", "⟦AMf-vB"+long+"⟧ is new")
}

// What is named by the hash of its content is as random as a key.
func TestContentIDsStay(t *testing.T) {
	checkUnmasked(t, "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWUYYyV", "cid: QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWUYYyV", `{"key":"zb2rhYSxw4ZjuzgCnWSt19Q94ERaeFhu9uSqRgjSdx9bsgM6f"}`,
		"added zdj7WWeQ43G6JJvLWQWZpyHuAMq6uYWRjkBXFad11vE2LHhQ7 f.txt", "/p2p/12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA", "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK",
		"k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8", "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi")
}
