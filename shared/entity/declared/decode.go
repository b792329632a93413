package declared

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decoder fills a declaration from the tree of its source and remembers where each part is.
type decoder struct {
	checker
	texts map[string]*yaml.Node // single values, by path
}

// decode sets target, whose members are named by their json tags.
func (d *decoder) decode(path string, n *yaml.Node, target reflect.Value) {
	d.places[path] = place{n.Line, n.Column}
	if n.Tag == "!!null" {
		return // as if it were absent
	}
	switch target.Kind() {
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		d.decode(path, n, target.Elem())
	case reflect.Struct:
		d.object(path, n, target)
	case reflect.Map:
		d.words(path, n, target)
	case reflect.Slice:
		d.list(path, n, target)
	default:
		d.scalar(path, n, target)
	}
}

func (d *decoder) object(path string, n *yaml.Node, target reflect.Value) {
	members := membersOf(target.Type())
	d.pairs(path, n, func(key string, keyNode, value *yaml.Node) {
		index, known := members[key]
		if !known {
			d.addAt(place{keyNode.Line, keyNode.Column}, join(path, key), unknownKey(key, slices.Sorted(maps.Keys(members))))
			return
		}
		d.decode(join(path, key), value, target.Field(index))
	})
}

func (d *decoder) words(path string, n *yaml.Node, target reflect.Value) {
	target.Set(reflect.MakeMap(target.Type()))
	d.pairs(path, n, func(key string, _, value *yaml.Node) {
		text := reflect.New(target.Type().Elem()).Elem()
		d.decode(join(path, key), value, text)
		target.SetMapIndex(reflect.ValueOf(key), text)
	})
}

// pairs calls found for each key of a mapping, which must not be repeated.
func (d *decoder) pairs(path string, n *yaml.Node, found func(key string, keyNode, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.refuse(path, "Use keys with values here.")
		return
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := place{key.Line, key.Column}
		switch {
		case key.Kind != yaml.ScalarNode:
			d.addAt(at, path, "A key must be a text.")
		case seen[key.Value]:
			d.addAt(at, join(path, key.Value), "The key is repeated. Remove one of them.")
		default:
			seen[key.Value] = true
			found(key.Value, key, n.Content[i+1])
		}
	}
}

func (d *decoder) list(path string, n *yaml.Node, target reflect.Value) {
	if target.Type() == reflect.TypeFor[Texts]() && n.Kind == yaml.ScalarNode {
		target.Set(reflect.MakeSlice(target.Type(), 1, 1))
		d.decode(path, n, target.Index(0))
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.refuse(path, "Use a list here.")
		return
	}
	target.Set(reflect.MakeSlice(target.Type(), len(n.Content), len(n.Content)))
	for i, child := range n.Content {
		d.decode(path+"["+strconv.Itoa(i)+"]", child, target.Index(i))
	}
}

// scalar accepts numbers and booleans as texts, because YAML does not need quotes around them.
func (d *decoder) scalar(path string, n *yaml.Node, target reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		d.refuse(path, "Use a single value here.")
		return
	}
	switch target.Kind() {
	case reflect.Bool:
		if n.Tag != "!!bool" {
			d.refuse(path, "Use true or false.")
			return
		}
		target.SetBool(n.Value == "true" || n.Value == "True" || n.Value == "TRUE")
	case reflect.Int:
		number, err := strconv.Atoi(n.Value)
		if n.Tag != "!!int" || err != nil {
			d.refuse(path, "Use a whole number.")
			return
		}
		target.SetInt(int64(number))
	default:
		target.SetString(n.Value)
		d.texts[path] = n
	}
}

// membersOf returns the indexes of a struct's fields by their json names.
func membersOf(t reflect.Type) map[string]int {
	members := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		members[name] = i
	}
	return members
}

// unknownKey describes an unknown key, with the known one that differs only in case, if any.
func unknownKey(key string, known []string) string {
	for _, k := range known {
		if strings.EqualFold(k, key) {
			return fmt.Sprintf("Unknown key. Write it %s.", k)
		}
	}
	return fmt.Sprintf("Unknown key. One of %s.", strings.Join(known, ", "))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
