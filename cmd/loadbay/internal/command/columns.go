package command

import (
	"context"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// readMappingOf returns the answers of an import as a mapping.
func readMappingOf(ctx context.Context, caller *client.Client, id string) (*api.Mapping, error) {
	return client.Read[api.Mapping](caller.API.GetMapping(ctx, id))
}

// printColumns prints the field of each column of an import, as its questions show them.
func (a *app) printColumns(ctx context.Context, caller *client.Client, given []string) error {
	job, err := client.Read[api.ImportJob](caller.API.GetImport(ctx, given[0], nil))
	if err != nil {
		return err
	}
	fields, err := loadFields(ctx, caller, job.ImportType)
	if err != nil {
		return err
	}
	r := &columnReview{app: a, caller: caller, id: given[0], fields: fields}
	if err := r.load(ctx); err != nil {
		return err
	}
	return a.print(r.columns, func() *render.Table { return r.table() })
}
