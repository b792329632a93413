package entity

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
)

// Option is a setting of a type in addition to the reading options of its file. It is a query
// parameter of the type's façade and a key of an import's options.
type Option struct {
	Name   string   `json:"name"`   // "applyNumberChanges"
	Title  string   `json:"title"`  // for people
	Values []string `json:"values"` // allowed values; the first is the default, unless NoDefault
	// NoDefault options have no value if an import does not set them.
	NoDefault bool `json:"-"`
	// PerFile options describe a single file: a file that retries another one does not inherit them.
	PerFile bool `json:"-"`
	// CustomQuery takes a text ($1 text) and returns the value (text) that the organisation has
	// defined for it, in addition to Values or instead of one; "" if there are no custom values.
	CustomQuery string `json:"-"`
	// ParseAlias returns the value for a text that is an alias of it; nil if there are no aliases.
	// CustomQuery has priority.
	ParseAlias func(text string) (string, bool) `json:"-"`
}

// BoolOption returns an option that is true or false.
func BoolOption(name, title string, otherwise bool) Option {
	values := []string{"false", "true"}
	if otherwise {
		slices.Reverse(values)
	}
	return Option{Name: name, Title: title, Values: values}
}

// Settings are the values of a type's options, by name.
type Settings map[string]string

// ExtractSettings removes the type's own options from an import's options and returns them.
// OPTION_INVALID for a value that is not allowed.
func (d *Declaration) ExtractSettings(options map[string]json.RawMessage) (Settings, error) {
	given := make(Settings)
	invalid := problem.New(problem.OptionInvalid, "The options of the import are not valid.")
	for _, o := range d.Options {
		raw, ok := options[o.Name]
		delete(options, o.Name)
		if !ok {
			continue
		}
		text := strings.Trim(string(raw), `"`) // true and "true" are the same
		if !slices.Contains(o.Values, text) && !o.mayBeCustom(text) {
			invalid.With(o.Name, problem.OptionInvalid, problem.OneOf(o.Values))
			continue
		}
		given[o.Name] = text
	}
	if len(invalid.Fields) > 0 {
		return nil, invalid
	}
	return given, nil
}

// maxCustomValue is the maximum size of an organisation's custom value in bytes.
const maxCustomValue = 200

// mayBeCustom reports whether the text may be a custom value or an alias.
func (o *Option) mayBeCustom(text string) bool {
	return o.CustomQuery != "" && text != "" && len(text) <= maxCustomValue
}

// InvalidValueError returns the error for a value that is not allowed.
func (o *Option) InvalidValueError() error {
	rule := problem.OneOf(o.Values)
	if o.CustomQuery != "" {
		rule += " Or one of the organisation's own."
	}
	return problem.New(problem.OptionInvalid, "The options of the import are not valid.").With(o.Name, problem.OptionInvalid, rule)
}

// ChosenSettings reads the settings that the stored options of an import contain.
func (d *Declaration) ChosenSettings(options json.RawMessage) (Settings, error) {
	if len(options) == 0 {
		return Settings{}, nil
	}
	var kept map[string]json.RawMessage
	if err := json.Unmarshal(options, &kept); err != nil {
		return nil, fmt.Errorf("options of an import of %s: %w", d.Name, err)
	}
	return d.ExtractSettings(kept)
}

// ParseSettings reads the settings from the stored options of an import, and completes them by
// their defaults.
func (d *Declaration) ParseSettings(options json.RawMessage) (Settings, error) {
	settings, err := d.ChosenSettings(options)
	if err != nil {
		return nil, err
	}
	for _, o := range d.Options {
		if _, ok := settings[o.Name]; !ok && !o.NoDefault {
			settings[o.Name] = o.Values[0]
		}
	}
	return settings, nil
}
