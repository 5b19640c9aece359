package pickle

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
)

// TestVectors reads what Python 3.11 wrote in all its protocols (testdata/vectors.py).
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name, Pickle, Want string
		Protocol           int
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 100 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	for _, v := range vectors {
		data, err := hex.DecodeString(v.Pickle)
		if err != nil {
			t.Fatal(err)
		}
		value, err := Decode(data)
		if err != nil {
			t.Errorf("%s, protocol %d: %v", v.Name, v.Protocol, err)
		} else if got := describe(value); got != v.Want {
			t.Errorf("%s, protocol %d: got %s, want %s", v.Name, v.Protocol, got, v.Want)
		}
	}
}

func TestNumpyScalars(t *testing.T) {
	const dtype = "\x8c\x05numpy\x8c\x05dtype\x93\x8c\x02%s\x89\x88\x87R(K\x03\x8c\x01%o" + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
	for _, test := range []struct {
		kind, order, bits string
		want              any
	}{
		{"f8", "<", "\x00\x00\x00\x00\x00\x00\x04\xc0", -2.5},
		{"f8", ">", "\xc0\x04\x00\x00\x00\x00\x00\x00", -2.5},
		{"f4", "<", "\x00\x00\x20\xc0", -2.5},
		{"f2", "<", "\x00\xc1", -2.5},
		{"f2", "<", "\x01\x00", 0x1p-24},
		{"i8", "<", "\xff\xff\xff\xff\xff\xff\xff\xff", int64(-1)},
		{"i2", "<", "\xfe\xff", int64(-2)},
		{"u1", "|", "\xff", int64(255)},
		{"u8", "<", "\x01\x00\x00\x00\x00\x00\x00\x00", int64(1)},
		{"b1", "|", "\x01", true},
	} {
		for _, module := range []string{"numpy.core.multiarray", "numpy._core.multiarray"} {
			var p bytes.Buffer
			p.WriteString("\x80\x04\x8c" + string(rune(len(module))) + module + "\x8c\x06scalar\x93")
			p.WriteString(strings.NewReplacer("%s", test.kind, "%o", test.order).Replace(dtype))
			p.WriteString("C" + string(rune(len(test.bits))) + test.bits + "\x86R.")
			value, err := Decode(p.Bytes())
			if err != nil || value != test.want {
				t.Errorf("%s %q of %s: got %v, %v; want %v", test.kind, test.bits, module, value, err, test.want)
			}
		}
	}
	if got := half(0x7c00); !math.IsInf(got, 1) {
		t.Errorf("infinity is %v", got)
	}
	if got := half(0x7e00); !math.IsNaN(got) {
		t.Errorf("NaN is %v", got)
	}
}

// TestNothingRuns reads pickles that would run a command in Python.
func TestNothingRuns(t *testing.T) {
	for _, p := range []string{"cos\nsystem\n(S'touch pwned'\ntR.", "(S'touch pwned'\nios\nsystem\n.", "\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x0btouch pwned\x85R."} {
		value, err := Decode([]byte(p))
		if _, is := value.(*object); !is || err != nil {
			t.Errorf("%q became %v, %v", p, value, err)
		}
	}
	if _, err := os.Stat("pwned"); err == nil {
		t.Error("a command ran")
	}
}

func TestLimits(t *testing.T) {
	deep := strings.Repeat("(", 200) + strings.Repeat("t", 200) + "."
	for name, p := range map[string]string{
		"deep":        deep,
		"holds":       "]\x94h\x00a.",
		"many":        strings.Repeat("]", mostValues+1) + ".",
		"deep shared": "]\x94" + strings.Repeat("\x85", 60) + "\x94]h\x01a" + strings.Repeat("\x85", 60) + "h\x01\x86.",
	} {
		if _, err := Decode([]byte(p)); !errors.Is(err, errLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Decode(make([]byte, MostBytes+1)); !errors.Is(err, errLimit) {
		t.Errorf("long: %v", err)
	}
}

func TestDamage(t *testing.T) {
	for _, p := range []string{
		"", "]", "X\xff\xff\xff\x7fabc.", "\x8d\xff\xff\xff\xff\xff\xff\xff\xffa.", "K", "Ix\n.", "e.", "(e.", "K\x01s.", "}(K\x01u.", "h\x07.",
		"\x80\x09.", "P1\n.", "\x82\x01.", "K\x01K\x02\x93.", "Snoquotes\n.", "(.", "\x8b\xff\xff\xff\x7f.", "K\x01K\x02a.", "(o.",
	} {
		var syntax *syntaxError
		if value, err := Decode([]byte(p)); !errors.As(err, &syntax) {
			t.Errorf("%q: got %v, %v; want a syntax error", p, value, err)
		} else if syntax.Offset < 0 || syntax.Offset > len(p) {
			t.Errorf("%q: offset %d", p, syntax.Offset)
		}
	}
}

// TestSharing checks that values named again are the same values.
func TestSharing(t *testing.T) {
	value, err := Decode([]byte("]\x94K\x01ah\x00\x86."))
	if err != nil {
		t.Fatal(err)
	}
	pair := value.(Tuple)
	if pair[0] != pair[1] || len(pair[0].(*List).Items) != 1 {
		t.Errorf("got %v", pair)
	}
}

func FuzzDecode(f *testing.F) {
	for _, p := range []string{"]\x94K\x01ah\x00\x86.", "}(K\x01K\x02u.", "cos\nsystem\n(S'x'\ntR.", "\x80\x05\x95\x01\x00\x00\x00\x00\x00\x00\x00N.", "I01\n.", "\x8a\x02\xff\x7f.", "(dp0\nVa\np1\nF1.5\ns."} {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := Decode(data)
		var syntax *syntaxError
		switch {
		case err == nil:
			if err := checkDepth(value); err != nil {
				t.Error(err)
			}
		case !errors.As(err, &syntax) && !errors.Is(err, errLimit):
			t.Errorf("an error of another kind: %v", err)
		}
	})
}

// describe writes a value as testdata/vectors.py does.
func describe(value any) string {
	list := func(open string, values []any, end string) string {
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = describe(v)
		}
		return open + strings.Join(texts, ",") + end
	}
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case int64:
		return big.NewInt(v).String()
	case *big.Int:
		return v.String()
	case float64:
		var bits [8]byte
		for i := range bits {
			bits[i] = byte(math.Float64bits(v) >> (56 - 8*i))
		}
		return "f" + hex.EncodeToString(bits[:])
	case string:
		return "t" + hex.EncodeToString([]byte(v))
	case []byte:
		return "b" + hex.EncodeToString(v)
	case *List:
		return list("[", v.Items, "]")
	case Tuple:
		return list("(", v, ")")
	case *set:
		return list("{", v.Items, "}")
	case *Dict:
		texts := make([]string, len(v.Keys))
		for i := range v.Keys {
			texts[i] = describe(v.Keys[i]) + ":" + describe(v.Values[i])
		}
		return "<" + strings.Join(texts, ",") + ">"
	case *object:
		return "object"
	}
	return "?"
}
