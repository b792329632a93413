package expression

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func numberValue(text string) Value { return Value{Kind: Number, Text: text} }

func stringValue(text string) Value { return Value{Kind: String, Text: text} }

func TestConditions(t *testing.T) {
	t.Parallel()
	item := Item{
		"s": stringValue("hello"), "n": numberValue("10"), "m": numberValue("9"), "flag": {Kind: Bool, Bool: true},
		"bytes": {Kind: Binary, Bytes: []byte{1, 2, 3}},
		"tags":  {Kind: StringSet, Texts: []string{"a", "b"}}, "nums": {Kind: NumberSet, Texts: []string{"1", "2"}},
		"mixed": {Kind: List, List: []Value{numberValue("1"), stringValue("x")}}, "state": stringValue("claimed"),
	}
	values := Item{
		":hello": stringValue("hello"), ":he": stringValue("he"), ":z": stringValue("zzz"), ":a": stringValue("a"), ":ten": numberValue("10"), ":nine": numberValue("9"), ":two": numberValue("2"), ":one": numberValue("1"),
		":true": {Kind: Bool, Bool: true}, ":b12": {Kind: Binary, Bytes: []byte{1, 2}}, ":claimed": stringValue("claimed"), ":x": stringValue("x"),
	}
	for source, want := range map[string]bool{
		"s = :hello":                             true,
		":hello = s":                             true,
		"s <> :hello":                            false,
		"s = :ten":                               false, // another type is another value
		"s <> :ten":                              true,
		"absent = :ten":                          false,
		"absent <> :ten":                         true, // what is not there differs from everything
		"absent < :ten":                          false,
		"n > :nine":                              true, // by value, not by text
		"n >= :ten AND n <= :ten":                true,
		"n < :ten":                               false,
		"s > :nine":                              false,
		"m < n":                                  true,
		"flag = :true":                           true,
		"n BETWEEN :nine AND :ten":               true,
		"n between :one and :two":                false,
		"n IN (:one, :ten)":                      true,
		"n in (:one)":                            false,
		"absent IN (:one)":                       false,
		"attribute_exists(s)":                    true,
		"attribute_exists(absent)":               false,
		"attribute_not_exists(s)":                false,
		"attribute_not_exists(absent)":           true,
		"begins_with(s, :he)":                    true,
		"begins_with(s, :z)":                     false,
		"begins_with(n, :he)":                    false,
		"begins_with(bytes, :b12)":               true,
		"contains(s, :he)":                       true,
		"contains(tags, :a)":                     true,
		"contains(tags, :z)":                     false,
		"contains(nums, :two)":                   true,
		"contains(nums, :ten)":                   false,
		"contains(mixed, :x)":                    true,
		"contains(bytes, :b12)":                  true,
		"contains(n, :ten)":                      false,
		"#state = :claimed":                      true,
		"NOT s = :z":                             true,
		"NOT NOT s = :hello":                     true,
		"NOT (s = :hello OR n = :two)":           false,
		"s = :z OR s = :hello AND n = :two":      false, // AND binds tighter
		"s = :hello OR s = :z AND n = :two":      true,
		"(s = :hello OR s = :z) AND n = :two":    false,
		"not s = :z and n = :ten":                true, // NOT binds tightest
		"attribute_not_exists(s) OR n < :two":    false,
		"n BETWEEN :one AND :two OR s = :hello":  true,
		"n BETWEEN :one AND :two AND s = :hello": false,
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			with, err := NewPlaceholders(map[string]string{"#state": "state"}, values)
			require.NoError(t, err)
			condition, err := ParseCondition("ConditionExpression", source, with)
			require.NoError(t, err)
			require.Equal(t, want, condition.Matches(item))
		})
	}
}

func TestConditionsOnMissingItem(t *testing.T) {
	t.Parallel()
	with, err := NewPlaceholders(nil, Item{":v": stringValue("v")})
	require.NoError(t, err)
	for source, want := range map[string]bool{"attribute_not_exists(pk)": true, "attribute_exists(pk)": false, "pk = :v": false} {
		condition, err := ParseCondition("ConditionExpression", source, with)
		require.NoError(t, err)
		require.Equal(t, want, condition.Matches(nil), source)
	}
}

