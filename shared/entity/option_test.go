package entity_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	d := &entity.Declaration{Options: []entity.Option{
		entity.BoolOption("on", "On unless stated", true), entity.BoolOption("off", "Off unless stated", false), {Name: "mode", Values: []string{"a", "b"}},
	}}
	for given, want := range map[string]entity.Settings{
		`{}`:                             {"on": "true", "off": "false", "mode": "a"},
		`{"on": false, "off": "true"}`:   {"on": "false", "off": "true", "mode": "a"},
		`{"mode": "b", "sheetIndex": 3}`: {"on": "true", "off": "false", "mode": "b"},
	} {
		got, err := d.ParseSettings(json.RawMessage(given))
		require.NoError(t, err, given)
		require.Equal(t, want, got, given)
	}
	for _, given := range []string{`{"on": "perhaps"}`, `{"mode": null}`, `{"mode": ["a"]}`, `{"off": 1}`} {
		_, err := d.ParseSettings(json.RawMessage(given))
		require.Equal(t, problem.OptionInvalid, problem.CodeOf(err), given)
	}
	options := map[string]json.RawMessage{"mode": json.RawMessage(`"b"`), "sheetIndex": json.RawMessage(`3`)}
	_, err := d.ExtractSettings(options)
	require.NoError(t, err)
	require.Equal(t, map[string]json.RawMessage{"sheetIndex": json.RawMessage(`3`)}, options, "the remaining options belong to the file")
}
