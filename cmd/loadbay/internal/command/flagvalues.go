package command

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// flagValues are the completions of flags by name. Other flags are completed with files.
func (a *app) flagValues(c *cobra.Command) map[string]cobra.CompletionFunc {
	known := optionCompletions()
	maps.Copy(known, map[string]cobra.CompletionFunc{
		"context":  a.completeContexts,
		"type":     a.dynamicCompletion(typeNames),
		"profile":  a.dynamicCompletion(profilesOfType(c)),
		"retry-of": a.dynamicCompletion(importIDs),
		"format":   fixedCompletion("csv", "ndjson", "xlsx"),
		"outcome":  fixedCompletion(api.OutcomeCREATED, api.OutcomeUPDATED, api.OutcomeUNCHANGED, api.OutcomeSKIPPED, api.OutcomeERROR),
		"on-stale": fixedCompletion("skip", "abort", "overwrite"),
		"url":      cobra.NoFileCompletions,
	})
	return known
}

// importStatuses completes the statuses of imports.
func importStatuses() cobra.CompletionFunc {
	return fixedCompletion(api.StatusUPLOADED, api.StatusCOLUMNMAPPING, api.StatusCELLMAPPING, api.StatusPROCESSING, api.StatusAWAITINGAPPROVAL,
		api.StatusCOMPLETED, api.StatusFAILED, api.StatusCANCELLED)
}

// fixedCompletion completes with fixed values.
func fixedCompletion[T ~string](choices ...T) cobra.CompletionFunc {
	texts := make([]cobra.Completion, len(choices))
	for i, choice := range choices {
		texts[i] = string(choice)
	}
	return cobra.FixedCompletions(texts, cobra.ShellCompDirectiveNoFileComp)
}

// profilesOfType completes profiles, filtered by the type given to the command, if any.
func profilesOfType(c *cobra.Command) completionSource {
	return func(ctx context.Context, caller *client.Client) ([]cobra.Completion, error) {
		params := &api.ListProfilesParams{}
		if kind := c.Flags().Lookup("type"); kind != nil {
			params.ImportType = nonZero(kind.Value.String())
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
