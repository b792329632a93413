package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/filecheck"
	"github.com/loadbay/loadbay/shared/sheet"
)

// requireType returns the error of a command without --type, with the type that the first file most
// likely has. The type is never chosen by itself.
func (a *app) requireType(ctx context.Context, f *importFlags, paths []string) error {
	if f.kind != "" {
		return nil
	}
	missing := usageError{errors.New("set the import type with --type (see loadbay types)")}
	caller, err := a.client()
	if err != nil || len(paths) == 0 || isURL(paths[0]) {
		return missing
	}
	guess, err := guessType(ctx, caller, paths[0])
	if err != nil || guess.Best == nil {
		return missing // another file may be readable, and the server may be an older one
	}
	for _, t := range guess.Types {
		if t.ImportType == *guess.Best {
			return usageError{fmt.Errorf("set the import type with --type; %s looks like --type %s (%d of %d columns match)", paths[0], t.ImportType, t.Matched, t.Columns)}
		}
	}
	return missing
}

// guessType asks the installation for the type of a file. Only regular files are read: standard input
// could not be read again.
func guessType(ctx context.Context, caller *client.Client, path string) (*api.TypeGuess, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	header, rows, err := filecheck.Beginning(ctx, filecheck.Input{Source: sizedFile{file, info.Size()}, Name: path, Limits: sheet.DefaultLimits()})
	if err != nil {
		return nil, err
	}
	return client.Read[api.TypeGuess](caller.API.GuessImportType(ctx, api.GuessImportTypeJSONRequestBody{Headers: header, Rows: &rows}))
}
