package order

import (
	"bytes"
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// skipError returns the reason why row i created no order.
func (w *batchWriter) skipError(i int) rowwrite.Error {
	if r, ok := w.repeats[i]; ok {
		if _, made := w.created[r.first]; made {
			return duplicateError(w.Row(r.first), r.differs)
		}
	}
	h := w.holders[i]
	if h.jobKey == w.JobKey {
		return duplicateError(h.row, h.differs)
	}
	return skippedError(problem.AlreadyExists, "This order was already created by an earlier upload.", h.differs)
}

// duplicateError is the error of a row with an order that an earlier row of the file has created.
// differs are the titles of the fields in which the row has other values.
func duplicateError(row int64, differs []string) rowwrite.Error {
	return skippedError(problem.RowDuplicate, fmt.Sprintf("Row %d of this file is the same order.", row), differs)
}

func skippedError(code problem.Code, reason string, differs []string) rowwrite.Error {
	return entity.NameDifferences(rowwrite.Error{Code: code, Message: reason}, differs)
}

// differingFields returns the titles of the fields in which two rows of the batch differ.
func differingFields(b *entity.Batch, i, other int) (titles []string) {
	for c := range b.Columns {
		v, ok := b.Columns[c].Bytes(i)
		w, there := b.Columns[c].Bytes(other)
		if ok != there || !bytes.Equal(v, w) {
			titles = append(titles, declaration.Fields[c].Title)
		}
	}
	return titles
}

// storedDifferences is the SQL expression of the fields in which the order o differs from the row v.
func storedDifferences() string {
	comparisons := make([]entity.FieldComparison, len(declaration.Fields))
	for i, f := range declaration.Fields {
		row := "v." + f.Column
		if f.Kind == entity.Decimal {
			row += "::numeric"
		}
		comparisons[i] = entity.FieldComparison{Field: i, Stored: "o." + f.Column, Row: row}
	}
	return entity.DifferingFields(comparisons)
}
