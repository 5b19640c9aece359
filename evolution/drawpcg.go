package evolution

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

// NewPCGDraw draws by pcg-dxsm/1, for a loop that owns a generator: one Uint64 of math/rand/v2's PCG in the given
// state, the 20 bytes of its MarshalBinary. The key says what the draw is for and does not affect the number. The loop
// continues from [Draw.PCGState]. u follows from raw as in [NewDraw]: it is not rand.Float64, which takes the lowest 53
// bits.
func NewPCGDraw(state []byte, key DrawKey) (Draw, error) {
	var pcg rand.PCG
	if err := pcg.UnmarshalBinary(state); err != nil {
		return Draw{}, fmt.Errorf("%w: state before: %v", ErrDraw, err)
	}
	raw := pcg.Uint64()
	after, err := pcg.MarshalBinary()
	if err != nil {
		return Draw{}, fmt.Errorf("state after: %w", err)
	}
	return Draw{
		Algorithm: PCGDXSM, DrawKey: key, Raw: Raw(raw), U: unit(raw),
		StateBefore: hex.EncodeToString(state), StateAfter: hex.EncodeToString(after),
	}, nil
}

// PCGState returns the state of the generator after a draw by pcg-dxsm/1.
func (d Draw) PCGState() ([]byte, error) {
	if d.Algorithm != PCGDXSM {
		return nil, fmt.Errorf("a draw by %s leaves no state", d.Algorithm)
	}
	return hex.DecodeString(d.StateAfter)
}
