package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/shared/job"
)

// optionFlags are the options of imports that are set with flags, by their names in the API.
type optionFlags map[string]json.RawMessage

// register adds a flag for each option that is accepted in a place, except those named.
func (f *optionFlags) register(flags *pflag.FlagSet, place job.OptionUse, except ...string) {
	*f = optionFlags{}
	for _, option := range job.OptionsIn(place) {
		if flags.Lookup(option.FlagName()) != nil || slices.Contains(except, option.Name) {
			continue
		}
		flag := flags.VarPF(&optionValue{option: option, options: *f}, option.FlagName(), "", option.Description)
		if option.Kind == job.FlagOption {
			flag.NoOptDefVal = "true"
		}
	}
}

// apply sets the options in a request.
func (f *optionFlags) apply(request any) error { return convertJSON(*f, request) }

// set sets an option that has no flag.
func (f *optionFlags) set(name string, value bool) {
	if *f == nil {
		*f = optionFlags{}
	}
	(*f)[name] = json.RawMessage(strconv.FormatBool(value))
}

// optionValue is the value of an option's flag.
type optionValue struct {
	option  job.Option
	options optionFlags
	text    string
}

func (v *optionValue) String() string { return v.text }

// Type is shown in the help.
func (v *optionValue) Type() string {
	if v.option.Kind == job.FlagOption {
		return "bool"
	}
	return "string"
}

// Set parses a text. The installation checks the option's rule.
func (v *optionValue) Set(text string) error {
	v.text = text
	if text == "" { // as if the flag was omitted
		delete(v.options, v.option.Name)
		return nil
	}
	value, rule := v.option.ParseText(text)
	if rule != "" {
		return errors.New(rule)
	}
	v.options[v.option.Name] = value
	return nil
}

// optionCompletions are the completions of the options' flags.
func optionCompletions() map[string]cobra.CompletionFunc {
	known := make(map[string]cobra.CompletionFunc)
	for _, option := range job.OptionsIn(job.AsFlag) {
		known[option.FlagName()] = cobra.NoFileCompletions
		if len(option.Values) > 0 {
			known[option.FlagName()] = fixedCompletion(option.Values...)
		}
	}
	return known
}

// fetchRequest returns the request that lets the installation fetch a file.
func fetchRequest(address, resource string, creation *api.Creation) (*api.CreateBulkImportJSONRequestBody, error) {
	var options, renamed map[string]json.RawMessage
	if err := convertJSON(creation, &options); err != nil {
		return nil, err
	}
	for _, option := range job.Options() {
		value, known := options[option.Name]
		switch {
		case !known || option.Name == "autoStart": // nobody is asked by default
		case option.In&job.InV1 == 0:
			return nil, usageError{fmt.Errorf("%s cannot be used with a URL: download the file first", option.Name)}
		default:
			if renamed == nil {
				renamed = make(map[string]json.RawMessage)
			}
			renamed[option.SnakeName()] = value
		}
	}
	body := new(api.CreateBulkImportJSONRequestBody)
	if err := convertJSON(renamed, body); err != nil {
		return nil, err
	}
	body.URL, body.ResourceType, body.ContextID, body.Mapping = address, resource, creation.ContextID, creation.Mapping
	if creation.Options != nil {
		body.Options = new(map[string]any)
		return body, convertJSON(creation.Options, body.Options)
	}
	return body, nil
}
