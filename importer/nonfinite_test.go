package importer_test

import (
	"testing"

	"track/importer"
)

// A number that JSON does not have costs its value, however it is written, and no other value.
func TestUnmarshalNonFinite(t *testing.T) {
	for _, text := range []string{
		`{"x":NaN,"y":1,"z":"nan"}`, `{"x":nan,"y":1,"z":"nan"}`, `{"x":-Infinity,"y":1,"z":"nan"}`, `{"x":inf,"y":1,"z":"nan"}`,
		`{"x":"NaN","y":1,"z":"nan"}`, `{"x":"-inf","y":1,"z":"nan"}`, `{"x":+Infinity ,"y":1,"z":"nan"}`,
	} {
		into := struct {
			X *float64 `json:"x"`
			Y *float64 `json:"y"`
			Z string   `json:"z"`
		}{}
		err := importer.Unmarshal([]byte(text), &into)
		if err != nil || into.X != nil || into.Y == nil || *into.Y != 1 || into.Z != "nan" {
			t.Errorf("%s: %+v, %v", text, into, err)
		}
	}
	var into struct {
		X *float64 `json:"x"`
	}
	if importer.Unmarshal([]byte(`{"x":"one"}`), &into) == nil || importer.Unmarshal([]byte(`{"x":nano}`), &into) == nil {
		t.Error("a text was taken as a number")
	}
}
