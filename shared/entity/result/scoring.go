package result

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/points"
)

// scoring computes the points of categories.
type scoring struct {
	requested *points.Calculator            // nil: each category keeps its calculator
	known     map[string]*points.Calculator // calculators of stored points by code; nil if they no longer exist
}

// scoreEffect tells what scoring did to a category beyond computing points.
type scoreEffect struct {
	cleared      int  // results that lost their points, because their calculator is unknown or was switched off
	winnerNoTime bool // the points depend on the winner's time, which is missing
}

// newScoring loads the calculators with which the points of the categories were computed.
func newScoring(ctx context.Context, tx pgx.Tx, requested *points.Calculator, categories map[int64]standings) (*scoring, error) {
	s := &scoring{requested: requested, known: map[string]*points.Calculator{}}
	if requested != nil {
		return s, nil
	}
	for _, results := range categories {
		for _, r := range results {
			if _, ok := s.known[r.calculator]; ok || r.calculator == "" {
				continue
			}
			c, err := findCalculator(ctx, tx, r.calculator)
			if err != nil {
				return nil, fmt.Errorf("calculator of stored points: %w", err)
			}
			s.known[r.calculator] = c
		}
	}
	return s, nil
}

// calculator returns the calculator for a category with the results before; nil if it is unknown.
// Without any points it is the one that awards none.
func (s *scoring) calculator(before standings) *points.Calculator {
	if s.requested != nil {
		return s.requested
	}
	code, scored := points.None, false
	for _, r := range before {
		switch {
		case r.points == "":
		case scored && r.calculator != code:
			return nil
		default:
			code, scored = r.calculator, true
		}
	}
	if !scored {
		return &points.Calculator{Code: points.None}
	}
	return s.known[code]
}

// score computes the points of all results of a category. Points whose calculator is unknown stay
// as long as no result of the category changes, and are removed otherwise: they would not match the
// times and positions.
func (s *scoring) score(before, after standings) (effect scoreEffect) {
	c := s.calculator(before)
	if c == nil && sameRaces(before, after) {
		for sequence, r := range after {
			r.points, r.calculator = before[sequence].points, before[sequence].calculator
			after[sequence] = r
		}
		return effect
	}
	if c == nil {
		c = &points.Calculator{Code: points.None}
	}
	if c.Code == points.None {
		effect.cleared = before.scored()
	}
	effect.winnerNoTime = after.award(c)
	return effect
}

// award computes the points of all results, and reports whether they depend on the winner's time,
// which is missing.
func (s standings) award(c *points.Calculator) (winnerNoTime bool) {
	winner, finishers := s.winner()
	for sequence, r := range s {
		if r.points, r.calculator = "", ""; r.status == finished {
			r.points = c.Points(r.position, r.time, winner)
		}
		if r.points != "" {
			r.calculator = c.Code
		}
		s[sequence] = r
	}
	return c.Percent && finishers && winner == 0
}

// scored returns the number of results with points.
func (s standings) scored() (n int) {
	for _, r := range s {
		if r.points != "" {
			n++
		}
	}
	return n
}

// winner returns the time of the winner, 0 if it is unknown, and whether anybody finished.
func (s standings) winner() (time int64, ok bool) {
	var best int64
	for _, r := range s {
		if r.status != finished {
			continue
		}
		switch {
		case best == 0 || r.position < best:
			best, time = r.position, r.time
		case r.position == best && r.time > 0 && (time == 0 || r.time < time):
			time = r.time
		}
	}
	return time, best > 0
}

// sameRaces reports whether two states of a category are equal irrespective of race numbers and
// points.
func sameRaces(before, after standings) bool {
	if len(before) != len(after) {
		return false
	}
	for sequence, r := range after {
		r.number = before[sequence].number
		if !before[sequence].sameRace(r) {
			return false
		}
	}
	return true
}
