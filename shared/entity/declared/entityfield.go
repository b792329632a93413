package declared

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// kindsByName are the kinds of fields that a declaration can name.
var kindsByName = map[string]entity.Kind{
	"text": entity.Text, "json": entity.Text, "email": entity.Email, "enum": entity.Enum, "uuid": entity.UUID, "integer": entity.Integer,
	"decimal": entity.Decimal, "boolean": entity.Boolean, "date": entity.Date, "timestamp": entity.Timestamp, "textList": entity.TextList,
}

// kindsByType are the kinds of columns, for fields that do not name one. All other columns contain texts.
var kindsByType = map[string]entity.Kind{
	"uuid": entity.UUID, "smallint": entity.Integer, "integer": entity.Integer, "bigint": entity.Integer,
	"numeric": entity.Decimal, "real": entity.Decimal, "double precision": entity.Decimal, "boolean": entity.Boolean, "date": entity.Date,
	"timestamp with time zone": entity.Timestamp, "timestamp without time zone": entity.Timestamp,
}

// kindOf returns the kind of a field, or why it does not fit the column.
func kindOf(f *Field, column *pgtable.Column) (kind entity.Kind, why string) {
	natural, typed := kindsByType[column.Base]
	switch {
	case typed:
	case column.Element != "":
		natural = entity.TextList
	case len(column.Labels)+len(column.Words) > 0:
		natural = entity.Enum
	}
	if f.Kind == "" {
		return natural, ""
	}
	kind = kindsByName[f.Kind]
	fits := kind == natural
	switch kind {
	case entity.Text, entity.Email:
		fits = fits || !typed && column.Element == ""
	case entity.Enum:
		fits = fits || natural == entity.Text && len(f.Synonyms) > 0
	case entity.Decimal:
		fits = fits || natural == entity.Integer
	case entity.Date:
		fits = fits || natural == entity.Timestamp
	case entity.Integer:
		fits = fits || natural == entity.Decimal || natural == entity.Text
	case entity.UUID, entity.Boolean, entity.Timestamp:
		fits = fits || natural == entity.Text
	}
	if !fits {
		return kind, fmt.Sprintf("Column %s is %s, which does not hold values of this kind. Leave kind out to use the column's.", column.Name, column.Type)
	}
	return kind, ""
}

// entityFields returns the fields as the rest of Loadbay knows them.
func (c *compiler) entityFields() (fields, computed []entity.Field) {
	for i := range c.fields {
		f := c.fields[i].describe()
		switch {
		case c.fields[i].kind == entity.Reference:
			f.Lookup = c.lookup(&c.fields[i])
			f.Expr = c.referredText(&c.fields[i])
		case c.isNamed(&c.fields[i]):
			f.MaxLength = c.fields[i].declared.MaxLength // and not that of the column, which holds the value
			f.Expr = c.referredText(&c.fields[i])
		}
		if c.fields[i].declared.Computed != "" {
			computed = append(computed, f)
		} else {
			fields = append(fields, f)
		}
	}
	return fields, computed
}

// describe returns the field without its lookup.
func (f *field) describe() entity.Field {
	d := f.declared
	e := entity.Field{
		Name: d.Name, Column: f.Name, Expr: f.exported(), Title: d.Title, Concepts: d.Concepts, Aliases: d.Aliases, Kind: f.kind, Required: d.Required,
		Identifying: d.Identifying, Personal: d.Personal, Unit: d.Unit, Pattern: d.Pattern, FormatHint: d.PatternHint, Min: d.Min, Max: d.Max, Separator: d.Separator,
	}
	if e.Title == "" {
		e.Title = titleOf(f.Name)
	}
	e.Titles = make(map[string]string, len(d.Titles))
	for _, language := range slices.Sorted(maps.Keys(d.Titles)) {
		e.TranslatedAliases = append(e.TranslatedAliases, d.Titles[language]...)
		if len(d.Titles[language]) > 0 {
			e.Titles[language] = d.Titles[language][0]
		}
	}
	for _, word := range d.Placeholders {
		e.AllowedPlaceholders = append(e.AllowedPlaceholders, strings.ToLower(word))
	}
	switch f.kind {
	case entity.Text, entity.Email:
		e.MaxLength = f.MaxLength
		if d.MaxLength > 0 && (e.MaxLength == 0 || d.MaxLength < e.MaxLength) {
			e.MaxLength = d.MaxLength
		}
	case entity.Enum:
		e.Enum = f.words()
		for _, word := range slices.Sorted(maps.Keys(d.Synonyms)) {
			e.Synonyms = append(e.Synonyms, entity.Synonym{Word: word, Value: d.Synonyms[word]})
		}
	case entity.Integer, entity.Decimal:
		f.limit(&e)
	}
	return e
}

