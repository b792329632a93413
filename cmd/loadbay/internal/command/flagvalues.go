package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// flagValues are what flags can be, by their names. Flags that are not here are completed
// with files.
func (a *app) flagValues(c *cobra.Command) map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"context":  a.completeContexts,
		"type":     a.live(typeNames),
		"profile":  a.live(profilesOfType(c)),
		"retry-of": a.live(importIDs),
		"mode":     oneOf("insert", "upsert"),
		"format":   oneOf("csv", "ndjson", "xlsx"),
		"review":   oneOf(api.ReviewAlways, api.ReviewUnsure, api.ReviewNever),
		"outcome":  oneOf(api.OutcomeCREATED, api.OutcomeUPDATED, api.OutcomeUNCHANGED, api.OutcomeSKIPPED, api.OutcomeERROR),
		"on-stale": oneOf("skip", "abort", "overwrite"),
		"url":      cobra.NoFileCompletions,
	}
}

// importStatuses are those of imports.
func importStatuses() cobra.CompletionFunc {
	return oneOf(api.StatusUPLOADED, api.StatusCOLUMNMAPPING, api.StatusCELLMAPPING, api.StatusPROCESSING, api.StatusAWAITINGAPPROVAL,
		api.StatusCOMPLETED, api.StatusFAILED, api.StatusCANCELLED)
}

// oneOf completes with fixed values.
func oneOf[T ~string](choices ...T) cobra.CompletionFunc {
	texts := make([]cobra.Completion, len(choices))
	for i, choice := range choices {
		texts[i] = string(choice)
	}
	return cobra.FixedCompletions(texts, cobra.ShellCompDirectiveNoFileComp)
}

// profilesOfType are the profiles, as completions: those of the type that a command has
// been given, if it has.
func profilesOfType(c *cobra.Command) values {
	return func(ctx context.Context, caller *client.Client) ([]cobra.Completion, error) {
		params := &api.ListProfilesParams{}
		if kind := c.Flags().Lookup("type"); kind != nil {
			params.ImportType = orNil(kind.Value.String())
		}
		profiles, err := client.Read[[]api.ProfileSummary](caller.API.ListProfiles(ctx, params))
		if err != nil {
			return nil, err
		}
		names := make([]cobra.Completion, 0, len(*profiles))
		for i := range *profiles {
			p := &(*profiles)[i]
			names = append(names, cobra.CompletionWithDesc(p.Name, p.ImportType))
		}
		return names, nil
	}
}
