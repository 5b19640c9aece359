package spec

import _ "embed"

//go:embed spec.schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of a spec file, for editors and for checks in other languages. It cannot
// say what relates two fields or two metrics, such as min ≤ max or unique names: [Parse] refuses more than it does.
func Schema() []byte { return append([]byte(nil), schema...) }
