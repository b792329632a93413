package rows

import (
	"fmt"
	"math/big"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// bounds are the minimum and maximum of a numeric field; nil means no limit. The comparison is
// exact, because limits may concern money.
type bounds struct {
	kind     entity.Kind // Integer or Decimal
	min, max *big.Rat
}

func newBounds(f *entity.Field) (*bounds, error) {
	b := &bounds{kind: f.Kind}
	for _, end := range []struct {
		text  string
		bound **big.Rat
	}{{f.Min, &b.min}, {f.Max, &b.max}} {
		if end.text == "" {
			continue
		}
		n, ok := new(big.Rat).SetString(end.text)
		if !ok {
			return nil, fmt.Errorf("field %s: bound %q is not a number", f.Name, end.text)
		}
		*end.bound = n
	}
	return b, nil
}

// check reports whether the value that was appended last is within the bounds.
func (b *bounds) check(column *entity.Column) problem.Code {
	n, last := new(big.Rat), column.Len()-1
	if b.kind == entity.Integer {
		v, _ := column.Int64(last)
		n.SetInt64(v)
	} else if _, ok := n.SetString(column.String(last)); !ok {
		return problem.CellNumber
	}
	switch {
	case b.min != nil && n.Cmp(b.min) < 0:
		return problem.CellTooSmall
	case b.max != nil && n.Cmp(b.max) > 0:
		return problem.CellTooLarge
	}
	return ""
}
