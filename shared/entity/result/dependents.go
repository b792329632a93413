package result

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/points"
)

// ComputedColumns returns the columns with positions and points. The calculator and the origin of a
// position are not computed: an import that changes them has scored the category in another way.
func (*Type) ComputedColumns() []string { return []string{"position", "points"} }

// lockedCategories are categories with changed results.
type lockedCategories []lockedCategory

type lockedCategory struct {
	event, id int64
	name      string
	before    standings // when they were locked
}

// LockDependents locks the categories of the changed results.
func (*Type) LockDependents(ctx context.Context, tx pgx.Tx, changed []entity.ChangedEntity) (entity.Dependents, error) {
	var ids, categories []int64
	for _, c := range changed {
		if c.Table != declaration.Export.Table {
			continue
		}
		id, err := strconv.ParseInt(c.ID, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("id of a result: %w", err)
		}
		ids = append(ids, id)
		if text, ok := c.Value("category_id"); ok {
			category, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("category of a result: %w", err)
			}
			categories = append(categories, category)
		}
	}
	slices.Sort(categories)
	rows, err := tx.Query(ctx, `
		SELECT c.event_id, c.id, c.name
		FROM event_categories AS c
		WHERE c.organisation_id = current_organisation() AND c.id IN (
			SELECT unnest($1::int8[])
			UNION
			SELECT r.category_id
			FROM unnest($2::int8[]) AS v(id)
			CROSS JOIN LATERAL (SELECT * FROM results AS r WHERE r.organisation_id = current_organisation() AND r.id = v.id LIMIT 1) AS r
		)
		ORDER BY c.id`, slices.Compact(categories), ids)
	if err != nil {
		return nil, fmt.Errorf("find categories of results: %w", err)
	}
	var found lockedCategories
	var c lockedCategory
	if _, err := pgx.ForEachRow(rows, []any{&c.event, &c.id, &c.name}, func() error { found = append(found, c); return nil }); err != nil {
		return nil, fmt.Errorf("find categories of results: %w", err)
	}
	for i := range found {
		c := &found[i]
		if c.before, err = lockCategory(ctx, tx, c.event, c.id); err != nil {
			return nil, fmt.Errorf("load results of category %d: %w", c.id, err)
		}
	}
	return found, nil
}

// Verify reports whether the positions and points of the categories match their times, and whether
// the categories of a plan have as many results as planned.
func (l lockedCategories) Verify(ctx context.Context, tx pgx.Tx, planned json.RawMessage) (bool, error) {
	var plan struct{ Categories []categoryCounts }
	if len(planned) > 0 {
		if err := json.Unmarshal(planned, &plan); err != nil {
			return false, fmt.Errorf("read result of the plan: %w", err)
		}
	}
	for _, c := range l {
		now, computed, err := c.compute(ctx, tx)
		if err != nil {
			return false, err
		}
		i := slices.IndexFunc(plan.Categories, func(p categoryCounts) bool { return p.Name == c.name })
		if !maps.Equal(now, computed) || i >= 0 && plan.Categories[i].Results != len(now) {
			return false, nil
		}
	}
	return true, nil
}

// Recompute computes the positions and points of the categories.
func (l lockedCategories) Recompute(ctx context.Context, tx pgx.Tx, b *entity.Batch) error {
	for _, c := range l {
		now, computed, err := c.compute(ctx, tx)
		if err != nil {
			return err
		}
		d := newDifference()
		for _, sequence := range computed.sequences() {
			if computed[sequence] != now[sequence] {
				d.put(c.id, sequence, 0, computed[sequence])
			}
		}
		of := *b
		of.Context = c.event
		if err := d.save(ctx, tx, &of); err != nil {
			return err
		}
	}
	return nil
}

// compute returns the results of the category, as they are and with the positions and points that
// they should have.
func (c *lockedCategory) compute(ctx context.Context, tx pgx.Tx) (now, computed standings, err error) {
	if now, err = lockCategory(ctx, tx, c.event, c.id); err != nil {
		return nil, nil, fmt.Errorf("load results of category %d: %w", c.id, err)
	}
	by, err := newScoring(ctx, tx, nil, map[int64]standings{c.id: now})
	if err != nil {
		return nil, nil, err
	}
	computed = maps.Clone(now)
	computed.rank()
	calculator := by.calculator(now)
	if calculator == nil {
		calculator = by.known[now.mainCalculator()]
	}
	if calculator != nil || !sameRaces(c.before, computed) {
		computed.award(cmp.Or(calculator, &points.Calculator{Code: points.None}))
	}
	return now, computed, nil
}

// mainCalculator returns the code of the calculator of most points.
func (s standings) mainCalculator() string {
	counts := make(map[string]int)
	for _, r := range s {
		if r.points != "" {
			counts[r.calculator]++
		}
	}
	return slices.MaxFunc(append(slices.Sorted(maps.Keys(counts)), ""), func(a, b string) int { return cmp.Compare(counts[a], counts[b]) })
}
