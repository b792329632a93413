package xlsx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/internal/crypt"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// Workbooks that open without a password are read; others are not.
func TestPasswords(t *testing.T) {
	t.Parallel()
	archive := xlsxtest.Workbook(xlsxtest.Header + `<row r="2"><c r="A2"><v>1</v></c></row>`).
		With(xlsxtest.Parts{"more": strings.Repeat("more ", 1000)}).StoredBytes(t) // excelize writes unreadable containers for smaller parts
	standard := func(password string) []byte {
		file, err := excelize.Encrypt(archive, &excelize.Options{Password: password})
		require.NoError(t, err)
		return file
	}
	for name, file := range map[string][]byte{"agile": xlsxtest.Agile(t, archive, crypt.DefaultPassword, 100_000), "standard": standard(crypt.DefaultPassword)} {
		got := read(t, file, sheet.DefaultLimits())
		require.NoError(t, got.err, name)
		require.Equal(t, []string{"2: N 1"}, got.rows, name)
	}
	for name, file := range map[string][]byte{
		"agile": xlsxtest.Agile(t, archive, "another", 100), "standard": standard("another"),
		"unknown encryption method": xlsxtest.Container([]byte("\x09\x00\x09\x00\x00\x00\x00\x00"), make([]byte, 100)),
	} {
		require.Equal(t, problem.FileEncrypted, problem.CodeOf(read(t, file, sheet.DefaultLimits()).err), name)
	}
	// The encrypted contents may be something else than a workbook.
	got := read(t, xlsxtest.Agile(t, []byte("no archive"), crypt.DefaultPassword, 1), sheet.DefaultLimits())
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(got.err))
}
