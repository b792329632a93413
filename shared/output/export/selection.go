package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// contextFilter is the filter by the context of rows.
const contextFilter = "context_id"

// Select returns the selection of a request: columns by name, none for all, and
// filters as a JSON object, or nothing:
//
//	{"role": "editor"}                              this value
//	{"role": ["editor", "author"]}                  one of these values
//	{"created_at": {"from": "…", "before": "…"}}    in this range; either may be left out
//	{"context_id": 11}                              of this period, event …
//
// Values of references have the exported form. A list matches if it contains one of the
// values.
func Select(d *entity.Declaration, columns []string, filters json.RawMessage) (entity.Selection, error) {
	invalid := problem.New(problem.ParameterInvalid, "The export settings are not valid.")
	s := entity.Selection{}
	if d.Export == nil {
		return s, problem.New(problem.ImportTypeUnknown, "%s cannot be exported.", d.Title)
	}
	for _, name := range columns {
		field := fieldIndex(d, name)
		switch {
		case field < 0:
			invalid.With("fields", problem.ParameterInvalid, fmt.Sprintf("Unknown column %q. %s have: %s.", entity.Shorten(name), d.Title, columnNames(d)))
			continue
		case slices.Contains(s.Fields, field):
			invalid.With("fields", problem.ParameterInvalid, fmt.Sprintf("The column %s is listed twice.", name))
			continue
		}
		s.Fields = append(s.Fields, field)
	}
	if len(columns) == 0 {
		for i := range d.Fields {
			s.Fields = append(s.Fields, i)
		}
	}
	if len(filters) > 0 {
		parseFilters(d, &s, filters, invalid)
	}
	if len(invalid.Fields) > 0 {
		return s, invalid
	}
	return s, nil
}

// Fields returns the fields of a selection, in its order.
func Fields(d *entity.Declaration, s entity.Selection) []*entity.Field {
	fields := make([]*entity.Field, len(s.Fields))
	for i, field := range s.Fields {
		fields[i] = &d.Fields[field]
	}
	return fields
}

func fieldIndex(d *entity.Declaration, name string) int {
	return slices.IndexFunc(d.Fields, func(f entity.Field) bool { return f.Column == name })
}

func columnNames(d *entity.Declaration) string {
	names := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		names[i] = f.Column
	}
	return strings.Join(names, ", ")
}

func parseFilters(d *entity.Declaration, s *entity.Selection, filters json.RawMessage, invalid *problem.Error) {
	if member, ok := pgtext.ValidJSON(filters); !ok {
		invalid.With(strings.TrimSuffix("filters."+member, "."), problem.ParameterInvalid, pgtext.RuleText)
		return
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(filters, &given); err != nil {
		invalid.With("filters", problem.ParameterInvalid, "A JSON object with a value for each column.")
		return
	}
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		field := fieldIndex(d, name)
		switch {
		case name == contextFilter && d.Export.Context != "":
			var id int64
			if json.Unmarshal(given[name], &id) != nil {
				invalid.With("filters."+name, problem.ParameterInvalid, "The ID of a "+d.Context.Title+".")
			}
			s.Context = &id
		case field < 0:
			invalid.With("filters."+name, problem.ParameterInvalid, "Unknown column.")
		default:
			made, ok := parseFieldFilters(&d.Fields[field], field, given[name])
			if !ok {
				invalid.With("filters."+name, problem.ParameterInvalid, "A value of this column, a list of values, or a range: {\"from\": …, \"before\": …}.")
			}
			s.Filters = append(s.Filters, made...)
		}
	}
}

// parseFieldFilters returns the filters of a member of the object.
func parseFieldFilters(f *entity.Field, field int, given json.RawMessage) ([]entity.Filter, bool) {
	switch given = bytes.TrimSpace(given); given[0] {
	case '{':
		var bounds struct{ From, Before json.RawMessage }
		d := json.NewDecoder(bytes.NewReader(given))
		d.DisallowUnknownFields()
		if d.Decode(&bounds) != nil || bounds.From == nil && bounds.Before == nil || !isOrdered(f.Kind) {
			return nil, false
		}
		var filters []entity.Filter
		for _, bound := range []struct {
			is    entity.Comparison
			value json.RawMessage
		}{{entity.AtLeast, bounds.From}, {entity.LessThan, bounds.Before}} {
			if bound.value == nil {
				continue
			}
			v, ok := scalarText(f, bound.value)
			if !ok {
				return nil, false
			}
			filters = append(filters, entity.Filter{Field: field, Is: bound.is, Values: []string{v}})
		}
		return filters, true
	case '[':
		var values []json.RawMessage
		if json.Unmarshal(given, &values) != nil || len(values) > maxValues {
			return nil, false
		}
		filter := entity.Filter{Field: field, Values: make([]string, len(values))}
		for i, v := range values {
			var ok bool
			if filter.Values[i], ok = scalarText(f, v); !ok {
				return nil, false
			}
		}
		return []entity.Filter{filter}, true
	default:
		v, ok := scalarText(f, given)
		return []entity.Filter{{Field: field, Values: []string{v}}}, ok
	}
}

// maxValues is the maximum number of values in a filter.
const maxValues = 1000

func isOrdered(k entity.Kind) bool {
	switch k {
	case entity.Integer, entity.Decimal, entity.Date, entity.Timestamp:
		return true
	}
	return false
}

var decimal = regexp.MustCompile(`^-?[0-9]{1,100}(\.[0-9]{1,100})?$`)

// scalarText returns a JSON value as text that Postgres accepts for the field's kind.
func scalarText(f *entity.Field, given json.RawMessage) (string, bool) {
	text := string(given)
	if given[0] == '"' {
		if json.Unmarshal(given, &text) != nil {
			return "", false
		}
	} else if given[0] == 'n' || given[0] == '{' || given[0] == '[' {
		return "", false
	}
	return text, bytes.IndexByte([]byte(text), 0) < 0 && isValidFilterValue(f, text)
}

func isValidFilterValue(f *entity.Field, text string) bool {
	var err error
	switch f.Kind {
	case entity.UUID:
		err = uuid.Validate(text)
	case entity.Integer:
		_, err = strconv.ParseInt(text, 10, 64)
	case entity.Decimal:
		return decimal.MatchString(text)
	case entity.Boolean:
		return text == "true" || text == "false"
	case entity.Date:
		_, err = time.Parse(time.DateOnly, text)
	case entity.Timestamp:
		if _, err = time.Parse(time.RFC3339, text); err != nil {
			_, err = time.Parse(time.DateOnly, text)
		}
	case entity.Enum:
		return slices.Contains(f.Enum, text)
	}
	return err == nil
}
