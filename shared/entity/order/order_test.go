package order_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/order"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestRowErrorsUseOrderAPICodes(t *testing.T) {
	t.Parallel()
	d := order.New().Declaration()
	field := func(name string) *entity.Field { return &d.Fields[d.FieldIndex(name)] }
	for name, c := range map[string]struct {
		field *entity.Field
		in    rowwrite.Error
		want  rowwrite.Error
	}{
		"missing": {field("RECEIVER_PINCODE"), rowwrite.Error{Code: problem.CellRequired, Message: "A value is required here."},
			rowwrite.Error{Field: "receiverPincode", Code: "MISSING_RECEIVER_PINCODE", Message: "Receiver pincode is missing."}},
		"above the limit": {field("DECLARED_VALUE"), rowwrite.Error{Code: problem.CellTooLarge, Value: "150000"},
			rowwrite.Error{Field: "declaredValue", Code: "DECLARED_VALUE_EXCEEDS_LIMIT", Value: "150000",
				Message: "Declared value 150000 is above the limit of 100000."}},
		"not a number": {field("ITEM_COUNT"), rowwrite.Error{Code: problem.CellNumber, Value: "x", Message: "No number."},
			rowwrite.Error{Field: "itemCount", Code: "INVALID_ITEM_COUNT", Value: "x", Message: "No number."}},
		"too small": {field("COD_AMOUNT"), rowwrite.Error{Code: problem.CellTooSmall, Value: "-1", Message: "Too small."},
			rowwrite.Error{Field: "codAmount", Code: "INVALID_COD_AMOUNT", Value: "-1", Message: "Too small."}},
		"error in the whole row": {nil, rowwrite.Error{Code: problem.RowWidth, Message: "Ragged."}, rowwrite.Error{Code: "INVALID_ROW", Message: "Ragged."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, d.BatchUploads.TranslateRowError(c.field, c.in))
		})
	}
}
