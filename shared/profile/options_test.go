package profile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

func TestFileOptionsOverrideProfile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ mapping, stated, want string }{
		"both":                    {`{"source":{"delimiter":";","headerRow":3}}`, `{"headerRow":1,"eventCode":"x"}`, `{"delimiter":";","headerRow":1,"eventCode":"x"}`},
		"profile without options": {`{}`, `{"headerRow":1}`, `{"headerRow":1}`},
		"file without options":    {`{"source":{"sheetName":"Data"}}`, ``, `{"sheetName":"Data"}`},
		"sheet by index":          {`{"source":{"sheetName":"Data","headerRow":2}}`, `{"sheetIndex":0}`, `{"sheetIndex":0,"headerRow":2}`},
		"sheet by name":           {`{"source":{"sheetIndex":2}}`, `{"sheetName":"Data"}`, `{"sheetName":"Data"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := profile.Version{Mapping: []byte(c.mapping)}
			got, err := v.Options([]byte(c.stated))
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got))
		})
	}
	v := profile.Version{Mapping: []byte(`{"source":{"delimiter":";"}}`)}
	_, err := v.Options([]byte(`{"quote":";"}`))
	require.Equal(t, problem.OptionInvalid, problem.CodeOf(err), "the file's quote conflicts with the profile's delimiter")
}
