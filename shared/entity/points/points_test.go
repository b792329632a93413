package points

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPoints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code                   string
		position, time, winner int64
		want                   string
	}{
		"calculator none":                    {None, 1, 1000, 1000, ""},
		"first place of a table":             {"wpca-road-league", 1, 0, 0, "50"},
		"last place of a table":              {"wpca-road-league", 10, 0, 0, "3"},
		"place beyond the table":             {"wpca-road-league", 11, 0, 0, "0"},
		"the winner's time":                  {"sa-school", 1, 3_600_000, 3_600_000, "100.00"},
		"half the winner's speed":            {"sa-school", 9, 7_200_000, 3_600_000, "50.00"},
		"rounded up":                         {"sa-school", 2, 3_000, 2_000, "66.67"},
		"winner without a time":              {"sa-school", 2, 3_000, 0, ""},
		"participant without a time":         {"sa-school", 2, 0, 3_000, ""},
		"one millisecond behind after hours": {"sa-school", 2, 36_000_001, 36_000_000, "100.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calculator := Find(BuiltIn(), c.code)
			require.NotNil(t, calculator)
			require.Equal(t, c.want, calculator.Points(c.position, c.time, c.winner))
		})
	}
	require.Nil(t, Find(BuiltIn(), "fifa"))
}

func TestBuiltInCalculatorsHaveSources(t *testing.T) {
	t.Parallel()
	const valid = `{"provenance": "x", "calculators": [{"code": "league", "table": [5, 3, 3, 0]}]}`
	read, err := readCalculators([]byte(valid))
	require.NoError(t, err)
	require.Equal(t, []string{None, "league"}, []string{read[0].Code, read[1].Code})
	for name, calculators := range map[string]string{
		"no provenance":             `{"calculators": []}`,
		"not JSON":                  `[`,
		"misspelt member":           `{"provenance": "x", "calculators": [{"code": "a", "tables": [1]}]}`,
		"no code":                   `{"provenance": "x", "calculators": [{"table": [1]}]}`,
		"twice":                     `{"provenance": "x", "calculators": [{"code": "a", "table": [1]}, {"code": "a", "table": [1]}]}`,
		"reserved code none":        `{"provenance": "x", "calculators": [{"code": "none", "table": [1]}]}`,
		"neither table nor percent": `{"provenance": "x", "calculators": [{"code": "a"}]}`,
		"both table and percent":    `{"provenance": "x", "calculators": [{"code": "a", "table": [1], "percent": true}]}`,
		"increasing points":         `{"provenance": "x", "calculators": [{"code": "a", "table": [1, 2]}]}`,
		"negative points":           `{"provenance": "x", "calculators": [{"code": "a", "table": [1, -1]}]}`,
		"decimals with a table":     `{"provenance": "x", "calculators": [{"code": "a", "table": [1], "decimals": 1}]}`,
	} {
		_, err := readCalculators([]byte(calculators))
		require.Error(t, err, name)
	}
}

func TestCodeOfClass(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"org.example.points.WpcaRoadLeague":              "wpca-road-league",
		"za.org.wpca.WPCARoadLeaguePointsCalculator":     "wpca-road-league",
		"com.example.results.calculators.SaSchoolPoints": "sa-school",
		"com.example.SASchoolCalculator":                 "sa-school",
		"SaSchool":                                       "",
		"com.example.Fifa":                               "",
		"com.example.":                                   "",
		"com..SaSchool":                                  "",
		"com.example.None":                               "none",
	} {
		code, ok := CodeOfClass(name)
		require.Equal(t, want, code, name)
		require.Equal(t, want != "", ok, name)
	}
}

func TestValidateLimitsCalculators(t *testing.T) {
	t.Parallel()
	table := func(n int) []int64 { return make([]int64, n) }
	require.NoError(t, Validate(nil))
	require.NoError(t, Validate([]Calculator{{Code: "sa-school", Table: table(1000)}, {Code: "b2", ClassName: "org.example.B$2", Percent: true, Decimals: 6}}))
	for name, all := range map[string][]Calculator{
		"too many calculators":    make([]Calculator, 101),
		"table too long":          {{Code: "a", Table: table(1001)}},
		"points above the limit":  {{Code: "a", Table: []int64{1_000_001}}},
		"too many decimals":       {{Code: "a", Percent: true, Decimals: 7}},
		"code with a space":       {{Code: "a b", Percent: true}},
		"class without a package": {{Code: "a", ClassName: "B", Percent: true}},
		"duplicate class":         {{Code: "a", ClassName: "o.B", Percent: true}, {Code: "b", ClassName: "o.B", Percent: true}},
		"class name too long":     {{Code: "a", ClassName: "o." + strings.Repeat("B", 200), Percent: true}},
		"description too long":    {{Code: "a", Description: strings.Repeat("é", 501), Percent: true}},
	} {
		require.Error(t, Validate(all), name)
	}
}
