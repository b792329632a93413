package declared

import "github.com/loadbay/loadbay/shared/entity/pgtable"

// Drift is a change of a type's table since it was adopted, and what imports do about it.
type Drift struct {
	pgtable.Difference
	Reaction Reaction
}

// Drifts returns the differences between two tables with what a declaration says about them.
func Drifts(d *Declaration, adopted, now *pgtable.Table) []Drift {
	differences := pgtable.Differences(adopted, now)
	drifts := make([]Drift, len(differences))
	for i := range differences {
		drifts[i] = Drift{differences[i], reaction(d, &differences[i])}
	}
	return drifts
}

// reaction returns what imports do about a difference.
func reaction(d *Declaration, difference *pgtable.Difference) Reaction {
	o := &d.OnDrift
	configured, byDefault := o.CheckChanged, Tell
	switch difference.Category {
	case pgtable.ColumnAdded:
		configured, byDefault = o.ColumnAdded, Ignore
	case pgtable.ColumnRequired:
		configured, byDefault = o.ColumnRequired, Hold
	case pgtable.ColumnGone:
		configured, byDefault = o.ColumnGone, Hold
	case pgtable.TypeChanged:
		configured, byDefault = o.TypeChanged, Hold
	case pgtable.KeyChanged:
		configured, byDefault = o.KeyChanged, Hold
	case pgtable.CheckChanged:
	}
	if configured == "" {
		return byDefault
	}
	return configured
}
