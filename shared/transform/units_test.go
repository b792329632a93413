package transform_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/transform"
)

func TestUnitsOfHeaders(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]string{
		"Weight (g)": {"g"}, "Gross weight (lbs)": {"lb"}, "Total weight [t]": {"t"}, "weight_kg": {"kg"}, "Weight in grams": {"g"}, "weightKG": {"kg"},
		"Poids (grammes)": {"g"}, "Gewicht in Gramm": {"g"}, "Weight (kg/lb)": {"kg", "lb"}, "WEIGHT(OZ)": {"oz"}, "Weight, tons": {"ton"},
		"Total weight": nil, "Weight": nil, "Weight (m)": nil, "": nil,
	} {
		require.Equal(t, want, transform.FindUnits(header, "kg"), header)
	}
}

func TestConversionIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ number, from, to, want string }{
		{"2500", "g", "kg", "2.5"}, {"1", "g", "kg", "0.001"}, {"0.1", "lb", "kg", "0.045359237"}, {"1.250", "t", "kg", "1250"}, {"0", "g", "kg", "0"},
		{"-3.5", "oz", "kg", "-0.0992233309375"}, {"7", "kg", "kg", "7"}, {"90", "min", "h", ""}, {"1", "ton", "kg", ""}, {"1", "m", "kg", ""}, {"1", "h", "min", "60"},
	} {
		f, ok := transform.NewFactor(c.from, c.to)
		if c.want == "" {
			require.False(t, ok, "%s to %s", c.from, c.to)
			continue
		}
		require.True(t, ok, "%s to %s", c.from, c.to)
		got, ok := f.Apply([]byte(c.number))
		require.True(t, ok)
		require.Equal(t, c.want, string(got), "%s %s in %s", c.number, c.from, c.to)
	}
}

func TestConvertIsLastStep(t *testing.T) {
	t.Parallel()
	_, err := transform.Compile([]transform.Step{{Op: transform.Convert, Unit: "g"}, {Op: transform.Trim}})
	require.ErrorContains(t, err, "This must be the last step")
	_, err = transform.Compile([]transform.Step{{Op: transform.Convert, Unit: "stone"}})
	require.ErrorContains(t, err, "unit must be the unit of the values")
	_, err = transform.Compile([]transform.Step{{Op: transform.Strip, What: "unit"}, {Op: transform.Convert, Unit: "g"}})
	require.NoError(t, err)
}
