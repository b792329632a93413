package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/shared/runtime/version"
)

// versions are the versions of the program and of the installation.
type versions struct {
	Client     string  `json:"client"`
	Server     *string `json:"server"` // null: it cannot be reached
	Compatible *bool   `json:"compatible"`
}

func (a *app) versionCommand() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "version", Short: "Show the versions of this program and of the installation", Args: exactUsage(cobra.NoArgs),
		Long: `Show the versions of this program and of the installation, with a note if they do not fit.
Before 1.0, versions fit if their first two numbers are the same; later, if the first one is.`,
		Example: `  loadbay version
  loadbay version --jq .server`,
		RunE: func(c *cobra.Command, _ []string) error {
			found := versions{Client: version.String()}
			caller, err := a.client()
			if err == nil {
				var health *api.Health
				if health, err = client.Read[api.Health](caller.API.GetHealth(c.Context(), nil)); err == nil {
					found.Server = &health.Version
					found.Compatible = compatible(found.Client, health.Version)
				}
			}
			if err != nil {
				a.notify("The version of the installation is unknown: %s", a.describeError(err))
			}
			if found.Compatible != nil && !*found.Compatible {
				a.notify("These versions do not fit. Install loadbay in the version of the installation.")
			}
			return a.print(found, func() *render.Table {
				t := &render.Table{Header: []string{"CLIENT", "SERVER"}}
				t.Add(found.Client, orDash(found.Server))
				return t
			})
		},
	})
}

// compatible reports whether two versions fit. Development versions are not compared: nil.
func compatible(ours, theirs string) *bool {
	a, known := seriesOf(ours)
	b, alsoKnown := seriesOf(theirs)
	if !known || !alsoKnown {
		return nil
	}
	return new(a == b)
}

// seriesOf returns the numbers of a version within which nothing breaks: "0.3" of v0.3.1, "2" of
// v2.0.0.
func seriesOf(text string) (string, bool) {
	numbers := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(numbers) < 3 || strings.Trim(numbers[0]+numbers[1], "0123456789") != "" {
		return "", false
	}
	if numbers[0] == "0" {
		return "0." + numbers[1], true
	}
	return numbers[0], true
}
