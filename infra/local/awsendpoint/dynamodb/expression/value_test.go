package expression

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersHaveCanonicalForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "+5": "5", "007": "7", "-12": "-12", "9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
	} {
		var v Value
		require.NoError(t, json.Unmarshal([]byte(`{"N":"`+in+`"}`), &v), in)
		raw, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, `{"N":"`+want+`"}`, string(raw), in)
	}
	for _, in := range []string{"", "-", "x", "1.5", "1e3", "9223372036854775808", "--1", "0x10", "1_0", " 1"} {
		var v Value
		require.ErrorContains(t, json.Unmarshal([]byte(`{"N":"`+in+`"}`), &v), "numeric value: "+in+"; the local DynamoDB implements only 64-bit integers")
	}
}

func TestValuesKeepTheirTypes(t *testing.T) {
	t.Parallel()
	const wire = `{"e":{"S":""},"n":{"N":"1"},"s":{"S":"1"}}`
	var item Item
	require.NoError(t, json.Unmarshal([]byte(wire), &item))
	raw, err := json.Marshal(item)
	require.NoError(t, err)
	require.JSONEq(t, wire, string(raw))
	var again Item
	require.NoError(t, json.Unmarshal(raw, &again))
	require.True(t, maps.Equal(item, again))
}

func TestInvalidValuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{}`, `{"S":"a","N":"1"}`, `{"X":"a"}`, `{"N":1}`, `{"S":1}`, `[]`} {
		var v Value
		require.Error(t, json.Unmarshal([]byte(in), &v), in)
	}
}

func TestUnsupportedTypesAreNamed(t *testing.T) {
	t.Parallel()
	for kind, content := range map[string]string{
		"B": `"AQI="`, "BOOL": `true`, "NULL": `true`, "SS": `["a"]`, "NS": `["1"]`, "BS": `["AQ=="]`, "L": `[]`, "M": `{}`,
	} {
		var v Value
		err := json.Unmarshal([]byte(`{"`+kind+`":`+content+`}`), &v)
		require.ErrorContains(t, err, "ValidationException: the local DynamoDB does not implement values of type "+kind)
	}
}
