package evolution

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// Algorithms of draws, as they are stored.
const (
	sha256U53 = "sha256-u53/1" // [NewDraw]
	PCGDXSM   = "pcg-dxsm/1"   // [NewPCGDraw]
)

// Labels of draws: what a draw is for.
const (
	LabelExplore  = "explore"  // a decision, under whatever policy
	LabelMutate   = "mutate"   // whether to mutate
	LabelOperator = "operator" // which operator
)

// drawDomain keeps these hashes apart from all others.
const drawDomain = "track/draw/1\x00"

// DrawKey identifies a draw. In JSON the seed is a string, since many readers of JSON round whole numbers above 2^53.
type DrawKey struct {
	Seed     uint64 `json:"seed,string"`
	Lineage  string `json:"lineage"`
	Mutation string `json:"mutation"`
	Attempt  int    `json:"attempt"` // 0 for the first decision on a mutation; hashed in decimal
	Label    string `json:"label"`
}

// Draw is one random number with all that is needed to draw it again.
type Draw struct {
	Algorithm string `json:"algorithm"`
	DrawKey
	Raw Raw     `json:"raw"`
	U   float64 `json:"u"` // 0 <= U < 1
	// State of the generator before and after, in hexadecimal; empty for [sha256U53], which has none.
	StateBefore string `json:"state_before,omitempty"`
	StateAfter  string `json:"state_after,omitempty"`
}

// ErrDraw is wrapped by the errors of [Draw.verify].
var ErrDraw = errors.New("not the draw of its key")

// NewDraw draws by sha256-u53/1:
//
//	h   = SHA-256("track/draw/1" 0x00 || u64be(seed) || for f in [lineage, mutation, attempt, label]: u32be(len f) || f)
//	raw = the first 8 bytes of h, big-endian
//	u   = (raw >> 11) · 2^-53
//
// It depends on nothing but the key, so not on the order in which several processes decide, nor on a crash between.
func NewDraw(key DrawKey) Draw {
	b := append(make([]byte, 0, 128), drawDomain...)
	b = binary.BigEndian.AppendUint64(b, key.Seed)
	for _, field := range [...]string{key.Lineage, key.Mutation, strconv.Itoa(key.Attempt), key.Label} {
		b = appendField(b, field)
	}
	h := sha256.Sum256(b)
	raw := binary.BigEndian.Uint64(h[:8])
	return Draw{Algorithm: sha256U53, DrawKey: key, Raw: Raw(raw), U: unit(raw)}
}

// appendField writes a text after its length, so that no two lists of texts have the same bytes.
func appendField(b []byte, field string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(field))), field...)
}

// unit returns (raw >> 11) · 2^-53: the 53 highest bits as a number from 0 to 1 - 2^-53, exactly.
func unit(raw uint64) float64 { return float64(raw>>11) * 0x1p-53 }

// verify draws again and returns what differs, wrapping [ErrDraw].
func (d Draw) verify() error {
	again, err := d.again()
	if err != nil {
		return err
	}
	switch {
	case d.Raw != again.Raw:
		return fmt.Errorf("%w: raw is %v, drawn again it is %v", ErrDraw, d.Raw, again.Raw)
	case d.U != again.U:
		return fmt.Errorf("%w: u is %v, but %v follows from raw", ErrDraw, d.U, again.U)
	case d.StateBefore != again.StateBefore || d.StateAfter != again.StateAfter:
		return fmt.Errorf("%w: state after is %s, drawn again it is %s", ErrDraw, d.StateAfter, again.StateAfter)
	}
	return nil
}

// again draws by the algorithm that is stored.
func (d Draw) again() (Draw, error) {
	switch d.Algorithm {
	case sha256U53:
		return NewDraw(d.DrawKey), nil
	case PCGDXSM:
		before, err := hex.DecodeString(d.StateBefore)
		if err != nil {
			return Draw{}, fmt.Errorf("%w: state before: %v", ErrDraw, err)
		}
		return NewPCGDraw(before, d.DrawKey)
	}
	return Draw{}, fmt.Errorf("%w: algorithm %q is unknown", ErrDraw, d.Algorithm)
}

// Raw is the 64 bits of a draw, 16 hexadecimal digits in JSON.
type Raw uint64

func (r Raw) String() string { return fmt.Sprintf("%016x", uint64(r)) }

// MarshalText writes the hexadecimal digits.
func (r Raw) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what [Raw.MarshalText] writes, and nothing else.
func (r *Raw) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || Raw(n).String() != string(text) {
		return fmt.Errorf("raw %q is not 16 lowercase hexadecimal digits", text)
	}
	*r = Raw(n)
	return nil
}