func TestInvalidConditionsAreRefused(t *testing.T) {
	t.Parallel()
	values := Item{":v": stringValue("v"), ":w": stringValue("a"), ":n": numberValue("1"), ":flag": {Kind: Bool}}
	for source, want := range map[string]string{
		"":                                     "can not be empty",
		"  ":                                   "can not be empty",
		"a":                                    "Syntax error",
		"a =":                                  "<EOF>",
		"a = :v b":                             "Syntax error",
		"a = = :v":                             "Syntax error",
		"a == :v":                              "Syntax error",
		"(a = :v":                              "<EOF>",
		"a = :v)":                              "Syntax error",
		"a = 'text'":                           "Syntax error",
		"a = 5":                                "Syntax error",
		"a IN :v":                              "Syntax error",
		"a IN ()":                              "Syntax error",
		"a BETWEEN :v":                         "<EOF>",
		"a BETWEEN :v AND :w":                  "BETWEEN",
		"a BETWEEN :v AND :n":                  "BETWEEN",
		"a < :flag":                            "operand type: BOOL",
		"begins_with(a, :n)":                   "operand type: N",
		"begins_with(a)":                       "number of operands: 1",
		"contains(a, :v, :v)":                  "number of operands: 3",
		"attribute_exists(:v)":                 "Syntax error",
		"attribute_exists(a, b)":               "Syntax error",
		"Attribute_Exists(a)":                  "Invalid function name",
		"size(a) > :n":                         "does not implement the function size",
		"attribute_type(a, :v)":                "does not implement the function attribute_type",
		"a = if_not_exists(a, :v)":             "not allowed to be used this way",
		"a.b = :v":                             "does not implement document paths",
		"a[0] = :v":                            "does not implement document paths",
		"state = :v":                           "reserved keyword: state",
		"Token = :v":                           "reserved keyword: Token",
		"#x = :v":                              "attribute name: #x",
		"a = :x":                               "attribute value: :x",
		strings.Repeat("NOT ", 400) + "a = :v": "too many operators",
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			with, err := NewPlaceholders(nil, values)
			require.NoError(t, err)
			_, err = ParseCondition("ConditionExpression", source, with)
			require.ErrorContains(t, err, want)
		})
	}
}

func TestUnusedPlaceholdersAreRefused(t *testing.T) {
	t.Parallel()
	with, err := NewPlaceholders(map[string]string{"#a": "a", "#b": "b"}, Item{":v": stringValue("v"), ":w": stringValue("w")})
	require.NoError(t, err)
	_, err = ParseCondition("ConditionExpression", "#a = :v", with)
	require.NoError(t, err)
	require.ErrorContains(t, with.CheckUsed(), "ExpressionAttributeNames unused in expressions: keys: {#b}")
	_, err = ParseCondition("FilterExpression", "#b = :v", with)
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

// FuzzParse: no text makes the parsers panic or run away.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a = :v AND NOT begins_with(#n, :v)", "SET a = if_not_exists(a, :v) + :n REMOVE b", "a, #n", "pk = :v AND sk BETWEEN :v AND :v", "((((", "a IN (:v,:n)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		with, err := NewPlaceholders(map[string]string{"#n": "name"}, Item{":v": stringValue("v"), ":n": numberValue("1")})
		require.NoError(t, err)
		item := Item{"a": numberValue("1"), "name": stringValue("v")}
		if condition, err := ParseCondition("ConditionExpression", source, with); err == nil {
			condition.Matches(item)
			condition.Matches(nil)
		}
		if update, err := ParseUpdate(source, with); err == nil {
			_, _ = update.Apply(item)
		}
		_, _ = ParseProjection(source, with)
		_, _ = ParseKeyCondition(source, "pk", "sk", with)
	})
}
