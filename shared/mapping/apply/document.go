package apply

import (
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/sheet"
)

// DocumentOf returns the document of column mappings, with their stated formats, and of the
// decisions about values.
func DocumentOf(columns []job.MappedColumn, cells []job.MappedCell) *document.Document {
	return buildDocument(columns, cells, document.NewHeaders(Header(columns)), func(c *job.MappedColumn) (order, mark string) {
		return statedValue(c.Locale.DateOrder), statedValue(c.Locale.DecimalMark)
	})
}

// DocumentForRows is DocumentOf for a file with some of the original rows, in which numbers
// and dates of columns without a composition are written unambiguously. For composed texts,
// the document states the formats detected from all rows, as the few might not determine
// them. header is that of the other file, of which the columns may be the last ones.
func DocumentForRows(columns []job.MappedColumn, cells []job.MappedCell, header []string) *document.Document {
	headers := document.NewHeaders(Header(columns))
	if own := Header(columns); len(header) > len(own) && slices.Equal(header[len(header)-len(own):], own) {
		headers = document.NewHeaders(header).Slice(len(header) - len(own))
	}
	return buildDocument(columns, cells, headers, func(c *job.MappedColumn) (order, mark string) {
		if !c.IsComposed() {
			return "", ""
		}
		return c.Locale.DateOrder.Value, c.Locale.DecimalMark.Value
	})
}

func statedValue(f sheet.Finding) string {
	if f.Evidence != sheet.Stated {
		return ""
	}
	return f.Value
}

func buildDocument(columns []job.MappedColumn, cells []job.MappedCell, headers *document.Headers, reading func(*job.MappedColumn) (order, mark string)) *document.Document {
	d := &document.Document{}
	feeds := job.FieldsByColumn(columns)
	for i := range columns {
		c := &columns[i]
		switch {
		case c.TargetField != "":
			f := fieldOf(c, headers)
			f.DateOrder, f.DecimalMark = reading(c)
			d.Fields = append(d.Fields, f)
		case c.Status == job.Ignored && len(feeds[c.ColumnIndex]) == 0:
			d.Ignore = append(d.Ignore, headers.Name(c.ColumnIndex))
		}
	}
	for i := range cells {
		if v, decided := valueDecision(&cells[i]); decided {
			d.Values = append(d.Values, v)
		}
	}
	return d
}

// Header returns the header of the file that contains the columns.
func Header(columns []job.MappedColumn) (header []string) {
	for _, c := range columns {
		if c.ColumnIndex < 0 {
			continue
		}
		for len(header) <= c.ColumnIndex {
			header = append(header, "")
		}
		header[c.ColumnIndex] = c.Header
	}
	return header
}

func fieldOf(c *job.MappedColumn, headers *document.Headers) document.Field {
	f := document.Field{Field: c.TargetField, Constant: c.Constant, Transforms: c.Transforms}
	for _, place := range c.Columns() {
		f.From = append(f.From, headers.Name(place))
	}
	if len(f.From) > 1 && c.Separator != document.DefaultSeparator {
		f.Separator = &c.Separator
	}
	return f
}

// valueDecision returns the decision about a value by a person or a mapping; false for none.
func valueDecision(c *job.MappedCell) (v document.Value, decided bool) {
	v = document.Value{Field: c.TargetField, Value: c.Value}
	switch {
	case c.TargetField == job.PersonField:
		return v, false
	case c.Status == job.Ignored:
		v.Then = document.Skip
	case c.Status != job.ManualMatched:
		return v, false
	case c.Create:
		v.Then = document.Create
	case c.Empty:
		v.Then = document.Empty
	case c.EntityID != "":
		v.ToID = c.EntityID
	case c.TargetValue != "":
		v.To = c.TargetValue
	default:
		return v, false
	}
	return v, true
}
