package split

import (
	"bytes"
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/sheet"
)

// valueCounter counts the values of the undecided columns that the analysis has not counted, because
// that alone would have been a reason to read the whole file.
type valueCounter struct {
	decl    *entity.Declaration
	columns []job.MappedColumn
	open    []int // places in columns
}

func newValueCounter(decl *entity.Declaration, columns []job.MappedColumn) *valueCounter {
	v := &valueCounter{decl: decl, columns: slices.Clone(columns)}
	for i := range v.columns {
		if c := &v.columns[i]; c.Content.Uncounted && c.ColumnIndex >= 0 {
			c.Status, c.Content.Filled = job.Unresolved, 0 // as before the analysis confirmed it
			v.open = append(v.open, i)
		}
	}
	return v
}

// observer returns the function that counts the values of a row; nil if there is nothing to count.
func (v *valueCounter) observer() func(*sheet.Row) {
	if len(v.open) == 0 {
		return nil
	}
	return func(r *sheet.Row) {
		if r.ErrorCode != "" {
			return
		}
		for _, i := range v.open {
			c := &v.columns[i]
			if c.ColumnIndex < len(r.Cells) && len(bytes.TrimSpace(r.Cells[c.ColumnIndex].Bytes)) > 0 {
				c.Content.Filled++
			}
		}
	}
}

// result returns the warnings about the unused columns, or the error if the file must not be
// imported because of them.
func (v *valueCounter) result(options job.StoredOptions) (warnings []string, err error) {
	if len(v.open) == 0 {
		return nil, nil
	}
	if err := columnmatch.UndecidedError(v.decl, v.columns); err != nil {
		return nil, err
	}
	unused := columnmatch.UnusedColumns(v.columns)
	return columnmatch.UnusedWarnings(unused), columnmatch.UnusedError(options, unused, true)
}
