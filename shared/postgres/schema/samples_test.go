package schema_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// Samples are left out at the first installation only, and added at any time.
func TestSamplesAreNeverDropped(t *testing.T) {
	t.Parallel()
	server, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	for database, c := range map[string]struct {
		choices []schema.Samples
		want    []bool
	}{
		"usual":    {[]schema.Samples{"", schema.SamplesOff}, []bool{true, true}},
		"left_out": {[]schema.Samples{schema.SamplesOff, "", schema.SamplesOff}, []bool{false, false, false}},
		"added":    {[]schema.Samples{schema.SamplesOff, schema.SamplesOn, schema.SamplesOff}, []bool{false, true, true}},
	} {
		admin := connect(t, server.AdminURL(""))
		_, err := admin.Exec(t.Context(), `CREATE DATABASE `+database)
		require.NoError(t, err)
		in := connect(t, server.AdminURL(database)).Config()
		for i, choice := range c.choices {
			_, err := schema.Migrate(t.Context(), in, schema.Roles(schema.Passwords{}))
			require.NoError(t, err)
			installed, err := schema.ChooseSamples(t.Context(), in, choice)
			require.NoError(t, err)
			require.Equal(t, c.want[i], installed, "%s, run %d", database, i)
		}
	}
	var s schema.Samples
	require.ErrorContains(t, s.UnmarshalText([]byte("no")), `"no" is neither on nor off`)
}
