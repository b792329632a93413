package points

import "strings"

// suffixes are what names of classes of calculators end in, the longest first.
var suffixes = []string{"pointscalculator", "calculator", "points"}

// CodeOfClass returns the code of the built-in calculator that a fully qualified name of a
// class means: WpcaRoadLeaguePointsCalculator, in whatever package, is wpca-road-league.
func CodeOfClass(name string) (code string, ok bool) {
	if !isClassName(name) {
		return "", false
	}
	simple := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for _, suffix := range suffixes {
		if cut, found := strings.CutSuffix(simple, suffix); found {
			simple = cut
			break
		}
	}
	for _, c := range builtInCalculators {
		if strings.ReplaceAll(c.Code, "-", "") == simple {
			return c.Code, true
		}
	}
	return "", false
}
