package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// outputs are examples of what commands print with --json, by the beginning of their names. The
// first one that fits counts.
func outputs() []struct {
	names string
	value any
} {
	return []struct {
		names string
		value any
	}{
		{"imports list,profiles imports", api.ImportSummary{}},
		{"imports columns", api.ColumnMapping{}},
		{"import,imports,plan,apply,undo,retry", api.ImportJob{}},
		{"errors,results", api.RowResult{}},
		{"rows", api.RowCells{}},
		{"correct", api.Corrected{}},
		{"changes", api.Change{}},
		{"history", api.EntityHistory{}},
		{"check", api.RowResult{}},
		{"types diff", difference{}},
		{"types list,types versions", api.DeclaredTypeSummary{}},
		{"types", api.ImportType{}},
		{"contexts", referenceEntry{}},
		{"installation,context", installationEntry{}},
		{"whoami", identity{}},
		{"version", versions{}},
		{"exports", api.Export{}},
		{"profiles list", api.ProfileSummary{}},
		{"profiles versions", api.ProfileVersion{}},
		{"profiles", api.Profile{}},
		{"webhooks deliveries,webhooks redeliver,webhooks test", api.WebhookDelivery{}},
		{"webhooks", api.Webhook{}},
		{"listen", webhookMessage{}},
		{"keys", api.APIKey{}},
		{"quarantine", api.Quarantined{}},
		{"settings quotas", api.Quotas{}},
		{"settings", api.Settings{}},
		{"admin organisations erase", api.Erasure{}},
		{"admin organisations categories,admin organisations events,admin organisations membership-types,admin organisations periods", referenceEntry{}},
		{"admin organisations", api.Organisation{}},
		{"admin tables", api.TableGrant{}},
		{"organisation export", api.Export{}},
		{"organisation", api.OrganisationDeletion{}},
	}
}

// outputFields returns the fields that --json of a command can select; nil if it prints no object
// with fixed fields.
func outputFields(c *cobra.Command) []string {
	path := strings.TrimPrefix(c.CommandPath(), "loadbay ")
	for _, output := range outputs() {
		for name := range strings.SplitSeq(output.names, ",") {
			if path == name || strings.HasPrefix(path, name+" ") {
				return render.FieldNames(output.value)
			}
		}
	}
	return nil
}

// completeOutputFields completes --json with the fields that follow those already typed.
func completeOutputFields(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	found := []cobra.Completion{before + "all"}
	if before != "" {
		found = nil
	}
	for _, field := range outputFields(c) {
		if !strings.Contains(","+before, ","+field+",") {
			found = append(found, before+field)
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
