package points

import "strings"

// suffixes are the suffixes of calculator class names, longest first.
var suffixes = []string{"pointscalculator", "calculator", "points"}

// CodeOfClass returns the code of the built-in calculator for a fully qualified class name:
// WpcaRoadLeaguePointsCalculator, in any package, is wpca-road-league.
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
