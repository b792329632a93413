package points

import (
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
)

// Limits of an organisation's calculators.
const (
	maxCalculators = 100
	maxCode        = 50   // characters
	maxClassName   = 200  // characters
	maxDescription = 500  // characters
	maxPositions   = 1000 // entries of a table
	maxPoints      = 1_000_000
	maxDecimals    = 6
)

var (
	codePattern  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	classPattern = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*\.)+[A-Za-z_$][A-Za-z0-9_$]*$`)
)

// isClassName reports whether a text is the fully qualified name of a class.
func isClassName(text string) bool {
	return len(text) <= maxClassName && classPattern.MatchString(text)
}

// Validate checks a list of calculators. The error PARAMETER_INVALID describes the problems of
// each calculator by its index.
func Validate(all []Calculator) error {
	fault := problem.New(problem.ParameterInvalid, "The points calculators are not valid.")
	if len(all) > maxCalculators {
		fault.With("calculators", problem.ParameterInvalid, fmt.Sprintf("At most %d.", maxCalculators))
		return fault
	}
	names := make(map[string]bool, 2*len(all))
	for i := range all {
		c := &all[i]
		say := func(member, rule string) {
			fault.With(fmt.Sprintf("[%d].%s", i, member), problem.ParameterInvalid, rule)
		}
		c.validate(say)
		for member, name := range map[string]string{"code": c.Code, "className": c.ClassName} {
			if name != "" && names[name] {
				say(member, "Each value must be unique.")
			}
			names[name] = true
		}
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	return nil
}

// validate requires a name, and either a table of points that never rise, or percentages.
func (c *Calculator) validate(say func(member, rule string)) {
	if c.Code == None || len(c.Code) > maxCode || !codePattern.MatchString(c.Code) {
		say("code", `Up to 50 lower-case letters, digits and hyphens, and not "none": my-league.`)
	}
	if c.ClassName != "" && !isClassName(c.ClassName) {
		say("className", "A fully qualified class name of up to 200 characters: org.example.points.MyLeague.")
	}
	if utf8.RuneCountInString(c.Description) > maxDescription {
		say("about", "Up to 500 characters.")
	}
	switch {
	case c.Percent == (len(c.Table) > 0):
		say("table", "Either a table or percent.")
	case len(c.Table) > maxPositions || !neverRise(c.Table):
		say("table", "Up to 1,000 whole numbers from 0 to 1,000,000 in descending order.")
	case c.Decimals < 0 || c.Decimals > maxDecimals || !c.Percent && c.Decimals > 0:
		say("decimals", "A number from 0 to 6, only with percent.")
	}
}

// neverRise reports whether points are within their limits and never rise.
func neverRise(table []int64) bool {
	last := int64(maxPoints)
	for _, p := range table {
		if p > last || p < 0 {
			return false
		}
		last = p
	}
	return true
}
