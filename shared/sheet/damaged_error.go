package sheet

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
)

// DamagedError is the error of a workbook that is not what its format asks for, in
// words that end a sentence, and with what to do about it. The words repeat
// nothing of the file: they are in logs and in the execution's history. cause
// may be nil.
func DamagedError(cause error, format string, args ...any) *problem.Error {
	return problem.Wrap(cause, problem.FileCorrupt,
		"The workbook is damaged: %s. Open it in a spreadsheet program, save it again and send that file.", fmt.Sprintf(format, args...))
}
