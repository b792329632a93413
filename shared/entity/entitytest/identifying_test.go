package entitytest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/transform"
)

// Keys that are not numbers or codes: one-word names are common, and "-" stands for a missing one.
var nameKeys = map[string]bool{"FIRST_NAME": true, "LAST_NAME": true}

// A placeholder such as "N/A" in the key of one row must not make it the entity of another row.
func TestTextKeysAreIdentifying(t *testing.T) {
	t.Parallel()
	forEachType(t, func(t *testing.T, of entity.Type) {
		keyed, ok := of.(entity.Keyed)
		if !ok {
			return
		}
		d := of.Declaration()
		keys := keyed.KeyFields()
		if len(keys) == len(d.Fields) {
			return // the row as a whole is the key
		}
		for _, name := range keys {
			f := d.Fields[d.FieldIndex(name)]
			if f.Kind == entity.Text || f.Kind == entity.Email || f.Kind == entity.UUID {
				require.True(t, f.Identifying || nameKeys[name], "%s identifies entities: declare it as Identifying", name)
			}
		}
	})
}

func TestAllowedPlaceholdersAreInNormalForm(t *testing.T) {
	t.Parallel()
	forEachType(t, func(t *testing.T, of entity.Type) {
		d := of.Declaration()
		for i := range d.Fields {
			f := &d.Fields[i]
			require.True(t, f.Identifying || f.AllowedPlaceholders == nil && f.WithoutValue == "", f.Name)
			for _, text := range f.AllowedPlaceholders {
				require.True(t, entity.IsPlaceholder([]byte(text)), "%s allows %q, which is no placeholder", f.Name, text)
				require.False(t, f.IsPlaceholder([]byte(text)), "%s allows %q, which is not in lower case without punctuation", f.Name, text)
			}
		}
	})
}

// A unit is needed to notice that a column is in another one.
func TestUnitsAreKnown(t *testing.T) {
	t.Parallel()
	forEachType(t, func(t *testing.T, of entity.Type) {
		d := of.Declaration()
		for i := range d.Fields {
			f := &d.Fields[i]
			if f.Unit == "" {
				require.NotRegexp(t, "(?i)weight|mass|length|height|width|distance|duration", f.Name, "declare the unit of %s", f.Name)
				continue
			}
			require.Equal(t, entity.Decimal, f.Kind, f.Name)
			_, known := transform.NewFactor(f.Unit, f.Unit)
			require.True(t, known, "%s has an unknown unit", f.Name)
		}
	})
}
