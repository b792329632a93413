package command

import (
	"encoding/json"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/client/api"
)

// parseImport returns the request of loadbay import with these flags.
func parseImport(t *testing.T, flags ...string) (api.Creation, error) {
	t.Helper()
	var f importFlags
	c := &cobra.Command{Use: "import"}
	f.register(c)
	if err := c.ParseFlags(flags); err != nil {
		return api.Creation{}, err
	}
	return f.createRequest("users.csv", "")
}

func TestFlagsSetDeclaredOptions(t *testing.T) {
	t.Parallel()
	creation, err := parseImport(t, "--type", "USER", "--strict", "--dry-run=false", "--max-errors", "2.5%", "--notify", "ada@example.org, ben@example.org",
		"--guards", `{"created":100}`, "--label", "", "--mode", "upsert", "--profile", "Shop")
	require.NoError(t, err)
	text, err := json.Marshal(creation)
	require.NoError(t, err)
	require.JSONEq(t, `{"filename": "users.csv", "importType": "USER", "sha256": "", "sizeBytes": 0, "strict": true, "dryRun": false, "maxErrors": "2.5%",
		"notify": ["ada@example.org", "ben@example.org"], "guards": {"created": 100}, "mode": "upsert", "profile": "Shop"}`, string(text))
	for _, wrong := range []string{"--strict=perhaps", "--guards=many"} {
		_, err := parseImport(t, wrong)
		require.Error(t, err, wrong)
	}
}

// TestFetchRequestKeepsOptions: the request for a URL has all options of the flags; one that it
// cannot have is an error and is not dropped.
func TestFetchRequestKeepsOptions(t *testing.T) {
	t.Parallel()
	creation, err := parseImport(t, "--strict", "--max-errors", "100", "--dry-run", "--yes", "--context-id", "7")
	require.NoError(t, err)
	body, err := fetchRequest("https://example.org/users.csv", "users", &creation)
	require.NoError(t, err)
	text, err := json.Marshal(body)
	require.NoError(t, err)
	require.JSONEq(t, `{"url": "https://example.org/users.csv", "resource_type": "users", "strict": true, "max_errors": "100", "dry_run": true, "context_id": 7}`, string(text))

	creation, err = parseImport(t, "--retry-of", "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4")
	require.NoError(t, err)
	_, err = fetchRequest("https://example.org/users.csv", "users", &creation)
	require.ErrorContains(t, err, "retryOf cannot be used with a URL")
}
