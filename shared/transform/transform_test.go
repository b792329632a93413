package transform_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/transform"
)

// compile reads steps in their wire format.
func compile(t *testing.T, steps string) (*transform.Chain, error) {
	t.Helper()
	var declared []transform.Step
	require.NoError(t, json.Unmarshal([]byte(steps), &declared))
	return transform.Compile(declared)
}

func TestSteps(t *testing.T) {
	for _, c := range []struct{ steps, text, want string }{
		{`[]`, " as it is ", " as it is "},
		{`[{"op":"trim"}]`, "  two\t words ", "two words"},
		{`[{"op":"upper"}]`, "straße", "STRASSE"},
		{`[{"op":"lower"}]`, "ÉCOLE", "école"},
		{`[{"op":"title"}]`, "ANNA de LANGE", "Anna De Lange"},
		{`[{"op":"strip","what":"currency"}]`, "₹1,500.00", "1,500.00"},
		{`[{"op":"strip","what":"currency"}]`, "EUR 12,50", "12,50"},
		{`[{"op":"strip","what":"currency"}]`, "12,50 zł", "12,50"},
		{`[{"op":"strip","what":"currency"}]`, "-US$ 7", "-US$ 7"}, // the minus sign precedes the currency, so the currency is not at an end of the amount
		{`[{"op":"strip","what":"currency"}]`, "$-7", "-7"},
		{`[{"op":"strip","what":"currency"}]`, "Room 12", "Room 12"},
		{`[{"op":"strip","what":"unit"}]`, "12 kg", "12"},
		{`[{"op":"strip","what":"unit"}]`, "37.5 °C", "37.5"},
		{`[{"op":"strip","what":"unit"}]`, "80%", "80"},
		{`[{"op":"strip","what":"unit"}]`, "1 200 m2", "1 200"},
		{`[{"op":"strip","what":"unit"}]`, "heavy", "heavy"},
		{`[{"op":"strip","what":"apostrophe"}]`, "'00412", "00412"},
		{`[{"op":"strip","what":"apostrophe"}]`, "1'500'000", "1500000"},
		{`[{"op":"strip","what":"apostrophe"}]`, "O'Neil", "O'Neil"},
		{`[{"op":"replace","old":",","new":"."}]`, "1,5", "1.5"},
		{`[{"op":"replace","old":"#"}]`, "#a#", "a"},
		{`[{"op":"extract","pattern":"[0-9]+"}]`, "No. 123 / b", "123"},
		{`[{"op":"extract","pattern":"^(\\w+), (\\w+)$","group":2}]`, "Lang, Ute", "Ute"},
		{`[{"op":"extract","pattern":"x","otherwise":"keep"}]`, "abc", "abc"},
		{`[{"op":"extract","pattern":"x","otherwise":"empty"}]`, "abc", ""},
		{`[{"op":"split","separator":" ","part":1}]`, "Ute Maria Lang", "Ute"},
		{`[{"op":"split","separator":" ","part":-1}]`, "Ute Maria Lang", "Lang"},
		{`[{"op":"split","separator":" ","part":2,"rest":true}]`, "Ute Maria Lang", "Maria Lang"},
		{`[{"op":"split","separator":";","part":2,"otherwise":"empty"}]`, "one", ""},
		{`[{"op":"date","pattern":"DD.MM.YYYY"}]`, "31.01.2026", "2026-01-31"},
		{`[{"op":"date","pattern":"M/D/YY"}]`, "1/31/29", "2029-01-31"},
		{`[{"op":"date","pattern":"M/D/YY"}]`, "1/31/30", "1930-01-31"},
		{`[{"op":"date","pattern":"D MMMM YYYY"}]`, "5 March 2026", "2026-03-05"},
		{`[{"op":"date","pattern":"YYYYMMDD"}]`, "20260305", "2026-03-05"},
		{`[{"op":"date","pattern":"DD.MM.YYYY HH:mm"}]`, "31.01.2026 07:30", "2026-01-31T07:30:00"},
		{`[{"op":"map","values":{"Oui":"true","NON":"false"}}]`, " oui ", "true"},
		{`[{"op":"map","values":{"Oui":"true"},"otherwise":"keep"}]`, "vrai", "vrai"},
		{`[{"op":"map","values":{"Oui":"true"}}]`, "", ""},
		{`[{"op":"map","values":{"":"none"}}]`, "", "none"},
		{`[{"op":"default","value":"DE"}]`, "  ", "DE"},
		{`[{"op":"default","value":"DE"}]`, "FR", "FR"},
		{`[{"op":"strip","what":"currency"},{"op":"replace","old":",","new":""},{"op":"default","value":"0"}]`, "₹1,500.00", "1500.00"},
		{`[{"op":"extract","pattern":"x","otherwise":"empty"},{"op":"default","value":"none"}]`, "abc", "none"},
	} {
		chain, err := compile(t, c.steps)
		require.NoError(t, err, c.steps)
		got, err := chain.Apply(transform.NewBudget(), c.text)
		require.NoError(t, err, "%s on %q", c.steps, c.text)
		require.Equal(t, c.want, got, "%s on %q", c.steps, c.text)
	}
}

