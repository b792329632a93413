package order

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

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

// duplicateError is the error of a row whose order an earlier row of the file has created.
// differs are the titles of the fields in which the row has other values.
func duplicateError(row int64, differs []string) rowwrite.Error {
	return skippedError(problem.RowDuplicate, fmt.Sprintf("Row %d of this file is the same order.", row), differs)
}

func skippedError(code problem.Code, reason string, differs []string) rowwrite.Error {
	if len(differs) == 0 {
		return rowwrite.Error{Code: code, Message: reason}
	}
	return rowwrite.Error{Code: code, Message: fmt.Sprintf("%s, with another value of: %s. The values of this row were not saved.", strings.TrimSuffix(reason, "."), strings.Join(differs, ", "))}
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

// differenceExpr is the SQL expression of the indexes, separated by blanks, of the fields in which
// the order o differs from the row v.
func differenceExpr() string {
	cases := make([]string, len(declaration.Fields))
	for i, f := range declaration.Fields {
		v := "v." + f.Column
		if f.Kind == entity.Decimal {
			v += "::numeric"
		}
		cases[i] = fmt.Sprintf("CASE WHEN o.%s IS DISTINCT FROM %s THEN %d END", f.Column, v, i)
	}
	return "concat_ws(' ', " + strings.Join(cases, ", ") + ")"
}

// fieldTitles returns the titles of the fields with the indexes that differenceExpr lists.
func fieldTitles(indexes []byte) (titles []string) {
	for _, text := range strings.Fields(string(indexes)) {
		if i, err := strconv.Atoi(text); err == nil {
			titles = append(titles, declaration.Fields[i].Title)
		}
	}
	return titles
}
