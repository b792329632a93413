package opc_test

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
)

// FuzzZip compares the package with archive/zip: archives that both accept have the same contents.
func FuzzZip(f *testing.F) {
	f.Add(pack(f, "text text text text", "b"))
	f.Add(pack(f, "", ""))
	f.Fuzz(func(t *testing.T, file []byte) {
		lim := sheet.Limits{Decompressed: 1 << 22, Ratio: 100}
		a, b, err := readAll(file, lim)
		if err != nil {
			return
		}
		theirs, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		for _, part := range theirs.File {
			if part.Name != "xl/A.xml" && part.Name != `xl\b.xml` {
				continue
			}
			r, err := part.Open()
			if err != nil {
				continue
			}
			text, err := io.ReadAll(r)
			if err != nil {
				continue // it also reads data after a part
			}
			require.Equal(t, map[string]string{"xl/A.xml": a, `xl\b.xml`: b}[part.Name], string(text))
		}
	})
}
