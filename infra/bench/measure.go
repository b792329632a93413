package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// importFile imports the file and returns its job and the times of its stages since the end of
// the upload. It fails if the outcomes differ from the expected ones. The cost of polling is
// negligible.
func (b *bench) importFile(ctx context.Context, subj benchTable, path string, s step) (id string, took stages, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", stages{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", stages{}, err
	}
	j, err := b.api.Upload(ctx, rawclient.CreateRequest{
		ImportType: subj.kind, Filename: filepath.Base(path), SizeBytes: info.Size(), Mode: s.mode, AutoStart: true,
	}, f)
	if err != nil {
		return "", stages{}, err
	}
	accepted := time.Now()
	j, err = b.api.Wait(ctx, j.Identifier, pollEvery, nil, (*rawclient.Job).Ended)
	if err != nil {
		return "", stages{}, err
	}
	got, err := b.api.Summary(ctx, j.Identifier)
	if err != nil {
		return "", stages{}, err
	}
	if got != s.want || j.Status != "COMPLETED" || j.CompletedAt == nil {
		return "", stages{}, fmt.Errorf("import %s is %s with %+v; expected COMPLETED with %+v", j.Identifier, j.Status, got, s.want)
	}
	// The database and the programs run on one machine and share its clock.
	took, err = b.readStages(ctx, j.Identifier, accepted, *j.CompletedAt)
	return j.Identifier, took, err
}
