package xls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/internal/crypt"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

// xorDefault returns the XOR obfuscation with Excel's built-in password.
func xorDefault(version uint16) xlstest.Cipher {
	return xlstest.XOR(version, 0xb359, 0x9a0a, [16]byte{0x87, 0x6b, 0x9a, 0xe2, 0x1e, 0xe3, 0x05, 0x62, 0x1e, 0x69, 0x96, 0x60, 0x98, 0x6e, 0x94, 0x04})
}

// longWorkbook returns a workbook with rows in several blocks of 1,024 bytes.
func longWorkbook() (book xlstest.Book, rows int) {
	records := [][]byte{xlstest.Header()}
	const last = 500
	for row := range uint16(last) {
		records = append(records, xlstest.Number(row+1, 0, 1, 44197), xlstest.Shared(row+1, 1, 1))
	}
	return xlstest.Simple(records...), last
}

// Workbooks that open without a password are read, whichever version of Excel encrypted them.
func TestDefaultPasswordWorkbooks(t *testing.T) {
	t.Parallel()
	for name, cipher := range map[string]xlstest.Cipher{
		"XOR":                xorDefault(xlstest.BIFF8),
		"RC4":                xlstest.RC4(crypt.DefaultPassword),
		"CryptoAPI":          xlstest.CryptoAPI(crypt.DefaultPassword, 128),
		"CryptoAPI, 40 bits": xlstest.CryptoAPI(crypt.DefaultPassword, 40),
		"CryptoAPI, 56 bits": xlstest.CryptoAPI(crypt.DefaultPassword, 56),
	} {
		book, rows := longWorkbook()
		plain := read(t, book.File(), sheet.DefaultLimits())
		require.Len(t, plain.rows, rows)
		got := read(t, xlstest.Container(xlstest.Stream{Name: "Workbook", Body: book.Encrypted(cipher)}), sheet.DefaultLimits())
		require.NoError(t, got.err, name)
		require.Equal(t, plain.rows, got.rows, name)
		require.Equal(t, "Data", got.dialect.SheetName, name)
	}
	old := xlstest.Book{Version: xlstest.BIFF5, Sheets: []xlstest.Sheet{{Name: "S", Records: [][]byte{xlstest.Number(0, 0, 0, 1), xlstest.Number(1, 0, 0, 2)}}}}
	got := read(t, xlstest.Container(xlstest.Stream{Name: "Book", Body: old.Encrypted(xorDefault(xlstest.BIFF5))}), sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.Equal(t, []string{"2: N 2"}, got.rows)
}

func TestUnknownPasswords(t *testing.T) {
	t.Parallel()
	for name, cipher := range map[string]xlstest.Cipher{
		"XOR":       xlstest.XOR(xlstest.BIFF8, 1, 2, [16]byte{}),
		"RC4":       xlstest.RC4("another"),
		"CryptoAPI": xlstest.CryptoAPI("another", 128),
	} {
		book, _ := longWorkbook()
		got := read(t, xlstest.Container(xlstest.Stream{Name: "Workbook", Body: book.Encrypted(cipher)}), sheet.DefaultLimits())
		require.Equal(t, problem.FileEncrypted, problem.CodeOf(got.err), name)
	}
}
