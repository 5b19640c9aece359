package ask

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"track/answer"
)

// answerJSON returns a document as --format json writes it, with null for the fields that JSON omits if they are
// empty. A template that names such a field then works whatever is recorded.
func answerJSON(document any) ([]byte, error) {
	var text bytes.Buffer
	if err := answer.Encode(&text, document); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(&text)
	decoder.UseNumber()
	var written any
	if err := decoder.Decode(&written); err != nil {
		return nil, err
	}
	complete(written, reflect.ValueOf(document))
	return json.Marshal(written)
}

// complete adds the fields of v that were omitted.
func complete(written any, v reflect.Value) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch w := written.(type) {
	case []any:
		if v.Kind() != reflect.Slice && v.Kind() != reflect.Array || v.Len() != len(w) {
			return
		}
		for i := range w {
			complete(w[i], v.Index(i))
		}
	case map[string]any:
		switch v.Kind() {
		case reflect.Struct:
			completeStruct(w, v)
		case reflect.Map:
			for _, key := range v.MapKeys() {
				if key.Kind() == reflect.String {
					complete(w[key.String()], v.MapIndex(key))
				}
			}
		}
	}
}

func completeStruct(written map[string]any, v reflect.Value) {
	for i := range v.NumField() {
		name, options, inline := jsonField(v.Type().Field(i))
		switch _, there := written[name]; {
		case inline:
			complete(written, v.Field(i))
		case there:
			complete(written[name], v.Field(i))
		case strings.Contains(options, "omit"):
			written[name] = nil
		}
	}
}

// jsonField returns the name of a field in JSON; inline if its own fields take its place.
func jsonField(f reflect.StructField) (name, options string, inline bool) {
	name, options, _ = strings.Cut(f.Tag.Get("json"), ",")
	return name, options, strings.Contains(options, "inline") || strings.Contains(options, "embed") || f.Anonymous && name == ""
}
