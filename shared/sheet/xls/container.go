package xls

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/internal/ole"
)

// workbookStreams are the names of the stream that contains the workbook, in BIFF8 and in BIFF5.
// Files for both versions have both.
var workbookStreams = [...]string{"Workbook", "Book"}

// readStream reads the workbook's stream.
func readStream(ctx context.Context, src sheet.Source) ([]byte, error) {
	if src.Size() == 0 {
		return nil, problem.New(problem.FileEmpty, "The file is empty.")
	}
	f, err := ole.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	for _, name := range workbookStreams {
		if f.Has(name) {
			return f.Stream(name)
		}
	}
	return nil, unsupportedError("an Office document, but not a workbook")
}

// tooOldError returns UNSUPPORTED_FORMAT for a workbook of Excel 2, 3 or 4.
func tooOldError(version uint16) error {
	return unsupportedError(fmt.Sprintf("a workbook of Excel %d, from before 1993. Save it as .xlsx", max(version, 2)))
}

func unsupportedError(what string) error {
	return problem.New(problem.UnsupportedFormat, "The file is %s.", what)
}
