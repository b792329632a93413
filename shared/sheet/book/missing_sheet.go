package book

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// missingSheetError says that the stated sheet is not among the workbook's. It repeats no
// name: the message is in logs and in the execution's history, where nothing
// of the file may be.
func missingSheetError(sheets int, opt sheet.Options) error {
	wanted := "of the name that the options state"
	if opt.SheetName == "" {
		wanted = fmt.Sprintf("at index %d (the first is 0)", *opt.SheetIndex)
	}
	return problem.New(problem.SheetNotFound, "The workbook has no sheet %s. Its number of sheets is %d.", wanted, sheets)
}
