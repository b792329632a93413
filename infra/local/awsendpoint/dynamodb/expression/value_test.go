package expression

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersHaveCanonicalForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "+5": "5", "007": "7", "1.50": "1.5", "100": "100", "-0.0100": "-0.01",
		"1e3": "1000", "1.25E+2": "125", "5e-3": "0.005", ".5": "0.5", "-.5": "-0.5", "10.": "10",
		"12345678901234567890123456789012345678": "12345678901234567890123456789012345678",
	} {
		got, err := canonicalNumber(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "-", ".", "1e", "e1", "1.2.3", "--1", "+-1", "NaN", "Infinity", "0x10", "1_0", " 1",
		"123456789012345678901234567890123456789", "1e126", "1e-131", "1e99999999999999999999"} {
		_, err := canonicalNumber(in)
		require.ErrorContains(t, err, "ValidationException", in)
	}
}

func TestNumbersCompareByValue(t *testing.T) {
	t.Parallel()
	inOrder := []string{"-1000", "-1.5", "-1", "0", "0.001", "1", "2", "10", "10.01", "9007199254740993", "9007199254740994"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			got := compareNumbers(a, b)
			switch {
			case i < j:
				require.Negative(t, got, "%s %s", a, b)
			case i > j:
				require.Positive(t, got, "%s %s", a, b)
			default:
				require.Zero(t, got)
			}
		}
	}
}

func TestAddNumbers(t *testing.T) {
	t.Parallel()
	sum, err := addNumbers("0.1", "0.2", false)
	require.NoError(t, err)
	require.Equal(t, "0.3", sum)
	sum, err = addNumbers("5", "105", true)
	require.NoError(t, err)
	require.Equal(t, "-100", sum)
	_, err = addNumbers("1", "0.00000000000000000000000000000000000001", false)
	require.ErrorContains(t, err, "38 significant digits")
}

func TestValuesKeepTheirTypes(t *testing.T) {
	t.Parallel()
	const wire = `{"b":{"B":"AQI="},"bs":{"BS":["AQ==","Ag=="]},"e":{"S":""},"f":{"BOOL":false},"l":{"L":[{"N":"1"},{"L":[]}]},"m":{"M":{"x":{"S":"y"}}},"me":{"M":{}},"n":{"N":"12.5"},"ns":{"NS":["1","2"]},"s":{"S":"text"},"ss":{"SS":["a","b"]},"z":{"NULL":true}}`
	var item Item
	require.NoError(t, json.Unmarshal([]byte(wire), &item))
	raw, err := json.Marshal(item)
	require.NoError(t, err)
	require.JSONEq(t, wire, string(raw))
	var again Item
	require.NoError(t, json.Unmarshal(raw, &again))
	require.True(t, equalItems(item, again))
}

func TestInvalidValuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{}`, `{"S":"a","N":"1"}`, `{"X":"a"}`, `{"N":"x"}`, `{"N":1}`, `{"S":1}`, `{"SS":[]}`, `{"SS":["a","a"]}`, `{"NS":["1","1.0"]}`, `{"L":[{}]}`, `[]`} {
		var v Value
		require.Error(t, json.Unmarshal([]byte(in), &v), in)
	}
}
