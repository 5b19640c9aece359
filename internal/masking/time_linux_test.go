package masking_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"track/internal/masking"
)

// TestMaskIsLinear masks texts that are made to be hard, and four times as much of each. A quadratic search would take
// 16 times as long. Only the ratio of the quickest runs counts, in processor time of this thread, so that a busy
// machine does not matter.
func TestMaskIsLinear(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const size, runs, most = 1 << 14, 8, 12
	for _, part := range []string{
		"-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY----- -----END X-----", `password="`, `password='"`, "password=", `\"secret\":\"`, "a://", "a://b:c", "a://b:@",
		"Authorization: ", "Bearer ", "eyJ", "eyJhbGciOiJI.", "sk-", "--token ", "----", ">", "<password>", "====", "::::", `\\\\`, "SG.a", "[masked:", "password=[masked:x", "ghp_",
		"a-", "ab_c-", "8Q~", "a.b.c.", "$2b$12$", "12345678:", "h:1:d:u:", "https://a/webhook/", "%3D", "token%3D", "-----END RSA PRIVATE KEY-----",
		"curl -u a:", "curl - ", "mysql -p", "net user ", "htpasswd ", "echo |", "set a ", "login ", "password is ", `"a",`, `("a","`,
		"data:\n kind: Secret\n", "name: password value:", "password: |\n  ", `<a name="`, "-p ",
		"password ", "password: ", "mnemonic=abcd ", "printf 'password=%s' ", "password=%s\"", "<<< ", "<<EOF\npassword ", "<(echo ",
		"AUTH a ", "send ", "credentials: a ", `connect("a",`, "AB1C-", "password is the ", "a <<<password ", "license key ", "echo a|",
	} {
		text := strings.Repeat(part, size/len(part))
		longer := strings.Repeat(text, 4)
		ratio := 0.0
		for range runs {
			if ratio = float64(quickest(t, longer)) / float64(quickest(t, text)); ratio < most {
				break
			}
		}
		if ratio >= most {
			t.Errorf("%q: four times the text takes %.0f times as long", part, ratio)
		}
		masked, _ := masking.Mask(text)
		if again, n := masking.Mask(masked); n != 0 || again != masked {
			t.Errorf("%q: %d more when it is masked again", part, n)
		}
	}
}

// quickest returns the least processor time that masking a text took in several runs.
func quickest(t *testing.T, text string) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var spent unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent); err != nil {
			t.Fatal(err)
		}
		return time.Duration(spent.Nano())
	}
	least := time.Duration(1<<63 - 1)
	for range 3 {
		start := used()
		masking.Mask(text)
		least = min(least, used()-start)
	}
	return max(least, 50*time.Microsecond)
}
