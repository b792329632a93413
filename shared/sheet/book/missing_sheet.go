package book

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// missingSheetError reports that the workbook does not have the stated sheet. It contains no
// name: the message is in logs and in the execution's history, which must not contain data of
// the file.
func missingSheetError(sheets int, opt sheet.Options) error {
	wanted := "with the name in the options"
	if opt.SheetName == "" {
		wanted = fmt.Sprintf("at index %d (the first is 0)", *opt.SheetIndex)
	}
	return problem.New(problem.SheetNotFound, "The workbook has no sheet %s. It has %d sheets.", wanted, sheets)
}