// titleOf returns the title of a column without one: "Unit price" of unit_price.
func titleOf(column string) string {
	words := strings.TrimSpace(strings.ReplaceAll(column, "_", " "))
	if words == "" {
		return column
	}
	first := []rune(words)[0]
	return strings.ToUpper(string(first)) + words[len(string(first)):]
}

// words returns the values of an enum: those of the column's type or CHECK constraint, or, for a
// column without them, those of the synonyms.
func (f *field) words() []string {
	switch {
	case len(f.Labels) > 0:
		return f.Labels
	case len(f.Words) > 0:
		return f.Words
	}
	values := slices.Sorted(maps.Values(f.declared.Synonyms))
	return slices.Compact(values)
}

// integerBounds are the smallest and the largest numbers of integer types.
var integerBounds = map[string][2]string{"smallint": {"-32768", "32767"}, "integer": {"-2147483648", "2147483647"}}

// limit sets the limits of numbers that follow from the column's type: Postgres would round a number
// with more decimals without saying so.
func (f *field) limit(e *entity.Field) {
	lowest, highest := "", ""
	switch {
	case f.Base == "numeric" && f.Precision > 0:
		highest = strings.Repeat("9", max(0, f.Precision-f.Scale))
		if highest == "" {
			highest = "0"
		}
		if f.Scale > 0 {
			highest += "." + strings.Repeat("9", f.Scale)
		}
		lowest = "-" + highest
	case integerBounds[f.Base] != [2]string{}:
		lowest, highest = integerBounds[f.Base][0], integerBounds[f.Base][1]
	}
	if e.Min == "" {
		e.Min = lowest
	}
	if e.Max == "" {
		e.Max = highest
	}
	exact := f.declared.Rounding == "" || f.declared.Rounding == "refuse"
	if f.kind == entity.Decimal && exact && (f.Precision > 0 || kindsByType[f.Base] == entity.Integer) {
		e.Decimals = new(f.Scale)
	}
}

// exported returns the SQL of the field's value in exports.
func (f *field) exported() string {
	e := "e." + entitytable.Quote(f.Name)
	switch {
	case f.kind == entity.Timestamp && f.Base == "timestamp without time zone":
		return e + " AT TIME ZONE " + quoteText(f.zone())
	case f.Base == "character":
		return "rtrim(" + e + ")"
	}
	return e
}

// zone returns the time zone of times without one.
func (f *field) zone() string {
	if f.declared.Zone == "" {
		return "UTC"
	}
	return f.declared.Zone
}

// export returns how exports read the table.
func (c *compiler) export() *entity.Export {
	order := make([]string, len(c.identity))
	for i, column := range c.identity {
		order[i] = entitytable.Quote(column.Name)
	}
	return &entity.Export{Table: c.stored.Name, Source: c.name, Key: strings.Join(order, ", e."), Where: c.within("e"), Identity: c.stored.IDText("e")}
}

// quoteText returns the SQL of a constant text for any settings of the session.
func quoteText(text string) string {
	text = strings.ReplaceAll(text, "'", "''")
	if strings.Contains(text, `\`) {
		return "E'" + strings.ReplaceAll(text, `\`, `\\`) + "'"
	}
	return "'" + text + "'"
}
