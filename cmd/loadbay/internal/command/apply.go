package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// applyCommand is both loadbay apply and loadbay imports apply.
func (a *app) applyCommand() *cobra.Command {
	var digest, onStale string
	c := a.formatted(&cobra.Command{
		Use: "apply ID", Short: "Write what a plan has shown", Args: args(cobra.ExactArgs(1)), ValidArgsFunction: a.completions(importIDs),
		RunE: func(c *cobra.Command, given []string) error {
			if digest == "" {
				return usage{errors.New("say which changes you have seen with --digest: that of the plan, as imports show has it")}
			}
			caller, err := a.client()
			if err != nil {
				return err
			}
			said := api.Application{Digest: digest, OnStale: orNil(api.OnStale(onStale))}
			if _, err := client.Read[api.ImportJob](caller.API.ApplyPlan(c.Context(), given[0], said)); err != nil {
				return err
			}
			return a.follow(c.Context(), caller, given[0])
		},
	})
	c.Flags().StringVar(&digest, "digest", "", "of the plan that was looked at")
	c.Flags().StringVar(&onStale, "on-stale", "", "what becomes of rows whose entities have changed since: skip, abort or overwrite")
	return c
}
