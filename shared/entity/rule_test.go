package entity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
)

func TestRulesReferToDeclaredFields(t *testing.T) {
	t.Parallel()
	rules := 0
	for _, of := range catalog.New().Types() {
		d := of.Declaration()
		for _, r := range d.Rules {
			rules++
			require.GreaterOrEqual(t, len(r.Fields), 2, d.Name)
			for _, name := range append([]string{r.Field}, r.Fields...) {
				require.NotEqual(t, -1, d.FieldIndex(name), "%s: %s", d.Name, name)
			}
		}
	}
	require.GreaterOrEqual(t, rules, 3)
}
