package xls_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/internal/crypt"
	"github.com/loadbay/loadbay/shared/sheet/xls"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

// readAndCheck reads a file both ways and checks the result against the contract.
func readAndCheck(t *testing.T, file []byte) {
	t.Helper()
	d, err := xls.Detect(context.Background(), bytes.NewReader(file), sheet.Options{}, sheet.DefaultLimits())
	if err != nil {
		requireFileError(t, err)
		return
	}
	rows, err := xls.Open(context.Background(), bytes.NewReader(file), d, sheet.DefaultLimits())
	if err != nil {
		requireFileError(t, err)
		return
	}
	last := d.HeaderRow
	for rows.Next() {
		row := rows.Row()
		require.Greater(t, row.Number, last)
		last = row.Number
		require.NotEmpty(t, row.Cells)
		require.NotEqual(t, sheet.Empty, row.Cells[len(row.Cells)-1].Kind, "rows end with a value")
	}
	if err := rows.Err(); err != nil {
		requireFileError(t, err)
	}
	c := rows.Counts()
	require.Equal(t, c.Lines, c.Rows+c.Blank+c.Header)
	require.NoError(t, rows.Close())
}

// requireFileError requires an error of the file, because the source itself never fails.
func requireFileError(t *testing.T, err error) {
	t.Helper()
	var fault *problem.Error
	require.True(t, errors.As(err, &fault), "%v", err)
	require.NotEqual(t, problem.Internal, fault.Code)
}

// FuzzXLS reads any bytes as a file.
func FuzzXLS(f *testing.F) {
	f.Add(xlstest.Simple(xlstest.Header(), xlstest.Shared(1, 0, 2), xlstest.Number(1, 1, 1, 44197)).File())
	f.Add(xlstest.Container(xlstest.Stream{Name: "EncryptedPackage"}))
	f.Add([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
	f.Fuzz(func(t *testing.T, file []byte) { readAndCheck(t, file) })
}

// FuzzXLSRecords reads any bytes as a workbook's stream, so that the fuzzer does not spend its time
// on the container.
func FuzzXLSRecords(f *testing.F) {
	f.Add(xlstest.Simple(xlstest.Header(), xlstest.Shared(1, 0, 2), xlstest.Number(1, 1, 1, 44197), formula([8]byte{6: 0xff, 7: 0xff}), xlstest.Record(0x0207, xlstest.Text("x"))).Stream())
	f.Add(xlstest.Simple(xlstest.Record(0x00bd, uint16(1), uint16(1), uint16(0), uint32(6), uint16(1), uint32(7), uint16(2))).Stream())
	f.Add(xlstest.Book{Version: xlstest.BIFF5, Globals: [][]byte{xlstest.Record(0x0042, uint16(1251))},
		Sheets: []xlstest.Sheet{{Name: "S", Records: [][]byte{xlstest.Record(0x0204, uint16(0), uint16(0), uint16(9), uint16(1), "\xcc")}}}}.Stream())
	for _, cipher := range []xlstest.Cipher{xorDefault(xlstest.BIFF8), xlstest.RC4(crypt.DefaultPassword), xlstest.CryptoAPI(crypt.DefaultPassword, 128)} {
		f.Add(xlstest.Simple(xlstest.Header(), xlstest.Shared(1, 0, 2), xlstest.Number(1, 1, 4, 123456789)).Encrypted(cipher))
	}
	f.Add(xlstest.Simple(xlstest.Header(), xlstest.Record(0x0002, uint16(1), uint16(0), uint16(0), byte(0), uint16(7)), xlstest.Record(0x0004, uint16(1), uint16(1), uint16(0), byte(0), byte(1), "x"),
		formulaAs(0x0406, [8]byte{6: 0xff, 7: 0xff}), xlstest.Record(0x0007, byte(1), "x")).Stream())
	f.Fuzz(func(t *testing.T, stream []byte) {
		if len(stream) > 1<<16 {
			return
		}
		readAndCheck(t, xlstest.Container(xlstest.Stream{Name: "Workbook", Body: stream}))
	})
}
