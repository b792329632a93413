package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client/api"
)

// answerFlags are answers to the questions of an import, given in advance.
type answerFlags struct{ columns, values, createMissing []string }

func (f *answerFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.columns, "map", nil, "the field of a column as COLUMN=FIELD; COLUMN= leaves the column out")
	flags.StringArrayVar(&f.values, "value", nil, "the meaning of a value as FIELD:VALUE=TARGET; FIELD:VALUE= leaves the field empty")
	flags.StringArrayVar(&f.createMissing, "create-missing", nil, "a field whose unknown values become new entries")
}

// apply adds the answers to a mapping; nil means an empty one. They replace its decisions about the
// same fields, columns and values.
func (f *answerFlags) apply(m *api.Mapping) (*api.Mapping, error) {
	if len(f.columns)+len(f.values)+len(f.createMissing) == 0 {
		return m, nil
	}
	if m == nil {
		m = new(api.Mapping)
	}
	for _, add := range []func(*api.Mapping) error{f.applyColumns, f.applyValues, f.applyDefaults} {
		if err := add(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (f *answerFlags) applyColumns(m *api.Mapping) error {
	for _, answer := range f.columns {
		at := strings.LastIndex(answer, "=") // a header may contain one
		if at < 1 {
			return usageError{fmt.Errorf("--map %s: use COLUMN=FIELD", answer)}
		}
		column, field := answer[:at], strings.ToUpper(answer[at+1:])
		if field == "" {
			m.Ignore = replaced(m.Ignore, column, func(s string) bool { return s == column })
			continue
		}
		m.Fields = replaced(m.Fields, api.MappingField{Field: field, From: &[]string{column}}, func(e api.MappingField) bool { return e.Field == field })
	}
	return nil
}

func (f *answerFlags) applyValues(m *api.Mapping) error {
	for _, answer := range f.values {
		field, rest, _ := strings.Cut(answer, ":")
		at := strings.LastIndex(rest, "=")
		if field == "" || at < 1 {
			return usageError{fmt.Errorf("--value %s: use FIELD:VALUE=TARGET", answer)}
		}
		entry := api.MappingValue{Field: strings.ToUpper(field), Value: rest[:at], To: nonZero(rest[at+1:])}
		if entry.To == nil {
			entry.Then = new(api.MappingThenEmpty)
		}
		m.Values = replaced(m.Values, entry, func(e api.MappingValue) bool { return e.Field == entry.Field && e.Value == entry.Value })
	}
	return nil
}

func (f *answerFlags) applyDefaults(m *api.Mapping) error {
	for _, field := range f.createMissing {
		entry := api.MappingDefault{Field: strings.ToUpper(field), Then: new(api.MappingThenCreate)}
		m.Defaults = replaced(m.Defaults, entry, func(e api.MappingDefault) bool { return e.Field == entry.Field })
	}
	return nil
}

// replaced returns a list without the entries that match, and with a new one at the end.
func replaced[T any](list *[]T, entry T, match func(T) bool) *[]T {
	kept := []T{}
	if list != nil {
		for _, e := range *list {
			if !match(e) {
				kept = append(kept, e)
			}
		}
	}
	kept = append(kept, entry)
	return &kept
}

// decodeStrictly decodes JSON, and refuses unknown names as the API does.
func decodeStrictly(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return errors.New(strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown name", 1))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the JSON value")
	}
	return nil
}

func (a *app) importsMapping() *cobra.Command {
	return &cobra.Command{
		Use: "mapping ID", Short: "Print the answers of an import as a mapping for other files", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Print the answers of an import as JSON. The file is accepted by import --mapping, plan --mapping and
profiles create --mapping, so that the next file of the same source needs no answers.`,
		Example: `  loadbay imports mapping 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 > mapping.json
  loadbay import next.csv --type USER --mapping mapping.json --yes`,
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			m, err := readMappingOf(c.Context(), caller, given[0])
			if err != nil {
				return err
			}
			return a.printMapping(m)
		},
	}
}

func (a *app) importsColumns() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "columns ID", Short: "Show the field of each column of an import", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Example: `  loadbay imports columns 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4`,
		RunE:    a.withClient(a.printColumns),
	})
}