func TestUnfitTextIsError(t *testing.T) {
	for steps, text := range map[string]string{
		`[{"op":"trim"},{"op":"extract","pattern":"^[0-9]+$"}]`:                                                 "12a",
		`[{"op":"trim"},{"op":"split","separator":",","part":2}]`:                                               "one",
		`[{"op":"trim"},{"op":"date","pattern":"DD.MM.YYYY"}]`:                                                  "12/25/1990",
		`[{"op":"trim"},{"op":"date","pattern":"DD.MM.YYYY HH"}]`:                                               "31.02.2026 01",
		`[{"op":"trim"},{"op":"map","values":{"Oui":"true"}}]`:                                                  "vrai",
		`[{"op":"trim"},{"op":"replace","old":"a","new":"` + strings.Repeat("b", transform.MaxArgument) + `"}]`: strings.Repeat("a", 32_000),
	} {
		chain, err := compile(t, steps)
		require.NoError(t, err, steps)
		b := transform.NewBudget()
		b.StartRow(len(text))
		_, err = chain.Apply(b, text)
		var fault *transform.Error
		require.True(t, errors.As(err, &fault), steps)
		require.Equal(t, 2, fault.Step)
		require.NotContains(t, err.Error(), text)
		require.True(t, strings.HasSuffix(fault.Message, "."), fault.Message)
	}
}

func TestInvalidStepsAreRejected(t *testing.T) {
	long := strings.Repeat("x", transform.MaxArgument+1)
	for _, steps := range []string{
		`[{"op":""}]`, `[{"op":"shout"}]`, `[{"op":"trim","value":"x"}]`, `[{"op":"trim","otherwise":"keep"}]`,
		`[{"op":"strip"}]`, `[{"op":"strip","what":"all"}]`, `[{"op":"replace","new":"x"}]`, `[{"op":"replace","old":"` + long + `"}]`,
		`[{"op":"extract"}]`, `[{"op":"extract","pattern":"("}]`, `[{"op":"extract","pattern":"(a)","group":2}]`, `[{"op":"extract","pattern":"a","group":-1}]`,
		`[{"op":"extract","pattern":"(\\w{500}){2}\\w{1000}\\w{1000}"}]`,
		`[{"op":"extract","pattern":"a","otherwise":"guess"}]`,
		`[{"op":"split","part":1}]`, `[{"op":"split","separator":","}]`, `[{"op":"split","separator":",","part":-1,"rest":true}]`, `[{"op":"split","separator":",","part":101}]`,
		`[{"op":"date"}]`, `[{"op":"date","pattern":"MM.YYYY"}]`, `[{"op":"date","pattern":"DD.MM.YYYY DD"}]`, `[{"op":"date","pattern":"DD.MM.YYYY Z"}]`, `[{"op":"date","pattern":"2006-MM-DD YYYY"}]`,
		`[{"op":"map"}]`, `[{"op":"map","values":{"a":"1","A ":"2"}}]`, `[{"op":"map","values":{"a":"` + long + `"}}]`,
		`[{"op":"default"}]`,
		`[` + strings.Repeat(`{"op":"trim"},`, transform.MaxSteps) + `{"op":"trim"}]`,
	} {
		_, err := compile(t, steps)
		var fault *transform.Error
		require.True(t, errors.As(err, &fault), steps)
		require.True(t, strings.HasSuffix(fault.Message, "."), "%s: %s", steps, fault.Message)
	}
}

func FuzzApply(f *testing.F) {
	f.Add(`[{"op":"strip","what":"currency"},{"op":"strip","what":"unit"},{"op":"strip","what":"apostrophe"}]`, "₹1'500.00 kg")
	f.Add(`[{"op":"date","pattern":"D.M.YY","otherwise":"keep"},{"op":"split","separator":".","part":-2,"otherwise":"empty"}]`, "1.2.26")
	f.Fuzz(func(t *testing.T, steps, text string) {
		var declared []transform.Step
		if json.Unmarshal([]byte(steps), &declared) != nil || len(text) > 32_767 {
			return
		}
		chain, err := transform.Compile(declared)
		if err != nil {
			return
		}
		first, err1 := chain.Apply(transform.NewBudget(), text)
		second, err2 := chain.Apply(transform.NewBudget(), text)
		require.Equal(t, first, second)
		require.Equal(t, err1, err2)
		require.LessOrEqual(t, len(first), 4*32_767)
	})
}
