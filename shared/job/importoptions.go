package job

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// ImportOptions are the options of a request for an import, apart from the options of its file and
// type. All endpoints, the drop folder, the command line and the console use this struct and
// Options, which declares each of them once.
type ImportOptions struct {
	Mode        rowwrite.Mode `json:"mode"`              // "": the default of the organisation or the type
	AutoStart   *bool         `json:"autoStart"`         // nil: derived from Review
	SkipMapping *bool         `json:"skipMappingPhases"` // nil: true if the file is read as one and there is no review
	Review      Review        `json:"review"`            // "": the default
	DryRun      bool          `json:"dryRun"`
	RetryOf     ID            `json:"retryOf"` // original import if this one retries failed rows
	Profile     string        `json:"profile"` // name of the profile to use
	Label       string        `json:"label"`   // the caller's own name for the import
	MaxErrors   ErrorLimit    `json:"maxErrors"`
	Notify      []string      `json:"notify"`
	Plan        bool          `json:"plan"`     // wait for approval regardless of the changes
	Approval    Approval      `json:"approval"` // "": from the organisation's settings
	Guards      *Guards       `json:"guards"`   // nil: from the organisation's settings
	StoredOptions
}

// StoredOptions are the options that are stored as one JSON document with an import, an
// organisation's settings (its defaults) and a profile. A new option is a field here and an entry
// of Options; it needs no column and no code in the endpoints. Functions of an earlier release
// ignore it.
//
// The zero value of a field means unset, so that a request can override a default: a flag is a
// *bool.
type StoredOptions struct {
	Strict *bool `json:"strict"`
}

// Over returns the options, completed by defaults.
func (o StoredOptions) Over(defaults StoredOptions) StoredOptions {
	own, other := reflect.ValueOf(&o).Elem(), reflect.ValueOf(defaults)
	for i := range own.NumField() {
		if own.Field(i).IsZero() {
			own.Field(i).Set(other.Field(i))
		}
	}
	return o
}

// Stated returns the options that are set, as JSON; nil if there are none.
func (o StoredOptions) Stated() (json.RawMessage, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for name, value := range members {
		if string(value) == "null" {
			delete(members, name)
		}
	}
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}

// IsStrict reports whether an unused column with values is an error.
func (o StoredOptions) IsStrict() bool { return o.Strict != nil && *o.Strict }

// Set sets the option of that JSON name.
func (o *ImportOptions) Set(name string, value json.RawMessage) error {
	member, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(member)))
	d.DisallowUnknownFields()
	return d.Decode(o)
}

// CheckRules calls check for each option with a rule: whether its value is valid, its name, and the
// rule.
func (o *ImportOptions) CheckRules(check func(ok bool, name, rule string)) {
	for _, option := range Options() {
		if option.valid != nil {
			check(option.valid(o), option.Name, option.Rule)
		}
	}
}
