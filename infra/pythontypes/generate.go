package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is the part of a JSON schema that types depend on. Others, such as limits, are left out.
type schema struct {
	Ref         string    `yaml:"$ref"`
	Type        yaml.Node `yaml:"type"`
	Description string    `yaml:"description"`
	Enum        yaml.Node `yaml:"enum"`
	Properties  yaml.Node `yaml:"properties"`
	Required    []string  `yaml:"required"`
	Items       *schema   `yaml:"items"`
	OneOf       []schema  `yaml:"oneOf"`
	AllOf       []schema  `yaml:"allOf"`
	Additional  yaml.Node `yaml:"additionalProperties"`
}

// generator collects the classes of a module. Objects without a name in the description are named
// after the property that contains them.
type generator struct {
	classes []string
	names   map[string]bool
}

const header = `"""The documents of the API. Generated from shared/httpapi/openapi.yaml by make python-types: do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

`

// generate returns the module of the schemas in a description.
func generate(description []byte) (string, error) {
	var document struct {
		Components struct {
			Schemas yaml.Node `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(description, &document); err != nil {
		return "", fmt.Errorf("read the description: %w", err)
	}
	named, err := members(&document.Components.Schemas)
	if err != nil {
		return "", err
	}
	if len(named) == 0 {
		return "", errors.New("the description has no schemas")
	}
	g := &generator{names: make(map[string]bool)}
	for _, m := range named {
		g.names[m.name] = true
	}
	for _, m := range named {
		if err := g.declare(m.name, &m.schema); err != nil {
			return "", fmt.Errorf("schema %s: %w", m.name, err)
		}
	}
	return header + strings.Join(g.classes, "\n\n") + "\n", nil
}

// member is a property of an object, or a schema of the description.
type member struct {
	name   string
	schema schema
}

// members returns the entries of a mapping in their order.
func members(node *yaml.Node) ([]member, error) {
	var found []member
	for i := 0; i+1 < len(node.Content); i += 2 {
		m := member{name: node.Content[i].Value}
		if err := node.Content[i+1].Decode(&m.schema); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		found = append(found, m)
	}
	return found, nil
}

// declare adds the class or the alias of a schema.
func (g *generator) declare(name string, s *schema) error {
	if len(s.Properties.Content) > 0 && len(s.kinds()) < 2 && !s.nullable() {
		return g.class(name, s)
	}
	expression, err := g.expression(name, s)
	if err != nil {
		return err
	}
	g.classes = append(g.classes, fmt.Sprintf("%s = %s", name, quoteAlias(expression)))
	return nil
}

// quoteAlias returns an alias as a value: unlike an annotation, it is evaluated, and the names in it may
// not be defined yet.
func quoteAlias(expression string) string {
	parts := strings.Split(expression, " | ")
	for i, part := range parts {
		if !strings.HasPrefix(part, "Literal[") && !simple[part] {
			parts[i] = strconv.Quote(part)
		}
	}
	if len(parts) == 1 && parts[0][0] != '"' {
		return parts[0]
	}
	return "Union[" + strings.Join(parts, ", ") + "]"
}

var simple = map[string]bool{"str": true, "int": true, "float": true, "bool": true, "None": true, "Any": true, "list[Any]": true, "dict[str, Any]": true}

// identifier matches the names that a class body can contain.
var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// keywords are names of members that a class body cannot contain.
var keywords = []string{"from", "in", "is", "not", "and", "or", "if", "for", "class", "def", "del", "pass", "return", "with", "as", "import", "global", "lambda", "try", "while", "None", "True", "False"}

// class adds the class of an object. In Python 3.10, required and other members need classes of their
// own.
func (g *generator) class(name string, s *schema) error {
	found, err := members(&s.Properties)
	if err != nil {
		return err
	}
	var required, optional []string
	functional := false
	for _, m := range found {
		expression, err := g.expression(name+strings.ToUpper(m.name[:1])+m.name[1:], &m.schema)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		functional = functional || slices.Contains(keywords, m.name) || !identifier.MatchString(m.name)
		line := m.name + ": " + expression
		if slices.Contains(s.Required, m.name) {
			required = append(required, line)
		} else {
			optional = append(optional, line)
		}
	}
	base := "TypedDict"
	if len(optional) > 0 && len(required) > 0 {
		base = "_" + name + "Required"
		g.classes = append(g.classes, body(base, "TypedDict", true, "", required, functional))
		required = nil
	}
	g.classes = append(g.classes, body(name, base, len(optional) == 0, s.Description, append(required, optional...), functional))
	return nil
}

// body returns a class. A functional one can have any member, but no base: it lists no base's members.
func body(name, base string, total bool, description string, lines []string, functional bool) string {
	var b strings.Builder
	totality := ""
	if !total {
		totality = ", total=False"
	}
	if functional {
		var entries []string
		for _, line := range lines {
			member, expression, _ := strings.Cut(line, ": ")
			entries = append(entries, fmt.Sprintf("%q: %q", member, expression))
		}
		own := name
		if base != "TypedDict" {
			own = "_" + name + "Optional"
		}
		fmt.Fprintf(&b, "%s = TypedDict(%q, {%s}%s)", own, own, strings.Join(entries, ", "), totality)
		if own != name {
			fmt.Fprintf(&b, "\n\n\nclass %s(%s, %s):\n    pass\n", name, base, own)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "class %s(%s%s):\n", name, base, totality)
	if text := strings.Join(strings.Fields(description), " "); text != "" {
		fmt.Fprintf(&b, "    %s\n\n", strconv.QuoteToASCII(text))
	}
	for _, line := range lines {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	return b.String()
}

// kinds returns the types of a schema without null.
func (s *schema) kinds() []string {
	var all []string
	if s.Type.Kind == yaml.ScalarNode {
		all = []string{s.Type.Value}
	} else {
		for _, node := range s.Type.Content {
			all = append(all, node.Value)
		}
	}
	return slices.DeleteFunc(all, func(kind string) bool { return kind == "null" })
}

func (s *schema) nullable() bool {
	return slices.ContainsFunc(s.Type.Content, func(n *yaml.Node) bool { return n.Value == "null" }) || s.Type.Value == "null"
}

// expression returns the type of a schema. name is that of a class for an object without a name.
func (g *generator) expression(name string, s *schema) (string, error) {
	if s.Ref != "" {
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:], nil
	}
	var parts []string
	switch {
	case len(s.OneOf) > 0 && len(s.Properties.Content) == 0:
		for i := range s.OneOf {
			part, err := g.expression(fmt.Sprintf("%sVariant%d", name, i+1), &s.OneOf[i])
			if err != nil {
				return "", err
			}
			parts = append(parts, strings.Split(part, " | ")...)
		}
	case len(s.AllOf) == 1:
		return g.expression(name, &s.AllOf[0])
	case len(s.Enum.Content) > 0:
		parts = append(parts, literal(s.Enum.Content))
	default:
		for _, kind := range s.kinds() {
			part, err := g.kind(name, kind, s)
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		if len(parts) == 0 && !s.nullable() {
			parts = []string{"Any"}
		}
	}
	if s.nullable() {
		parts = append(parts, "None")
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), " | "), nil
}

func literal(values []*yaml.Node) string {
	var quoted []string
	for _, value := range values {
		switch value.Tag {
		case "!!null":
		case "!!str":
			quoted = append(quoted, strconv.Quote(value.Value))
		default:
			quoted = append(quoted, value.Value)
		}
	}
	return "Literal[" + strings.Join(quoted, ", ") + "]"
}

// kind returns the type of a schema of one JSON type.
func (g *generator) kind(name, kind string, s *schema) (string, error) {
	switch kind {
	case "string":
		return "str", nil
	case "integer":
		return "int", nil
	case "number":
		return "float", nil
	case "boolean":
		return "bool", nil
	case "array":
		if s.Items == nil {
			return "list[Any]", nil
		}
		items, err := g.expression(name+"Item", s.Items)
		return "list[" + items + "]", err
	case "object":
		if len(s.Properties.Content) > 0 {
			if g.names[name] {
				name += "Object"
			}
			g.names[name] = true
			return name, g.class(name, s)
		}
		if s.Additional.Kind == yaml.MappingNode {
			var values schema
			if err := s.Additional.Decode(&values); err != nil {
				return "", err
			}
			value, err := g.expression(name+"Value", &values)
			return "dict[str, " + value + "]", err
		}
		return "dict[str, Any]", nil
	default:
		return "", fmt.Errorf("unknown type %q", kind)
	}
}
