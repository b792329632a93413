package expression

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func numberValue(n int64) Value { return Value{Kind: Number, Number: n} }

func stringValue(text string) Value { return Value{Kind: String, Text: text} }

func TestConditions(t *testing.T) {
	t.Parallel()
	item := Item{"s": stringValue("hello"), "n": numberValue(10), "word": stringValue("10"), "state": stringValue("claimed")}
	values := Item{
		":hello": stringValue("hello"), ":z": stringValue("zzz"), ":ten": numberValue(10), ":nine": numberValue(9), ":eleven": numberValue(11), ":claimed": stringValue("claimed"),
	}
	for source, want := range map[string]bool{
		"s = :hello":                           true,
		"s = :ten":                             false,
		"word = :ten":                          false, // values of different types are not equal
		"word < :eleven":                       false,
		"word <= :ten":                         false,
		"absent = :ten":                        false,
		"absent < :ten":                        false,
		"absent <= :ten":                       false,
		"n < :nine":                            false, // numeric comparison, not textual
		"n < :ten":                             false,
		"n < :eleven":                          true,
		"n <= :ten":                            true,
		"n <= :nine":                           false,
		"s < :z":                               true,
		"attribute_not_exists(s)":              false,
		"attribute_not_exists(absent)":         true,
		"#state = :claimed":                    true,
		"s = :z OR s = :hello AND n = :nine":   false, // AND binds tighter
		"s = :hello OR s = :z AND n = :nine":   true,
		"(s = :hello OR s = :z) AND n = :nine": false,
		"s = :z or s = :hello and n = :ten":    true,
		"attribute_not_exists(s) OR n < :nine": false,
		"((attribute_not_exists(absent)))":     true,
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			with, err := NewPlaceholders(map[string]string{"#state": "state"}, values)
			require.NoError(t, err)
			condition, err := ParseCondition(source, with)
			require.NoError(t, err)
			require.Equal(t, want, condition(item))
		})
	}
}

func TestConditionsOnMissingItem(t *testing.T) {
	t.Parallel()
	with, err := NewPlaceholders(nil, Item{":v": stringValue("v")})
	require.NoError(t, err)
	for source, want := range map[string]bool{"attribute_not_exists(pk)": true, "pk = :v": false} {
		condition, err := ParseCondition(source, with)
		require.NoError(t, err)
		require.Equal(t, want, condition(nil), source)
	}
}

func TestInvalidConditionsAreRefused(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                                "can not be empty",
		"  ":                              "can not be empty",
		"a":                               "<EOF>",
		"a =":                             "<EOF>",
		"a = :v b":                        "Syntax error",
		"a = = :v":                        "Syntax error",
		"a == :v":                         "Syntax error",
		"(a = :v":                         "<EOF>",
		"a = :v)":                         "Syntax error",
		"a = 'text'":                      "Syntax error",
		"attribute_not_exists(a, b)":      "Syntax error",
		"Attribute_Not_Exists(a)":         "Invalid function name",
		"state = :v":                      "reserved keyword: state",
		"Token = :v":                      "reserved keyword: Token",
		"#x = :v":                         "attribute name: #x",
		"a = :x":                          "attribute value: :x",
		strings.Repeat("(", maxLength+1):  "expression size: 4097",
		strings.Repeat("(", maxLength):    "<EOF>",
		"a = :v AND attribute_not_exists": "<EOF>",
	} {
		with, err := NewPlaceholders(nil, Item{":v": stringValue("v")})
		require.NoError(t, err)
		_, err = ParseCondition(source, with)
		require.ErrorContains(t, err, "Invalid ConditionExpression", source)
		require.ErrorContains(t, err, want, source)
	}
}

func TestUnsupportedConditionsAreNamed(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"NOT a = :v":               "the operator NOT",
		"not (a = :v)":             "the operator NOT",
		"a <> :v":                  "the operator <>",
		"a > :v":                   "the operator >",
		"a >= :v":                  "the operator >=",
		"a BETWEEN :v AND :v":      "the operator BETWEEN",
		"a in (:v)":                "the operator IN",
		"attribute_exists(a)":      "the function attribute_exists",
		"attribute_type(a, :v)":    "the function attribute_type",
		"begins_with(a, :v)":       "the function begins_with",
		"contains(a, :v)":          "the function contains",
		"size(a) < :v":             "the function size",
		"a = size(b)":              "the function size",
		"a = if_not_exists(a, :v)": "the function if_not_exists",
		":v = a":                   "the value :v in place of an attribute",
		"a = b":                    "the attribute b in place of a :value",
		"a = #b":                   "the attribute #b in place of a :value",
		"attribute_not_exists(:v)": "the value :v in place of an attribute",
		"a.b = :v":                 "document paths (a.)",
		"a[0] = :v":                "document paths (a[)",
	} {
		with, err := NewPlaceholders(nil, Item{":v": stringValue("v")})
		require.NoError(t, err)
		_, err = ParseCondition(source, with)
		require.ErrorContains(t, err, "ValidationException: Invalid ConditionExpression: the local DynamoDB does not implement "+want, source)
	}
}

func TestUnusedPlaceholdersAreRefused(t *testing.T) {
	t.Parallel()
	with, err := NewPlaceholders(map[string]string{"#a": "a", "#b": "b"}, Item{":v": stringValue("v"), ":w": stringValue("w")})
	require.NoError(t, err)
	_, err = ParseCondition("#a = :v", with)
	require.NoError(t, err)
	require.ErrorContains(t, with.CheckUsed(), "ExpressionAttributeNames unused in expressions: keys: {#b}")
	_, err = ParseCondition("#b = :v", with)
	require.NoError(t, err)
	require.ErrorContains(t, with.CheckUsed(), "ExpressionAttributeValues unused in expressions: keys: {:w}")

	for _, bad := range []map[string]string{{}, {"a": "b"}, {"#": "b"}, {"#a": ""}} {
		_, err = NewPlaceholders(bad, nil)
		require.ErrorContains(t, err, "ExpressionAttributeNames", "%v", bad)
	}
	for _, bad := range []Item{{}, {"v": stringValue("x")}, {":": stringValue("x")}} {
		_, err = NewPlaceholders(nil, bad)
		require.ErrorContains(t, err, "ExpressionAttributeValues", "%v", bad)
	}
}

// No input makes the parsers panic or loop.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a = :v AND attribute_not_exists(#n)", "SET a = if_not_exists(a, :v) + :n REMOVE b", "a, #n", "pk = :v AND begins_with(sk, :v)", "((((", "a IN (:v,:n)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		with, err := NewPlaceholders(map[string]string{"#n": "name"}, Item{":v": stringValue("v"), ":n": numberValue(1)})
		require.NoError(t, err)
		item := Item{"a": numberValue(1), "name": stringValue("v")}
		if condition, err := ParseCondition(source, with); err == nil {
			condition(item)
			condition(nil)
		}
		if update, err := ParseUpdate(source, with); err == nil {
			_, _ = update.Apply(item)
		}
		_, _ = ParseProjection(source, with)
		_, _ = ParseKeyCondition(source, "pk", "sk", with)
	})
}
