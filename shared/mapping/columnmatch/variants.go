package columnmatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/problem"
)

// variantOf returns the variant of a field that a header names, or nil.
func variantOf(f *entity.Field, header string) *entity.Variant {
	key := mapping.HeaderKey(header)
	for i := range f.Variants {
		v := &f.Variants[i]
		if slices.ContainsFunc(v.Headers, func(name string) bool { return mapping.HeaderKey(name) == key }) {
			return v
		}
	}
	return nil
}

// CompleteSettings sets the options that are not set to the values that the headers of the mapped
// columns name.
func CompleteSettings(d *entity.Declaration, settings entity.Settings, columns []job.MappedColumn) {
	for i := range d.Fields {
		for _, c := range columns {
			if c.TargetField != d.Fields[i].Name {
				continue
			}
			if v := variantOf(&d.Fields[i], c.Header); v != nil && settings[v.Option] == "" {
				settings[v.Option] = v.Value
			}
		}
	}
}

// UnclearVariant describes a field for which the headers and the options do not determine the
// column.
type UnclearVariant struct {
	Field *entity.Field
	Err   error
}

// RejectUnclearVariants leaves columns unresolved whose header contradicts the options, and those
// of a field for which several columns name different values of an option that is not set.
func RejectUnclearVariants(d *entity.Declaration, chosen entity.Settings, columns []job.MappedColumn) (unclear []UnclearVariant) {
	for i := range d.Fields {
		f := &d.Fields[i]
		if len(f.Variants) == 0 {
			continue
		}
		if err := rejectUnclear(f, chosen, columns); err != nil {
			unclear = append(unclear, UnclearVariant{f, err})
		}
	}
	return unclear
}

func rejectUnclear(f *entity.Field, chosen entity.Settings, columns []job.MappedColumn) error {
	option := f.Variants[0].Option
	var named []string // values that the headers name
	mapped := -1
	for i := range columns {
		if columns[i].TargetField == f.Name {
			mapped = i
		}
		if v := variantOf(f, columns[i].Header); v != nil && !slices.Contains(named, v.Value) {
			named = append(named, v.Value)
		}
	}
	if mapped < 0 {
		if set := chosen[option]; set != "" && len(named) > 0 {
			return contradiction(option, set, named)
		}
		return nil
	}
	v := variantOf(f, columns[mapped].Header)
	var err error
	switch set := chosen[option]; {
	case v == nil || v.Value == set:
		return nil
	case set != "":
		err = contradiction(option, set, named)
	case len(named) > 1:
		err = unclearOption(option, fmt.Sprintf("The file has several columns for %s: %s. State %s.", f.Title, strings.Join(named, ", "), option))
	default:
		return nil
	}
	c := &columns[mapped]
	c.TargetField, c.Status, c.Confidence, c.MatchedBy = "", job.Unresolved, 0, ""
	return err
}

func contradiction(option, set string, named []string) error {
	return unclearOption(option, fmt.Sprintf("%s is %s, but the file has a column for %s. State %s=%s, or rename the column.", option, set, strings.Join(named, ", "), option, named[0]))
}

func unclearOption(option, message string) error {
	return problem.New(problem.OptionInvalid, "%s", message).With(option, problem.OptionInvalid, message)
}
