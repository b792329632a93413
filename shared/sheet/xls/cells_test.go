package xls_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

// formula returns a formula in A2 with a cached value of eight bytes.
func formula(value [8]byte) []byte { return formulaAs(0x0006, value) }

// formulaAs returns a formula in a record of that type.
func formulaAs(id uint16, value [8]byte) []byte {
	return xlstest.Record(id, uint16(1), uint16(0), uint16(0), value, uint16(0), uint32(0), uint16(0))
}

func join(records ...[]byte) []byte {
	var out []byte
	for _, r := range records {
		out = append(out, r...)
	}
	return out
}

func TestCells(t *testing.T) {
	t.Parallel()
	const rk, mulRK, boolErr, str = 0x027e, 0x00bd, 0x0205, 0x0207
	at := []uint16{1, 0, 0}              // A2, General
	oldAt := []byte{1, 0, 0, 0, 0, 0, 0} // A2 in the form of Excel 2
	tests := map[string]struct {
		records []byte
		want    string
	}{
		"number":                          {xlstest.Number(1, 0, 0, 0.1), "N 0.1"},
		"large number":                    {xlstest.Number(1, 0, 0, 1e300), "N 1E+300"},
		"not a number":                    {xlstest.Number(1, 0, 0, math.NaN()), "T NaN"},
		"date":                            {xlstest.Number(1, 0, 1, 44197), "D 2021-01-01"},
		"date of its own format":          {xlstest.Number(1, 0, 2, 44197.5), "D 2021-01-01T12:00:00"},
		"zeros that it shows":             {xlstest.Number(1, 0, 3, 412), "N 00412"},
		"a fraction that it hides":        {xlstest.Number(1, 0, 3, 412.5), "S 412.5 as 00413"},
		"digits with characters between":  {xlstest.Number(1, 0, 4, 123456789), "S 123456789 as 123-45-6789"},
		"format that is not":              {xlstest.Number(1, 0, 99, 44197), "N 44197"},
		"RK integer":                      {xlstest.Record(rk, at, uint32(1234<<2|2)), "N 1234"},
		"RK negative":                     {xlstest.Record(rk, at, uint32(0xfffffffe)), "N -1"},
		"RK hundredths":                   {xlstest.Record(rk, at, uint32(1234<<2|3)), "N 12.34"},
		"RK float":                        {xlstest.Record(rk, at, uint32(math.Float64bits(1.5)>>32)), "N 1.5"},
		"RK float hundredths":             {xlstest.Record(rk, at, uint32(math.Float64bits(150)>>32)|1), "N 1.5"},
		"several RK":                      {xlstest.Record(mulRK, uint16(1), uint16(1), uint16(0), uint32(4|2), uint16(1), uint32(44197<<2|2), uint16(2)), "-|N 1|D 2021-01-01"},
		"shared string":                   {join(xlstest.Shared(1, 0, 1), xlstest.Shared(1, 1, 2)), "T ürän|T ☃😀"},
		"label":                           {xlstest.Label(1, 0, "naïve ☃"), "T naïve ☃"},
		"rich label":                      {xlstest.Record(0x00d6, at, xlstest.Text("rich"), uint16(1), uint32(0)), "T rich"},
		"NUL":                             {xlstest.Label(1, 0, "a\x00b"), "T a\x00b"},
		"true":                            {xlstest.Record(boolErr, at, byte(1), byte(0)), "B true"},
		"false":                           {xlstest.Record(boolErr, at, byte(0), byte(0)), "B false"},
		"error":                           {xlstest.Record(boolErr, at, byte(0x17), byte(1)), "F #REF!"},
		"unknown error":                   {xlstest.Record(boolErr, at, byte(0x99), byte(1)), "F #ERROR!"},
		"blanks":                          {join(xlstest.Record(0x0201, uint16(1), uint16(0), uint16(0)), xlstest.Record(0x00be, uint16(1), uint16(1), uint16(0), uint16(1)), xlstest.Number(1, 2, 0, 7)), "-|-|N 7"},
		"formula, number":                 {formula([8]byte{6: 0xf0, 7: 0x3f}), "N 1"},
		"formula, true":                   {formula([8]byte{1, 0, 1, 0, 0, 0, 0xff, 0xff}), "B true"},
		"formula, error":                  {formula([8]byte{2, 0, 0x2a, 0, 0, 0, 0xff, 0xff}), "F #N/A"},
		"formula, text":                   {join(formula([8]byte{6: 0xff, 7: 0xff}), xlstest.Record(str, xlstest.Text("cached"))), "T cached"},
		"shared formula, text":            {join(formula([8]byte{6: 0xff, 7: 0xff}), xlstest.Record(0x04bc, uint64(0)), xlstest.Record(str, xlstest.Text("cached"))), "T cached"},
		"formula, text missing":           {join(formula([8]byte{6: 0xff, 7: 0xff}), xlstest.Record(0x0201, uint16(1), uint16(1), uint16(0))), "?"},
		"formula, empty text":             {join(formula([8]byte{3, 0, 0, 0, 0, 0, 0xff, 0xff}), xlstest.Number(1, 1, 0, 7)), "-|N 7"},
		"formula, another value":          {formula([8]byte{9, 0, 0, 0, 0, 0, 0xff, 0xff}), "?"},
		"formula of Excel 3":              {formulaAs(0x0206, [8]byte{6: 0xf0, 7: 0x3f}), "N 1"},
		"formula of Excel 4":              {formulaAs(0x0406, [8]byte{6: 0xf0, 7: 0x3f}), "N 1"},
		"and its text":                    {join(formulaAs(0x0406, [8]byte{6: 0xff, 7: 0xff}), xlstest.Record(str, xlstest.Text("cached"))), "T cached"},
		"and its text of Excel 2":         {join(formulaAs(0x0206, [8]byte{6: 0xff, 7: 0xff}), xlstest.Record(0x0021, uint64(0)), xlstest.Record(0x0007, byte(3), "old")), "T old"},
		"shared formula of Excel 5, text": {join(formula([8]byte{6: 0xff, 7: 0xff}), xlstest.Record(0x00bc, uint64(0)), xlstest.Record(str, xlstest.Text("cached"))), "T cached"},
		"text that continues":             {join(formula([8]byte{6: 0xff, 7: 0xff}), xlstest.Record(str, uint16(6), byte(0), "cac"), xlstest.Record(0x003c, byte(0), "hed")), "T cached"},
		"integer of Excel 2":              {xlstest.Record(0x0002, oldAt, uint16(1234)), "N 1234"},
		"number of Excel 2":               {xlstest.Record(0x0003, oldAt, math.Float64bits(0.5)), "N 0.5"},
		"label of Excel 2":                {xlstest.Record(0x0004, oldAt, byte(3), "old"), "T old"},
		"boolean of Excel 2":              {xlstest.Record(0x0005, oldAt, byte(1), byte(0)), "B true"},
		"error of Excel 2":                {xlstest.Record(0x0005, oldAt, byte(0x2a), byte(1)), "F #N/A"},
		"RK of Excel 3":                   {xlstest.Record(0x007e, at, uint32(1234<<2|2)), "N 1234"},
		"cells in another order":          {join(xlstest.Number(1, 2, 0, 3), xlstest.Number(1, 0, 0, 1)), "N 1|-|N 3"},
		"a chart among the cells":         {join(xlstest.BOF(xlstest.BIFF8, 0x0020), xlstest.Number(1, 0, 0, 9), xlstest.EOF(), xlstest.Number(1, 0, 0, 1)), "N 1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, xlstest.Simple(xlstest.Header(), tt.records).File(), sheet.DefaultLimits())
			require.NoError(t, got.err)
			require.Equal(t, []string{"2: " + tt.want}, got.rows)
		})
	}
}

