package httpapi

import (
	"strings"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// changesPart is a part of what an import has changed: ChangesPart in openapi.yaml.
type changesPart struct {
	Changes  []change `json:"changes"`
	Cursor   *string  `json:"cursor"` // of the next part; null once all changes have been looked at
	Complete bool     `json:"complete"`
}

// change is what became of one entity: Change in openapi.yaml.
type change struct {
	RowNumber *int64        `json:"rowNumber"`
	Kind      string        `json:"kind"`
	Table     string        `json:"table"`
	ID        string        `json:"id"`
	Fields    []fieldChange `json:"fields"`
	Previous  *changeSource `json:"previous"`
}

// fieldChange is a field with another value.
type fieldChange struct {
	Field  string  `json:"field"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

// changeSource is what wrote an entity before.
type changeSource struct {
	Identifier *job.ID `json:"identifier"` // null once the import is not kept any more
	RowNumber  int64   `json:"rowNumber"`
}

// fieldNames are the fields of an import type by their columns.
type fieldNames map[string]string

// fieldNamesOf returns the words of a type.
func fieldNamesOf(d *entity.Declaration) fieldNames {
	words := make(fieldNames)
	for i := range d.Fields {
		words[d.Fields[i].Column] = d.Fields[i].Name
	}
	return words
}

// field is what a column is called: as the field that it is of, else after itself.
func (w fieldNames) field(column string) string {
	if name, ok := w[column]; ok {
		return name
	}
	return strings.ToUpper(column)
}

// column is the inverse of field.
func (w fieldNames) column(field string) string {
	for column, name := range w {
		if name == field {
			return column
		}
	}
	return strings.ToLower(field)
}

func (w fieldNames) change(c *changeset.Change, origins map[job.Key]job.ID) change {
	document := change{Kind: c.Op.String(), Table: c.Table, ID: c.ID, Fields: make([]fieldChange, len(c.Columns))}
	if c.Row != 0 {
		document.RowNumber = &c.Row
	}
	for i, column := range c.Columns {
		f := fieldChange{Field: w.field(column)}
		if c.Before != nil {
			f.Before = c.Before[i]
		}
		if c.After != nil {
			f.After = c.After[i]
		}
		document.Fields[i] = f
	}
	if c.PrevJob != 0 {
		document.Previous = &changeSource{RowNumber: c.PrevRow}
		if id, ok := origins[job.Key(c.PrevJob)]; ok {
			document.Previous.Identifier = &id
		}
	}
	return document
}
