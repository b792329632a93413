package declared_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/mapping/concept/conceptlist"
)

var updateSchema = flag.Bool("update", false, "rewrite schema.json")

// schema is a JSON Schema; encoding/json sorts its keys.
type schema = map[string]any

// rules are the constraints that the structs do not express, by struct and member.
var rules = map[string]schema{
	"Declaration.loadbay":     {"const": declared.Version1},
	"Declaration.name":        {"pattern": "^[A-Z][A-Z0-9_]{0,62}$"},
	"Declaration.modes.items": {"enum": []string{"insert", "upsert", "update"}},
	"Declaration.capture":     {"enum": []declared.Capture{declared.CaptureReturning, declared.CaptureOff}},
	"Declaration.fields":      {"minItems": 1, "maxItems": declared.MaxFields},
	"Declaration.identity":    {"minItems": 1},
	"Deleted.again":           {"enum": []declared.DeletedAgain{declared.Revive, declared.AgainError, declared.AgainNew}},
	"Field.name":              {"pattern": "^[A-Z][A-Z0-9_]{0,62}$"},
	"Field.kind":              {"enum": []string{"text", "email", "enum", "uuid", "integer", "decimal", "boolean", "date", "timestamp", "json", "textList"}},
	"Field.rounding":          {"enum": []string{"refuse", "warn", "halfUp"}},
	"Field.empty":             {"enum": []string{"keep", "null"}},
	"Field.maxLength":         {"minimum": 1},
	"Field.titles.values":     {"type": []string{"array", "string", "number", "boolean"}, "minItems": 1},
	"Field.concepts.items":    {"anyOf": []schema{{"enum": conceptNames()}, {"pattern": "^(" + strings.Join(conceptlist.Roles, "|") + "):"}}},
	"Reference.by":            {"minItems": 1},
	"Reference.create":        {"enum": []string{"never"}},
	"OnDrift.*":               {"enum": []declared.Reaction{declared.Hold, declared.Tell, declared.Ignore}},
}

func conceptNames() (names []string) {
	for _, c := range conceptlist.All() {
		names = append(names, c.Name)
	}
	return names
}

// schemaOf returns the schema of a type. Texts may be written as numbers and booleans.
func schemaOf(t reflect.Type, path string, comments map[string]string, definitions schema) schema {
	s := schema{}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), path, comments, definitions)
	case reflect.Struct:
		s["$ref"] = "#/$defs/" + t.Name()
		if definitions[t.Name()] == nil {
			definitions[t.Name()] = schema{} // ends recursion
			definitions[t.Name()] = objectSchema(t, comments, definitions)
		}
	case reflect.Slice:
		s["type"], s["items"] = "array", schemaOf(t.Elem(), path+".items", comments, definitions)
	case reflect.Map:
		s["type"], s["additionalProperties"] = "object", schemaOf(t.Elem(), path+".values", comments, definitions)
	case reflect.Bool:
		s["type"] = "boolean"
	case reflect.Int:
		s["type"] = "integer"
	default:
		s["type"] = []string{"string", "number", "boolean"}
	}
	more, ok := rules[path]
	if !ok {
		more = rules[strings.Split(path, ".")[0]+".*"]
	}
	for k, v := range more {
		s[k] = v
	}
	if s["enum"] != nil || s["anyOf"] != nil || s["const"] != nil || s["pattern"] != nil {
		delete(s, "type")
	}
	return s
}

func objectSchema(t reflect.Type, comments map[string]string, definitions schema) schema {
	properties, required := schema{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		of := schemaOf(f.Type, t.Name()+"."+name, comments, definitions)
		if text := comments[t.Name()+"."+f.Name]; text != "" {
			of["description"] = text
		}
		properties[name] = of
		if options == "" {
			required = append(required, name)
		}
	}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	if t.Name() == "Declaration" { // a type that only inserts has no keys
		s["required"] = []string{"loadbay", "name", "title", "target", "tenant", "identity", "fields"}
	}
	return s
}

// comments returns the comments of the structs' fields.
func comments(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "declaration.go", nil, parser.ParseComments)
	require.NoError(t, err)
	found := make(map[string]string)
	ast.Inspect(file, func(n ast.Node) bool {
		of, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if structure, ok := of.Type.(*ast.StructType); ok {
			for _, f := range structure.Fields.List {
				for _, name := range f.Names {
					found[of.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
				}
			}
		}
		return true
	})
	return found
}

func TestSchemaIsThatOfTheStructs(t *testing.T) {
	t.Parallel()
	definitions := schema{}
	root := schemaOf(reflect.TypeFor[declared.Declaration](), "", comments(t), definitions)
	root["$schema"], root["$id"], root["title"], root["$defs"] = "https://json-schema.org/draft/2020-12/schema", "https://loadbay.dev/schemas/type-1.json", "Loadbay import type", definitions
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(root))
	if *updateSchema {
		require.NoError(t, os.WriteFile("schema.json", text.Bytes(), 0o644))
		return
	}
	require.Equal(t, text.String(), string(declared.Schema), "run go test ./shared/entity/declared -run TestSchema -update")
}

// Sources that the schema refuses are refused by Parse, too; editors that know the schema accept what
// Parse accepts.
func TestSchemaAgreesWithParse(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(declared.Schema))
	require.NoError(t, err)
	require.NoError(t, compiler.AddResource("type-1.json", document))
	compiled, err := compiler.Compile("type-1.json")
	require.NoError(t, err)
	valid := func(source string) bool {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(source))
		require.NoError(t, err, source)
		return compiled.Validate(value) == nil
	}
	full, err := declared.Parse([]byte(accounts(t)))
	require.NoError(t, err)
	text, err := json.Marshal(full)
	require.NoError(t, err)
	require.True(t, valid(string(text)))
	for more, want := range map[string]bool{
		``: true, `, "capture": "off"`: true, `, "rules": []`: true, `, "onDrift": {}`: true, `, "messages": {"c": 7}`: true,
		`, "colour": 1`: false, `, "modes": ["merge"]`: false, `, "capture": "x"`: false, `, "onDrift": {"columnAdded": "x"}`: false,
		`, "onDrift": {"rowAdded": "hold"}`: false, `, "person": []`: false, `, "rules": [{"check": "x"}]`: false, `, "subjects": "x"`: false,
	} {
		require.Equal(t, want, valid(minimal(more)), more)
		_, err := declared.Parse([]byte(minimal(more)))
		require.Equal(t, want, err == nil, fmt.Sprint(more, err))
	}
	for more, want := range map[string]bool{
		`"titles": {"de": ["x", "y"], "fr": "z"}`: true, `"titles": {"de": []}`: false,
		`"concepts": ["item.sku", "customer:item.sku"]`: true, `"concepts": ["item.article"]`: false, `"concepts": ["friend:item.sku"]`: false,
	} {
		source := strings.Replace(minimal(""), `"column": "sku"`, `"column": "sku", `+more, 1)
		require.Equal(t, want, valid(source), more)
		_, err := declared.Parse([]byte(source))
		require.Equal(t, want, err == nil, fmt.Sprint(more, err))
	}
}
