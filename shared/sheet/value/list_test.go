package value_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

func TestList(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cell sheet.Cell
		want string
		code problem.Code
	}{
		{"one", text("go"), `{"go"}`, ""},
		{"several, with white space and an empty one", text(" go | aws ||sql "), `{"go","aws","sql"}`, ""},
		{"commas", text("go, aws"), `{"go","aws"}`, ""},
		{"semicolons, and one in excess", text("news; local;"), `{"news","local"}`, ""},
		{"commas in entries", text("Pune, India|Berne"), `{"Pune, India","Berne"}`, ""},
		{"commas in JSON", text(`["Pune, India"]`), `{"Pune, India"}`, ""},
		{"an object", sheet.Cell{Kind: sheet.JSON, Bytes: []byte(`{"a":1}`)}, "", problem.CellList},
		{"quotes and backslashes", text(`a"b|c\d`), `{"a\"b","c\\d"}`, ""},
		{"JSON", sheet.Cell{Kind: sheet.JSON, Bytes: []byte(`["a|b", "", "c"]`)}, `{"a|b","c"}`, ""},
		{"JSON in a text cell", text(`["[x]"]`), `{"[x]"}`, ""},
		{"an empty array", text(`[]`), `{}`, ""},
		{"a bracket that is no JSON", text("[x"), `{"[x"}`, ""},
		{"numbers", sheet.Cell{Kind: sheet.JSON, Bytes: []byte(`[1]`)}, "", problem.CellList},
		{"null in it", text(`[null]`), "", problem.CellList},
		{"NUL in it", text(`["\u0000"]`), "", problem.CellNUL},
		{"a number of a workbook", number("1E+3"), `{"1000"}`, ""},
		{"error of the workbook", sheet.Cell{Kind: sheet.ErrorValue, Bytes: []byte("#REF!")}, "", problem.CellError},
		{"blank", text(" "), "", problem.CellRequired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, code := xlsx().List(tt.cell)
			require.Equal(t, tt.code, code)
			require.Equal(t, tt.want, string(got))
		})
	}
}
