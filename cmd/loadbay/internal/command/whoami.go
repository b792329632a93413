package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// identity is the caller as GET /api/me returns it.
type identity struct {
	Subject          *string  `json:"subject"`
	OrganisationID   int64    `json:"organisationId"`
	OrganisationName *string  `json:"organisationName"`
	Scopes           []string `json:"scopes"`
}

func (a *app) whoamiCommand() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "whoami", Short: "Show your identity and permissions", Args: exactUsage(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			found, err := client.Read[identity](caller.API.GetMe(c.Context()))
			if err != nil {
				return err
			}
			return a.print(found, func() *render.Table {
				t := &render.Table{Header: []string{"SUBJECT", "ORGANISATION", "ID", "SCOPES"}}
				t.Add(orDash(found.Subject), orDash(found.OrganisationName), found.OrganisationID, strings.Join(found.Scopes, " "))
				return t
			})
		},
	})
}

// orDash returns a value for a table, or "-" for nil.
func orDash[T any](value *T) any {
	if value == nil {
		return "-"
	}
	return *value
}
