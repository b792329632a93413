package book

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/sheet"
)

// wanted is the stated sheet, for a message.
func wanted(opt sheet.Options) string {
	if opt.SheetName != "" {
		return fmt.Sprintf("%q", opt.SheetName)
	}
	return fmt.Sprintf("at index %d (the first is 0)", *opt.SheetIndex)
}

// names lists some of the sheets, for a message.
func names(sheets []Sheet) string {
	const most = 10
	quoted := make([]string, 0, most+1)
	for i := range sheets {
		if i == most {
			quoted = append(quoted, "others")
			break
		}
		quoted = append(quoted, fmt.Sprintf("%q", sheets[i].Name))
	}
	if len(quoted) == 0 {
		return "none"
	}
	return strings.Join(quoted, ", ")
}
