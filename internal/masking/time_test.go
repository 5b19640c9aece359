package masking_test

import (
	"strings"
	"testing"
	"time"

	"track/internal/masking"
)

// TestMaskIsLinear masks texts that are made to be hard. A quadratic search would take minutes; a busy machine takes
// some seconds.
func TestMaskIsLinear(t *testing.T) {
	const size = 1 << 18
	for _, part := range []string{
		"-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY----- -----END X-----", `password="`, `password='"`, "password=", `\"secret\":\"`, "a://", "a://b:c", "a://b:@",
		"Authorization: ", "Bearer ", "eyJ", "eyJhbGciOiJI.", "sk-", "--token ", "----", ">", "<password>", "====", "::::", `\\\\`, "SG.a", "[masked:", "password=[masked:x", "ghp_",
		"a-", "ab_c-", "8Q~", "a.b.c.", "$2b$12$", "12345678:", "h:1:d:u:", "https://a/webhook/", "%3D", "token%3D", "-----END RSA PRIVATE KEY-----",
		"curl -u a:", "curl - ", "mysql -p", "net user ", "htpasswd ", "echo |", "set a ", "login ", "password is ", `"a",`, `("a","`,
		"data:\n kind: Secret\n", "name: password value:", "password: |\n  ", "user,password\n", `<a name="`, "-p ",
	} {
		text := strings.Repeat(part, size/len(part))
		start := time.Now()
		masked, _ := masking.Mask(text)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%q: %v", part, took)
		}
		if again, n := masking.Mask(masked); n != 0 || again != masked {
			t.Errorf("%q: %d more when it is masked again", part, n)
		}
	}
}
