package order_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/order"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestRowErrorsUseOrderAPICodes(t *testing.T) {
	t.Parallel()
	d := order.New().Declaration()
	field := func(name string) *entity.Field { return &d.Fields[d.FieldIndex(name)] }
	for name, c := range map[string]struct {
		field *entity.Field
		in    entity.RowError
		want  entity.RowError
	}{
		"missing": {field("RECEIVER_PINCODE"), entity.RowError{Code: problem.CellRequired, Message: "A value is required here."},
			entity.RowError{Field: "receiverPincode", Code: "MISSING_RECEIVER_PINCODE", Message: "Receiver pincode is missing."}},
		"above the limit": {field("DECLARED_VALUE"), entity.RowError{Code: problem.CellTooLarge, Value: "150000"},
			entity.RowError{Field: "declaredValue", Code: "DECLARED_VALUE_EXCEEDS_LIMIT", Value: "150000",
				Message: "Declared value 150000 is above the limit of 100000."}},
		"not a number": {field("ITEM_COUNT"), entity.RowError{Code: problem.CellNumber, Value: "x", Message: "No number."},
			entity.RowError{Field: "itemCount", Code: "INVALID_ITEM_COUNT", Value: "x", Message: "No number."}},
		"too small": {field("COD_AMOUNT"), entity.RowError{Code: problem.CellTooSmall, Value: "-1", Message: "Too small."},
			entity.RowError{Field: "codAmount", Code: "INVALID_COD_AMOUNT", Value: "-1", Message: "Too small."}},
		"error in the whole row": {nil, entity.RowError{Code: problem.RowWidth, Message: "Ragged."}, entity.RowError{Code: "INVALID_ROW", Message: "Ragged."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, d.BatchUploads.TranslateRowError(c.field, c.in))
		})
	}
}
