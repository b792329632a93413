package order

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// translateRowError translates a row error into the codes of the order API: MISSING_<FIELD>,
// <FIELD>_EXCEEDS_LIMIT or INVALID_<FIELD>, for a field in camelCase.
func translateRowError(f *entity.Field, rowErr rowwrite.Error) rowwrite.Error {
	if f == nil {
		rowErr.Code = "INVALID_ROW"
		return rowErr
	}
	rowErr.Field = camelCase(f.Name)
	switch rowErr.Code {
	case problem.CellRequired:
		rowErr.Code = problem.Code("MISSING_" + f.Name)
		rowErr.Message = f.Title + " is missing."
	case problem.CellTooLarge:
		rowErr.Code = problem.Code(f.Name + "_EXCEEDS_LIMIT")
		rowErr.Message = fmt.Sprintf("%s %s is above the limit of %s.", f.Title, rowErr.Value, f.Max)
	default:
		rowErr.Code = problem.Code("INVALID_" + f.Name)
	}
	return rowErr
}

// camelCase turns RECEIVER_PINCODE into receiverPincode.
func camelCase(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}
