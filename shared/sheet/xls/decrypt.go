package xls

import (
	"github.com/loadbay/loadbay/shared/sheet/internal/crypt"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// decrypt decrypts the stream in place after its FilePass record.
func (w *workbook) decrypt(filePass biff.Record) error {
	cipher, err := crypt.FilePass(filePass.Body, w.version == biff8, crypt.DefaultPassword)
	if err != nil {
		return err
	}
	for records := biff.NewReader(w.stream, filePass.Offset+len(filePass.Body)); ; {
		r, ok, err := records.Next()
		if err != nil || !ok {
			return nil // reading the records reports missing data
		}
		if plain := unencryptedBytes(r); plain < len(r.Body) {
			cipher.Decrypt(r.Body[plain:], r.Offset+plain, len(r.Body))
		}
	}
}

// unencryptedBytes returns the number of bytes at the beginning of a record's body that are never
// encrypted ([MS-XLS] 2.2.10): all, none, or the position of a sheet.
func unencryptedBytes(r biff.Record) int {
	switch r.Type {
	case biff.BOF, biff.FilePass, biff.InterfaceHdr, biff.UsrExcl, biff.FileLock, biff.RRDInfo, biff.RRDHead:
		return len(r.Body)
	case biff.BoundSheet:
		return 4
	}
	return 0
}
