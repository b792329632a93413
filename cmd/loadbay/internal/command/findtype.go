package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// findType returns the type that a person names: by its name in any case, by its resource, or by the
// table of a declared type, as schema.table.
func findType(ctx context.Context, caller *client.Client, name string) (*api.ImportType, error) {
	types, err := client.Read[[]api.ImportType](caller.API.ListImportTypes(ctx))
	if err != nil {
		return nil, err
	}
	if strings.Contains(name, ".") {
		if name, err = typeOfTable(ctx, caller, name); err != nil {
			return nil, err
		}
	}
	for i, t := range *types {
		if strings.EqualFold(t.Name, name) || strings.EqualFold(t.Resource, name) {
			return &(*types)[i], nil
		}
	}
	names := &cobra.Command{} // which finds similar words
	var all []string
	for _, t := range *types {
		names.AddCommand(&cobra.Command{Use: t.Name, Run: func(*cobra.Command, []string) {}})
		all = append(all, t.Name)
	}
	if similar := similarCommands(names, name); similar != "" {
		return nil, usageError{fmt.Errorf("unknown type %q; did you mean %s?", name, similar)}
	}
	return nil, usageError{unknownType{name, all}}
}

// unknownType is the error of a name that is like that of no type in use.
type unknownType struct {
	name      string
	available []string
}

func (u unknownType) Error() string {
	return fmt.Sprintf("unknown type %q; available types: %s", u.name, strings.Join(u.available, ", "))
}

// typeOfTable returns the name of the only type for a table that is in use.
func typeOfTable(ctx context.Context, caller *client.Client, table string) (string, error) {
	declared, err := client.Read[[]api.DeclaredTypeSummary](caller.API.ListTypes(ctx))
	if err != nil {
		return "", err
	}
	var found []string
	for _, t := range *declared {
		if t.RetiredAt == nil && t.Table == table {
			found = append(found, t.Name)
		}
	}
	switch len(found) {
	case 0:
		return "", usageError{fmt.Errorf("no type imports into the table %s; to declare one, see loadbay types adopt --help", table)}
	case 1:
		return found[0], nil
	default:
		return "", usageError{fmt.Errorf("several types import into the table %s: %s", table, strings.Join(found, ", "))}
	}
}
