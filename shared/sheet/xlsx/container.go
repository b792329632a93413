package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/internal/crypt"
	"github.com/loadbay/loadbay/shared/sheet/internal/ole"
)

// The streams of an encrypted workbook.
const (
	infoStream    = "EncryptionInfo"
	packageStream = "EncryptedPackage"
)

// Encrypted reports whether a file is an OLE2 container with an encrypted workbook. Errors in the
// container are reported by its reader; the returned error is one of the source.
func Encrypted(ctx context.Context, src sheet.Source) (bool, error) {
	f, err := ole.Open(ctx, src)
	if problem.CodeOf(err) == problem.Internal {
		return false, err
	}
	return err == nil && f.Has(packageStream), nil
}

// openContainer checks the first bytes of the file and returns the workbook's ZIP archive: the
// file itself, or its contents decrypted with Excel's built-in password. The decrypted archive is
// in memory, up to ole.MaxStream bytes.
func openContainer(ctx context.Context, src sheet.Source) (sheet.Source, error) {
	size := src.Size()
	if size == 0 {
		return nil, problem.New(problem.FileEmpty, "The file is empty.")
	}
	head := make([]byte, min(size, 8))
	if n, err := src.ReadAt(head, 0); n < len(head) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read the file's first bytes: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK")):
		return src, nil
	case bytes.HasPrefix(head, []byte(ole.Magic)):
		return decryptArchive(ctx, src)
	}
	return nil, unsupportedError("not a workbook")
}

// decryptArchive returns the archive in an OLE2 container.
func decryptArchive(ctx context.Context, src sheet.Source) (sheet.Source, error) {
	f, err := ole.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	if !f.Has(infoStream) || !f.Has(packageStream) {
		return nil, unsupportedError("an Office document, but not a workbook")
	}
	info, err := f.Stream(infoStream)
	if err != nil {
		return nil, err
	}
	body, err := f.Stream(packageStream)
	if err != nil {
		return nil, err
	}
	return crypt.Package(info, body, crypt.DefaultPassword)
}
