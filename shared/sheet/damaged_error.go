package sheet

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
)

// DamagedError returns the error for a workbook that violates its format. The formatted text ends
// a sentence, which is followed by advice. It must not contain data of the file, because it is
// in logs and in the execution's history. cause may be nil.
func DamagedError(cause error, format string, args ...any) *problem.Error {
	return problem.Wrap(cause, problem.FileCorrupt,
		"The workbook is damaged: %s. Open it in a spreadsheet program, save it again and upload that file.", fmt.Sprintf(format, args...))
}
