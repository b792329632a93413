package adopt

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML returns the draft as a file for people: a line for each key and field, and a comment above
// each part that somebody must decide on.
func (d *Draft) YAML() ([]byte, error) {
	var root yaml.Node
	if err := root.Encode(&d.Declaration); err != nil {
		return nil, fmt.Errorf("write declaration: %w", err)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		makeCompact(root.Content[i+1])
	}
	for _, f := range d.Findings {
		if f.Path == "" || !f.MustDecide {
			continue
		}
		if n := nodeAt(&root, f.Path); n != nil {
			if n.HeadComment != "" {
				n.HeadComment += "\n"
			}
			n.HeadComment += wrap("DECIDE: " + f.Message)
		}
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&root); err != nil {
		return nil, fmt.Errorf("write declaration: %w", err)
	}
	return out.Bytes(), nil
}

// makeCompact puts objects on one line each, and lists of texts too.
func makeCompact(n *yaml.Node) {
	switch {
	case n.Kind == yaml.MappingNode:
		n.Style = yaml.FlowStyle
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.ScalarNode:
		n.Style = yaml.FlowStyle
	case n.Kind == yaml.SequenceNode:
		for _, child := range n.Content {
			makeCompact(child)
		}
	}
}

var pathPattern = regexp.MustCompile(`^(\w+)(?:\[(\d+)\])?$`)

// nodeAt returns the node that a comment about a part belongs to, or nil.
func nodeAt(root *yaml.Node, path string) *yaml.Node {
	m := pathPattern.FindStringSubmatch(path)
	if m == nil {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Value != m[1] {
			continue
		}
		if place, err := strconv.Atoi(m[2]); err == nil && place < len(value.Content) {
			return value.Content[place]
		}
		return key
	}
	return nil
}

// maxLine is the maximum length of a line of a comment.
const maxLine = 96

func wrap(text string) string {
	var out strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		if length > 0 && length+len(word)+1 > maxLine {
			out.WriteByte('\n')
			length = 0
		} else if length > 0 {
			out.WriteByte(' ')
			length++
		}
		out.WriteString(word)
		length += len(word)
	}
	return out.String()
}
