package declared

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// maxDepth is the maximum nesting of a declaration; the format needs six levels.
const maxDepth = 20

// sourceError is a syntax error at a position of the source.
type sourceError struct {
	line, column int
	message      string
}

func (e *sourceError) Error() string { return e.message }

// readSource returns the tree of a source in YAML or JSON. JSON is not read as YAML, which has
// other rules for tabs and escapes.
func readSource(source []byte) (*yaml.Node, error) {
	if text := bytes.TrimSpace(source); len(text) > 0 && text[0] == '{' && json.Valid(source) {
		r := &jsonReader{Decoder: json.NewDecoder(bytes.NewReader(source)), source: source, line: 1, column: 1}
		r.UseNumber()
		return r.value(0)
	}
	return readYAML(source)
}

// readYAML reads a single document without anchors and tags, which could make a small source expand
// to a large one.
func readYAML(source []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(source))
	document := &yaml.Node{}
	if err := d.Decode(document); errors.Is(err, io.EOF) {
		return nil, &sourceError{1, 1, "The declaration is empty."}
	} else if err != nil {
		return nil, yamlError(err)
	}
	if next := new(yaml.Node); !errors.Is(d.Decode(next), io.EOF) {
		return nil, &sourceError{max(next.Line, 1), max(next.Column, 1), "Only one declaration is allowed in a file."}
	}
	return document.Content[0], checkPlain(document.Content[0], 0)
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// yamlError converts an error of the parser, which knows only the line.
func yamlError(err error) error {
	line, text := 1, err.Error()
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = m[2]
	}
	return &sourceError{line, 1, fmt.Sprintf("The text is not valid YAML: %s.", shorten(text))}
}

func checkPlain(n *yaml.Node, depth int) error {
	switch {
	case depth > maxDepth:
		return &sourceError{n.Line, n.Column, fmt.Sprintf("Use at most %d levels.", maxDepth)}
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return &sourceError{n.Line, n.Column, "Anchors and aliases are not allowed. Repeat the value."}
	case n.Style&yaml.TaggedStyle != 0:
		return &sourceError{n.Line, n.Column, "Tags are not allowed. Remove " + shorten(n.Tag) + "."}
	}
	for _, child := range n.Content {
		if err := checkPlain(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// jsonReader converts valid JSON to the nodes of a YAML document, with positions.
type jsonReader struct {
	*json.Decoder
	source       []byte
	offset       int
	line, column int
}

// position moves to the next token and returns its line and column.
func (r *jsonReader) position() (line, column int) {
	for target := int(r.InputOffset()); r.offset < target || bytes.IndexByte([]byte(" \t\r\n,:"), r.source[r.offset]) >= 0; r.offset++ {
		switch c := r.source[r.offset]; {
		case c == '\n':
			r.line, r.column = r.line+1, 1
		case c&0xC0 != 0x80: // not within a character
			r.column++
		}
	}
	return r.line, r.column
}

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	line, column := r.position()
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: line, Column: column}
	if depth > maxDepth {
		return nil, &sourceError{line, column, fmt.Sprintf("Use at most %d levels.", maxDepth)}
	}
	token, err := r.Token()
	if err != nil {
		return nil, &sourceError{line, column, "The text is not valid JSON."}
	}
	switch v := token.(type) {
	case json.Delim:
		n.Kind = map[json.Delim]yaml.Kind{'{': yaml.MappingNode, '[': yaml.SequenceNode}[v]
		for r.More() {
			child, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, child)
		}
		_, err = r.Token()
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
		if _, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	default:
		n.Tag = "!!null"
	}
	return n, err
}
