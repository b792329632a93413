package httpapi

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// importOptions reads the options that a form or query accepts, under the names that name returns.
// It returns these names.
func (v *values) importOptions(o *job.ImportOptions, accepted []job.Option, name func(*job.Option) string) []string {
	names := make([]string, len(accepted))
	for i := range accepted {
		names[i] = name(&accepted[i])
		if text := v.text(names[i]); text != "" {
			if rule := o.SetText(&accepted[i], text); rule != "" {
				v.addError(names[i], rule)
			}
		}
	}
	return names
}

// uploadQuery reads the options in the query of a type's own upload, and returns their names.
func (v *values) uploadQuery(o *job.ImportOptions, wholeFile bool) []string {
	accepted := slices.DeleteFunc(job.OptionsIn(job.InUploadQuery), func(o job.Option) bool { return o.WholeFile && !wholeFile })
	return v.importOptions(o, accepted, (*job.Option).JSONName)
}

// readUploadForm reads the options in the form of a type's own upload; it may also contain the known fields.
func (c *importRequest) readUploadForm(fields *values, known ...string) {
	c.Mapping = fields.json("mapping")
	names := fields.importOptions(&c.ImportOptions, job.OptionsIn(job.InUploadForm), (*job.Option).JSONName)
	fields.rejectUnknown(append(append(names, "mapping"), known...)...)
}

// takeOptionsV1 moves the options of a /v1 document to o. The remaining members are not options.
func takeOptionsV1(members map[string]json.RawMessage, o *job.ImportOptions) error {
	for _, option := range job.OptionsIn(job.InV1) {
		name := option.SnakeName()
		value, found := members[name]
		if !found {
			continue
		}
		delete(members, name)
		if err := o.Set(option.Name, value); err != nil {
			return invalidJSON(err)
		}
	}
	return nil
}

// renameParametersV1 replaces the names of invalid options by their /v1 names.
func renameParametersV1(err error) error {
	var refused *problem.Error
	if errors.As(err, &refused) {
		for _, option := range job.OptionsIn(job.InV1) {
			for i := range refused.Fields {
				if refused.Fields[i].Field == option.Name {
					refused.Fields[i].Field = option.SnakeName()
				}
			}
		}
	}
	return err
}

// takeStoredOptions removes and returns the members of a patch that are stored options, as one document; nil if
// there are none.
func takeStoredOptions(patch map[string]json.RawMessage) (json.RawMessage, error) {
	stored := maps.Clone(patch)
	maps.DeleteFunc(stored, func(name string, _ json.RawMessage) bool {
		return !slices.ContainsFunc(job.OptionsIn(job.InProfile), func(o job.Option) bool { return o.Name == name })
	})
	if len(stored) == 0 {
		return nil, nil
	}
	maps.DeleteFunc(patch, func(name string, _ json.RawMessage) bool { _, taken := stored[name]; return taken })
	return json.Marshal(stored)
}
