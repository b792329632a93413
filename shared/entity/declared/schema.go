package declared

import _ "embed" // for Schema

// Schema is the JSON Schema of declarations. A test generates it from Declaration.
//
//go:embed schema.json
var Schema []byte
