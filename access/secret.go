package access

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"strings"
)

// Secret is the text of a token: trk_, 32 random bytes in base 62, and a checksum, so that a wrong character is noticed
// without asking anybody, and programs that look for secrets know one when they see it.
type Secret string

const (
	secretPrefix   = "trk_"
	secretBytes    = 32
	secretDigits   = 43 // of 32 bytes in base 62
	checksumDigits = 6  // of 4 bytes in base 62
)

// NewSecret makes a secret of 32 bytes of random.
func NewSecret(random io.Reader) (Secret, error) {
	b := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", err
	}
	body := secretPrefix + base62(new(big.Int).SetBytes(b), secretDigits)
	return Secret(body + checksum(body)), nil
}

// errNoSecret is the error for a text that is not a token.
var errNoSecret = errors.New("this is not a token of track: one begins with trk_ and has 53 characters")

// ParseSecret returns the secret that a text is.
func ParseSecret(text string) (Secret, error) {
	if len(text) != len(secretPrefix)+secretDigits+checksumDigits || !strings.HasPrefix(text, secretPrefix) {
		return "", errNoSecret
	}
	body := text[:len(text)-checksumDigits]
	if checksum(body) != text[len(body):] {
		return "", fmt.Errorf("%w; a character of this one is wrong", errNoSecret)
	}
	return Secret(text), nil
}

// Hash returns what is stored of the secret: SHA-256 of its text. It has 256 random bits, so a slow hash adds nothing.
func (s Secret) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

// checksum returns CRC-32 (IEEE) of a text in base 62.
func checksum(text string) string {
	return base62(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(text)))), checksumDigits)
}

// base62 returns a number with as many digits of 0-9a-zA-Z.
func base62(x *big.Int, digits int) string {
	text := x.Text(62)
	return strings.Repeat("0", digits-len(text)) + text
}
