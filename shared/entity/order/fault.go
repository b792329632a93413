package order

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// styled says a fault in the words of the order API: MISSING_<FIELD>,
// <FIELD>_EXCEEDS_LIMIT or INVALID_<FIELD>, about a field in camelCase.
func styled(f *entity.Field, fault entity.Fault) entity.Fault {
	if f == nil {
		fault.Code = "INVALID_ROW"
		return fault
	}
	fault.Field = camelCase(f.Name)
	switch fault.Code {
	case problem.CellRequired:
		fault.Code = problem.Code("MISSING_" + f.Name)
		fault.Message = f.Title + " is missing."
	case problem.CellTooLarge:
		fault.Code = problem.Code(f.Name + "_EXCEEDS_LIMIT")
		fault.Message = fmt.Sprintf("%s %s is above the limit of %s.", f.Title, fault.Value, f.Most)
	default:
		fault.Code = problem.Code("INVALID_" + f.Name)
	}
	return fault
}

// camelCase is RECEIVER_PINCODE as receiverPincode.
func camelCase(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}
