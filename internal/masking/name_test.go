package masking_test

import (
	"testing"

	"track/internal/masking"
)

func TestLooksSecret(t *testing.T) {
	for kind, secret := range secrets() {
		for _, name := range []string{secret, "run " + secret, "nightly/" + secret, "key=" + secret} {
			if got, ok := masking.LooksSecret(name); !ok || got != kind {
				t.Errorf("%q: got kind %q, want %q", name, got, kind)
			}
		}
	}
	for _, name := range []string{"password=" + "hun" + "ter2", "api_key: " + letter[:24], "postgres://u:" + letter[:12] + "@h/db"} {
		if _, ok := masking.LooksSecret(name); !ok {
			t.Errorf("%q looks like no secret", name)
		}
	}
}

// Names identify records, and many are as random as a key.
func TestLooksSecretLeavesNames(t *testing.T) {
	for _, name := range []string{
		"", "theta=14", "buffer_stock", "gpt-5-codex@abc123", "claude-opus-4-20250514", "8e8d4ce5ad2dfae14cb26caf5d3cddebee929990",
		"sha256:" + hex, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "196820da-1026-4b6f-a513-a6aae42da1a6", "196820da10264b6fa513a6aae42da1a6", "v1.60.1-0.20261122231500-abcdef123456",
		"feature/ABC-1234-mask-secrets", "lr=0.0003,bs=128,seed=20240117", "max_tokens=4096", "task-2026-01-02-with-a-long-name",
		"Qwen/Qwen2.5-Coder-32B-Instruct-AWQ", "meta-llama/Llama-3.3-70B-Instruct", "[masked:password]", "password", "secret santa", "tokenizer=bpe-32k", "ünïcødé",
	} {
		if kind, ok := masking.LooksSecret(name); ok {
			t.Errorf("%q looks like a %s", name, kind)
		}
	}
}