func TestRowsInAnyOrder(t *testing.T) {
	t.Parallel()
	file := xlstest.Simple(xlstest.Number(9, 0, 0, 10), xlstest.Number(2, 1, 0, 4), xlstest.Header(), xlstest.Number(2, 0, 0, 3), formula([8]byte{3, 0, 0, 0, 0, 0, 0xff, 0xff})).File()
	got := read(t, file, sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.Equal(t, []string{"3: N 3|N 4", "10: N 10"}, got.rows)
	require.Equal(t, sheet.Counts{Lines: 10, Rows: 2, Blank: 7, Header: 1}, got.counts)
}

func TestBIFF5(t *testing.T) {
	t.Parallel()
	b := xlstest.Book{
		Version: xlstest.BIFF5,
		Globals: [][]byte{
			xlstest.Record(0x0042, uint16(1251)),
			xlstest.Record(0x0022, uint16(1)), // 1904 date system
			xlstest.Record(0x041e, uint16(164), byte(10), "dd/mm/yyyy"),
			xlstest.Record(0x00e0, uint16(0), uint16(164), make([]byte, 12)),
		},
		Sheets: []xlstest.Sheet{{Name: "Plain", Records: [][]byte{
			xlstest.Record(0x0204, uint16(0), uint16(0), uint16(9), uint16(1), "a"),
			xlstest.Record(0x0204, uint16(1), uint16(0), uint16(9), uint16(4), "\xcc\xe8\xf0!"),
			xlstest.Number(1, 1, 0, 42735),
			xlstest.Record(0x00d6, uint16(1), uint16(2), uint16(9), uint16(2), "ab", byte(1), byte(0), byte(0)),
			xlstest.Record(0x0006, uint16(1), uint16(3), uint16(9), [8]byte{6: 0xff, 7: 0xff}, make([]byte, 8)),
			xlstest.Record(0x0207, uint16(2), "cd"),
		}}},
	}
	got := read(t, b.File(), sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.Equal(t, "Plain", got.dialect.SheetName)
	require.Equal(t, []string{"2: T Мир!|D 2021-01-01|T ab|T cd"}, got.rows)
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	short := func(id uint16) []byte { return xlstest.Record(id, uint16(1), uint16(0), uint16(0)) }
	tests := map[string]struct {
		record []byte
		code   problem.Code
	}{
		"number cut":                         {short(0x0203), problem.FileCorrupt},
		"RK cut":                             {short(0x027e), problem.FileCorrupt},
		"shared string cut":                  {short(0x00fd), problem.FileCorrupt},
		"label cut":                          {short(0x0204), problem.FileCorrupt},
		"boolean cut":                        {short(0x0205), problem.FileCorrupt},
		"formula cut":                        {short(0x0006), problem.FileCorrupt},
		"several RK cut":                     {xlstest.Record(0x00bd, uint16(1), uint16(0)), problem.FileCorrupt},
		"several RK uneven":                  {xlstest.Record(0x00bd, uint16(1), uint16(0), make([]byte, 9), uint16(1)), problem.FileCorrupt},
		"formula of Excel 4 cut":             {short(0x0406), problem.FileCorrupt},
		"integer of Excel 2 cut":             {short(0x0002), problem.FileCorrupt},
		"label of Excel 2 cut":               {xlstest.Record(0x0004, uint16(1), uint16(0), byte(0), uint16(0), byte(9), "abc"), problem.FileCorrupt},
		"cell without a row":                 {xlstest.Record(0x0203, byte(1)), problem.FileCorrupt},
		"label longer than its length field": {xlstest.Record(0x0204, uint16(1), uint16(0), uint16(0), uint16(9), byte(0), "abc"), problem.FileCorrupt},
		"string that is not":                 {xlstest.Shared(1, 0, 3), problem.FileCorrupt},
		"string absurd":                      {xlstest.Shared(1, 0, 0xffffffff), problem.FileCorrupt},
		"cell twice":                         {join(xlstest.Number(1, 0, 0, 1), xlstest.Number(1, 0, 0, 1)), problem.FileCorrupt},
		"column beyond the last":             {xlstest.Number(1, 256, 0, 1), problem.FileCorrupt},
		"columns beyond the last":            {xlstest.Record(0x00bd, uint16(1), uint16(255), make([]byte, 12), uint16(256)), problem.FileCorrupt},
		"record beyond the stream":           {xlstest.Record(0x0201)[:2], problem.FileCorrupt},
		"chart without an end":               {xlstest.BOF(xlstest.BIFF8, 0x0020), problem.FileCorrupt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, xlstest.Simple(xlstest.Header(), tt.record).File(), sheet.DefaultLimits())
			require.Equal(t, tt.code, problem.CodeOf(got.err), "%v", got.err)
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	lim := sheet.DefaultLimits()
	lim.Columns = 2
	got := read(t, xlstest.Simple(xlstest.Header(), xlstest.Number(1, 2, 0, 1)).File(), lim)
	require.Equal(t, problem.TooManyColumns, problem.CodeOf(got.err))

	lim = sheet.DefaultLimits()
	lim.CellBytes = 4
	for _, cell := range [][]byte{xlstest.Label(1, 0, "12345"), xlstest.Shared(1, 0, 1)} {
		b := xlstest.Book{Version: xlstest.BIFF8, Globals: [][]byte{xlstest.SST("", "äöü")}, Sheets: []xlstest.Sheet{{Name: "S", Records: [][]byte{xlstest.Header(), cell, xlstest.Label(2, 0, "1234")}}}}
		got := read(t, b.File(), lim)
		require.NoError(t, got.err)
		require.Equal(t, []string{"2:  !FIELD_TOO_LARGE", "3: T 1234"}, got.rows)
	}
}
