package entity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
)

func TestUnmappedAndMissingFields(t *testing.T) {
	t.Parallel()
	d := &entity.Declaration{Fields: []entity.Field{
		{Name: "FIRST_NAME", Required: true}, {Name: "LAST_NAME", Required: true}, {Name: "EMAIL"}, {Name: "PHONE"},
	}}
	mapped := map[string]bool{"FIRST_NAME": true, "EMAIL": true}
	require.Len(t, d.UnmappedFields(mapped), 2)
	require.Equal(t, "LAST_NAME", d.UnmappedFields(mapped)[0].Name)
	require.Len(t, d.MissingFields(mapped), 1)
	require.Equal(t, "LAST_NAME", d.MissingFields(mapped)[0].Name)
	require.Empty(t, d.MissingFields(map[string]bool{"FIRST_NAME": true, "LAST_NAME": true}))
}
