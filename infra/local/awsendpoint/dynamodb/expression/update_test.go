package expression

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpdates(t *testing.T) {
	t.Parallel()
	values := Item{":v": stringValue("v"), ":n": numberValue("5"), ":zero": numberValue("0")}
	for name, test := range map[string]struct {
		source string
		want   Item
	}{
		"set":                  {"SET a = :v", Item{"a": stringValue("v"), "n": numberValue("1"), "b": stringValue("b")}},
		"set two, lower case":  {"set a = :v, c = :n", Item{"a": stringValue("v"), "c": numberValue("5"), "n": numberValue("1"), "b": stringValue("b")}},
		"copy":                 {"SET c = b", Item{"a": stringValue("a"), "c": stringValue("b"), "n": numberValue("1"), "b": stringValue("b")}},
		"swap":                 {"SET a = b, b = a", Item{"a": stringValue("b"), "b": stringValue("a"), "n": numberValue("1")}},
		"add":                  {"SET n = n + :n", Item{"a": stringValue("a"), "n": numberValue("6"), "b": stringValue("b")}},
		"subtract":             {"SET n = n - :n", Item{"a": stringValue("a"), "n": numberValue("-4"), "b": stringValue("b")}},
		"counter, new":         {"SET c = if_not_exists(c, :zero) + :n", Item{"a": stringValue("a"), "c": numberValue("5"), "n": numberValue("1"), "b": stringValue("b")}},
		"if_not_exists, there": {"SET a = if_not_exists(a, :v)", Item{"a": stringValue("a"), "n": numberValue("1"), "b": stringValue("b")}},
		"remove":               {"REMOVE a, absent", Item{"n": numberValue("1"), "b": stringValue("b")}},
		"remove and set, name": {"REMOVE #b SET a = :v", Item{"a": stringValue("v"), "n": numberValue("1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			item := Item{"a": stringValue("a"), "n": numberValue("1"), "b": stringValue("b")}
			with, err := NewPlaceholders(map[string]string{"#b": "b"}, values)
			require.NoError(t, err)
			update, err := ParseUpdate(test.source, with)
			require.NoError(t, err)
			got, err := update.Apply(item)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			require.Equal(t, Item{"a": stringValue("a"), "n": numberValue("1"), "b": stringValue("b")}, item, "the item before is left alone")
		})
	}
}

func TestInvalidUpdatesAreRefused(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"a = :v":                     "Syntax error",
		"SET":                        "Syntax error",
		"SET a":                      "Syntax error",
		"SET a = ":                   "Syntax error",
		"SET a = :v, a = :n":         "overlap",
		"SET a = :v REMOVE a":        "overlap",
		"SET a = :v SET b = :v":      "only be used once",
		"SET a.b = :v":               "document paths",
		"SET a = list_append(a, :v)": "does not implement the function list_append",
		"SET a = begins_with(a, :v)": "not allowed to be used this way",
		"ADD a :n":                   "does not implement the update action ADD",
		"DELETE a :v":                "does not implement the update action DELETE",
		"SET status = :v":            "reserved keyword",
	} {
		with, err := NewPlaceholders(nil, Item{":v": stringValue("v"), ":n": numberValue("1")})
		require.NoError(t, err)
		_, err = ParseUpdate(source, with)
		require.ErrorContains(t, err, want, source)
	}
}

func TestUpdatesOfWrongTypeAreRefused(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"SET a = absent":      "does not exist in the item",
		"SET a = absent + :n": "does not exist in the item",
		"SET a = s + :n":      "incorrect data type",
	} {
		with, err := NewPlaceholders(nil, Item{":n": numberValue("1")})
		require.NoError(t, err)
		update, err := ParseUpdate(source, with)
		require.NoError(t, err)
		_, err = update.Apply(Item{"s": stringValue("s")})
		require.ErrorContains(t, err, want, source)
	}
}

func TestKeyConditions(t *testing.T) {
	t.Parallel()
	values := Item{":p": stringValue("p"), ":a": stringValue("a"), ":b": stringValue("b"), ":n": numberValue("1")}
	for source, from := range map[string]string{
		"pk = :p":                          "",
		"pk = :p AND sk = :a":              "a",
		"sk = :a AND pk = :p":              "a",
		"(pk = :p) AND (sk >= :a)":         "a",
		"pk = :p AND sk < :a":              "",
		"pk = :p AND begins_with(sk, :a)":  "a",
		"pk = :p AND sk BETWEEN :a AND :b": "a",
	} {
		with, err := NewPlaceholders(nil, values)
		require.NoError(t, err)
		key, err := ParseKeyCondition(source, "pk", "sk", with)
		require.NoError(t, err, source)
		require.Equal(t, "p", key.Partition)
		require.Equal(t, from, key.From, source)
	}
	for source, want := range map[string]string{
		"sk = :a":                          "missed key schema element: pk",
		"pk > :p":                          "not supported",
		"pk = :n":                          "not supported",
		"pk = :p OR sk = :a":               "not supported",
		"NOT pk = :p":                      "not supported",
		"pk = :p AND sk <> :a":             "not supported",
		"pk = :p AND sk = :n":              "not supported",
		"pk = :p AND extra = :a":           "not supported",
		"pk = :p AND contains(sk, :a)":     "not supported",
		"pk = :p AND sk > :a AND sk < :b":  "not supported",
		"pk = :p AND attribute_exists(sk)": "not supported",
	} {
		with, err := NewPlaceholders(nil, values)
		require.NoError(t, err)
		_, err = ParseKeyCondition(source, "pk", "sk", with)
		require.ErrorContains(t, err, want, source)
	}
}
