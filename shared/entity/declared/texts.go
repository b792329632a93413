package declared

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Texts are one text or several, written without a list if it is one.
type Texts []string

// plain returns the value that is written.
func (t Texts) plain() any {
	if len(t) == 1 {
		return t[0]
	}
	return []string(t)
}

// MarshalJSON implements json.Marshaler.
func (t Texts) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(t.plain())
	if err != nil {
		return nil, fmt.Errorf("write texts: %w", err)
	}
	return text, nil
}

// MarshalYAML implements yaml.Marshaler.
func (t Texts) MarshalYAML() (any, error) { return t.plain(), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Texts) UnmarshalJSON(source []byte) error {
	if bytes.HasPrefix(source, []byte(`"`)) {
		source = slices.Concat([]byte("["), source, []byte("]"))
	}
	if err := json.Unmarshal(source, (*[]string)(t)); err != nil {
		return fmt.Errorf("read texts: %w", err)
	}
	return nil
}
