package declared_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

func TestDriftHasTheReactionOfTheDeclaration(t *testing.T) {
	t.Parallel()
	adopted := &pgtable.Table{Kind: pgtable.TableKind, Columns: []pgtable.Column{{Name: "a", Type: "text"}, {Name: "b", Type: "text", Number: 2}}}
	now := &pgtable.Table{Kind: pgtable.TableKind, Columns: []pgtable.Column{{Name: "a", Type: "integer"}, {Name: "c", Type: "text", Number: 3}}}
	d := &declared.Declaration{OnDrift: declared.OnDrift{TypeChanged: declared.Tell}}
	drifts := declared.Drifts(d, adopted, now)
	require.Len(t, drifts, 3)
	require.Equal(t, declared.Tell, drifts[0].Reaction)
	require.Equal(t, pgtable.ColumnGone, drifts[1].Category)
	require.Equal(t, declared.Hold, drifts[1].Reaction)
	require.Equal(t, declared.Ignore, drifts[2].Reaction)
}
