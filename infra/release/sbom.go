package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// stampSBOM rewrites a list of modules in the format CycloneDX: its own component has the version of
// the release, which is tagged later, and it has no time, so that its bytes are the same at any time.
func stampSBOM(path, version string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	stamped, err := stampVersion(text, version)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, stamped, 0o644)
}

// purlPattern splits a package URL of a Go module into its name, its version if it has one, and the rest.
var purlPattern = regexp.MustCompile(`^(pkg:golang/[^@?]+)(?:@[^?]*)?(\?.*)?$`)

func stampVersion(text []byte, version string) ([]byte, error) {
	var list map[string]any
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	metadata, _ := list["metadata"].(map[string]any)
	component, _ := metadata["component"].(map[string]any)
	reference, _ := component["bom-ref"].(string)
	if reference == "" {
		return nil, errors.New("the list has no component of its own")
	}
	delete(metadata, "timestamp")
	component["version"] = version
	for _, key := range []string{"bom-ref", "purl"} {
		url, _ := component[key].(string)
		parts := purlPattern.FindStringSubmatch(url)
		if parts == nil {
			return nil, fmt.Errorf("%s of the component is %q", key, url)
		}
		component[key] = parts[1] + "@" + version + parts[2]
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(replaceStrings(list, reference, component["bom-ref"].(string)))
	return out.Bytes(), err
}

// replaceStrings replaces one string in the values of a document.
func replaceStrings(value any, from, to string) any {
	switch v := value.(type) {
	case string:
		if v == from {
			return to
		}
	case []any:
		for i := range v {
			v[i] = replaceStrings(v[i], from, to)
		}
	case map[string]any:
		for key := range v {
			v[key] = replaceStrings(v[key], from, to)
		}
	}
	return value
}
