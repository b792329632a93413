package objectstore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/objectstore"
)

// S3's events name an account or a service, its notifications a principal.
func TestCreatedEventNamesRequester(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ detail, want string }{
		"account":                               {`"requester":"123456789012"`, "123456789012"},
		"principal and account":                 {`"requester":"123456789012","userIdentity":{"principalId":"AWS:AIDA1:mallory"}`, "AWS:AIDA1:mallory"},
		"nobody":                                {`"reason":"PutObject"`, ""},
		"a name that is too long":               {`"requester":"` + strings.Repeat("x", 3000) + `"`, ""},
		"a name that the database cannot store": {`"requester":"a\u0000b"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			created, err := objectstore.ParseCreated([]byte(`{"object":{"key":"drop/1/USER/-/u.csv","size":3},` + c.detail + `}`))
			require.NoError(t, err)
			require.Equal(t, c.want, created.Requester)
			require.Equal(t, "drop/1/USER/-/u.csv", created.Key)
		})
	}
}
