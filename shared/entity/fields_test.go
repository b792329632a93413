package entity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
)

func TestFreeAndMissing(t *testing.T) {
	t.Parallel()
	d := &entity.Declaration{Fields: []entity.Field{
		{Name: "FIRST_NAME", Required: true}, {Name: "LAST_NAME", Required: true}, {Name: "EMAIL"}, {Name: "PHONE"},
	}}
	mapped := map[string]bool{"FIRST_NAME": true, "EMAIL": true}
	require.Len(t, d.Free(mapped), 2)
	require.Equal(t, "LAST_NAME", d.Free(mapped)[0].Name)
	require.Len(t, d.Missing(mapped), 1)
	require.Equal(t, "LAST_NAME", d.Missing(mapped)[0].Name)
	require.Empty(t, d.Missing(map[string]bool{"FIRST_NAME": true, "LAST_NAME": true}))
}
