package expression

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpdates(t *testing.T) {
	t.Parallel()
	values := Item{":v": stringValue("v"), ":n": numberValue(5), ":zero": numberValue(0)}
	for name, test := range map[string]struct {
		source string
		want   Item
	}{
		"set":                                {"SET a = :v", Item{"a": stringValue("v"), "n": numberValue(1), "b": stringValue("b")}},
		"two attributes, lower-case keyword": {"set a = :v, c = :n", Item{"a": stringValue("v"), "c": numberValue(5), "n": numberValue(1), "b": stringValue("b")}},
		"new counter":                        {"SET c = if_not_exists(c, :zero) + :n", Item{"a": stringValue("a"), "c": numberValue(5), "n": numberValue(1), "b": stringValue("b")}},
		"existing counter":                   {"SET n = if_not_exists(n, :zero) + :n", Item{"a": stringValue("a"), "n": numberValue(6), "b": stringValue("b")}},
		"original item":                      {"SET n = :zero, c = if_not_exists(n, :n) + :n", Item{"a": stringValue("a"), "n": numberValue(0), "c": numberValue(6), "b": stringValue("b")}},
		"if_not_exists, attribute exists":    {"SET a = if_not_exists(a, :v)", Item{"a": stringValue("a"), "n": numberValue(1), "b": stringValue("b")}},
		"remove":                             {"REMOVE a, absent", Item{"n": numberValue(1), "b": stringValue("b")}},
		"REMOVE and SET, placeholder name":   {"REMOVE #b SET a = :v", Item{"a": stringValue("v"), "n": numberValue(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			item := Item{"a": stringValue("a"), "n": numberValue(1), "b": stringValue("b")}
			with, err := NewPlaceholders(map[string]string{"#b": "b"}, values)
			require.NoError(t, err)
			update, err := ParseUpdate(test.source, with)
			require.NoError(t, err)
			got, err := update.Apply(item)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			require.Equal(t, Item{"a": stringValue("a"), "n": numberValue(1), "b": stringValue("b")}, item, "the original item is unchanged")
		})
	}
}

func TestInvalidUpdatesAreRefused(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                       "can not be empty",
		"a = :v":                 "Syntax error",
		"SET":                    "Syntax error",
		"SET a":                  "Syntax error",
		"SET a = ":               "Syntax error",
		"SET a = :v +":           "Syntax error",
		"SET a = :v, a = :n":     "overlap",
		"SET a = :v REMOVE a":    "overlap",
		"SET a = :v SET b = :v":  "only be used once",
		"SET status = :v":        "reserved keyword",
		"SET a = unknown(a, :v)": "Invalid function name; function: unknown",
	} {
		_, err := parseTestUpdate(t, source)
		require.ErrorContains(t, err, want, source)
	}
}

func TestUnsupportedUpdatesAreNamed(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"ADD a :n":                                       "the update action ADD",
		"delete a :v":                                    "the update action DELETE",
		"SET a = :n - :n":                                "the operator -",
		"SET a = list_append(a, :v)":                     "the function list_append",
		"SET a = begins_with(a, :v)":                     "the function begins_with",
		"SET a = :n + if_not_exists(a, :n)":              "the function if_not_exists",
		"SET a = if_not_exists(a, if_not_exists(b, :n))": "the function if_not_exists",
		"SET a = b":                                      "the attribute b in place of a :value",
		"SET a = a + :n":                                 "the attribute a in place of a :value",
		"SET a.b = :v":                                   "document paths (a.)",
		"REMOVE a[0]":                                    "document paths (a[)",
	} {
		_, err := parseTestUpdate(t, source)
		require.ErrorContains(t, err, "ValidationException: Invalid UpdateExpression: the local DynamoDB does not implement "+want, source)
	}
}

func TestUpdatesOfWrongTypeAreRefused(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"SET a = :v + :n":                     "incorrect data type",
		"SET a = :n + :v":                     "incorrect data type",
		"SET a = if_not_exists(s, :n) + :n":   "incorrect data type",
		"SET a = if_not_exists(big, :n) + :n": "overflow",
	} {
		update, err := parseTestUpdate(t, source)
		require.NoError(t, err)
		_, err = update.Apply(Item{"s": stringValue("s"), "big": numberValue(math.MaxInt64)})
		require.ErrorContains(t, err, want, source)
	}
}

func parseTestUpdate(t *testing.T, source string) (*Update, error) {
	t.Helper()
	with, err := NewPlaceholders(nil, Item{":v": stringValue("v"), ":n": numberValue(1)})
	require.NoError(t, err)
	return ParseUpdate(source, with)
}

func TestKeyConditions(t *testing.T) {
	t.Parallel()
	parse := func(source string) (KeyCondition, error) {
		with, err := NewPlaceholders(nil, Item{":p": stringValue("p"), ":a": stringValue("a"), ":n": numberValue(1)})
		require.NoError(t, err)
		return ParseKeyCondition(source, "pk", "sk", with)
	}
	for source, want := range map[string]KeyCondition{
		"pk = :p":                         {Partition: "p"},
		"pk = :p AND begins_with(sk, :a)": {Partition: "p", Prefix: "a"},
	} {
		got, err := parse(source)
		require.NoError(t, err, source)
		require.Equal(t, want, got)
	}
	for source, want := range map[string]string{
		"sk = :a":                            "missed key schema element: pk",
		"pk = :p AND begins_with(extra, :a)": "missed key schema element: sk",
		"pk = :n":                            "does not match schema type",
		"pk = :p AND begins_with(sk, :n)":    "does not match schema type",
		"pk = :p OR sk = :a":                 `token: "OR"`,
		"pk < :p":                            "does not implement the operator <",
		"pk > :p":                            "does not implement the operator >",
		"pk = :p AND sk = :a":                "does not implement the operator = on a sort key",
		"pk = :p AND sk <= :a":               "does not implement the operator <= on a sort key",
		"pk = :p AND sk > :a":                "does not implement the operator >",
		"pk = :p AND sk BETWEEN :a AND :a":   "does not implement the operator BETWEEN",
		"pk = :p AND contains(sk, :a)":       "does not implement the function contains",
	} {
		_, err := parse(source)
		require.ErrorContains(t, err, "ValidationException: Invalid KeyConditionExpression: ", source)
		require.ErrorContains(t, err, want, source)
	}
}
