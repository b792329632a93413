package httpapi

import (
	"strings"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// changesPart is a page of an import's changes: ChangesPart in openapi.yaml.
type changesPart struct {
	Changes  []change `json:"changes"`
	Cursor   *string  `json:"cursor"` // of the next page; null after the last change
	Complete bool     `json:"complete"`
}

// change is the change of one entity: Change in openapi.yaml.
type change struct {
	RowNumber *int64        `json:"rowNumber"`
	Kind      string        `json:"kind"`
	Table     string        `json:"table"`
	ID        string        `json:"id"`
	Fields    []fieldChange `json:"fields"`
	Previous  *changeSource `json:"previous"`
}

// fieldChange is a changed field.
type fieldChange struct {
	Field  string  `json:"field"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

// changeSource is the previous source of an entity.
type changeSource struct {
	Identifier *job.ID `json:"identifier"` // null if the import is no longer stored
	RowNumber  int64   `json:"rowNumber"`
}

// fieldNames maps columns to the fields of an import type.
type fieldNames map[string]string

// fieldNamesOf returns the field names of a type.
func fieldNamesOf(d *entity.Declaration) fieldNames {
	words := make(fieldNames)
	for _, fields := range [...][]entity.Field{d.Fields, d.Computed} {
		for i := range fields {
			words[fields[i].Column] = fields[i].Name
		}
	}
	return words
}

// field returns the name of the field for a column, or the column itself if it has no field.
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
