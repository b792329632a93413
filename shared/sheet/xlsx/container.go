package xlsx

import (
	"bytes"
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// container looks at the first bytes of the file: workbooks with a password
// are no ZIP files but OLE2 ones that hold an encrypted package.
func container(src sheet.Source) error {
	size := src.Size()
	if size == 0 {
		return problem.New(problem.FileEmpty, "The file is empty.")
	}
	head := make([]byte, min(size, 8))
	if n, err := src.ReadAt(head, 0); n < len(head) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read the file's first bytes: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK")):
		return nil
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return problem.New(problem.FileEncrypted, "The workbook is protected by a password. Remove it and try again.")
	}
	return unsupported("not a workbook")
}
