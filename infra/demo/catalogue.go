package demo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// importCatalogue imports and exports every type that the API offers.
func (d *demo) importCatalogue(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var offered []struct{ Name string }
	if err := d.api.Get(ctx, "/api/import-types", &offered); err != nil {
		return err
	}
	all := sampleFiles()
	for _, t := range offered {
		if !slices.ContainsFunc(all, func(s sampleFile) bool { return s.importType == t.Name }) {
			return fmt.Errorf("no sample file of %s", t.Name)
		}
	}
	for _, s := range all {
		if err := d.roundTrip(ctx, s); err != nil {
			return fmt.Errorf("%s: %s: %w", s.importType, s.name, err)
		}
	}
	return nil
}

// roundTrip imports a sample file, exports its type, imports the export, and exports again: every
// row is unchanged.
func (d *demo) roundTrip(ctx context.Context, s sampleFile) error {
	fmt.Fprintf(d.out, "\n── %s: %s: %s %s\n", s.importType, s.name, s.method, s.path)
	id, err := d.importSample(ctx, s)
	if err != nil {
		return err
	}
	if err := d.checkResult(ctx, s.resultPath+id, s.wantResult); err != nil {
		return err
	}
	file, err := d.exportRecords(ctx, s)
	if err != nil {
		return err
	}
	again := s.fromExport(file)
	fmt.Fprintf(d.out, "   reimport of the export of %s: %s %s\n", s.importType, again.method, again.path)
	if _, err := d.importSample(ctx, again); err != nil {
		return err
	}
	after, err := d.exportRecords(ctx, s)
	if err == nil && !bytes.Equal(file, after) {
		err = errors.New("the export differs after it was imported again")
	}
	return err
}

// exportRecords exports the records of a sample's type to a file.
func (d *demo) exportRecords(ctx context.Context, s sampleFile) ([]byte, error) {
	records, file, err := d.api.Stream(ctx, s.resource, s.format)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	fmt.Fprintf(d.out, "   the export of %s: GET /v1/exports?resource=%s&format=%s: %d records, %d bytes\n", s.importType, s.resource, s.format, records, len(file))
	if records != s.records {
		return nil, fmt.Errorf("the export has %d records; expected %d", records, s.records)
	}
	if !bytes.Contains(file, []byte(s.wantText)) {
		return nil, fmt.Errorf("the export does not contain %s", s.wantText)
	}
	return file, nil
}

// importSample imports a sample file, shows the outcome of its rows, and returns the import's id
// at its endpoint.
func (d *demo) importSample(ctx context.Context, s sampleFile) (string, error) {
	var accepted struct {
		Identifier    string // id of a job
		JobID         string `json:"job_id"` // the same in /v1
		JobIdentifier string // id of a batch's job, which also has a
		BatchID       string // batch number
	}
	if err := d.api.PostForm(ctx, s.method, s.path, s.name, s.file, s.fields, &accepted); err != nil {
		return "", err
	}
	id := cmp.Or(accepted.Identifier, accepted.JobID, accepted.JobIdentifier)
	j, err := d.api.Wait(ctx, id, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	if err != nil {
		return "", err
	}
	return cmp.Or(accepted.BatchID, id), d.checkOutcome(ctx, j, s.want)
}

// checkResult shows the result as the type's endpoint returns it, limited to the expected
// members.
func (d *demo) checkResult(ctx context.Context, path, expected string) error {
	var got, want any
	if err := json.Unmarshal([]byte(expected), &want); err != nil {
		return fmt.Errorf("expected result: %w", err)
	}
	if err := d.api.Get(ctx, path, &got); err != nil {
		return err
	}
	document := pickExpected(got, want)
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "   GET %s\n       %s\n", path, text)
	if !reflect.DeepEqual(document, want) {
		return fmt.Errorf("the result is not the expected %s", expected)
	}
	return nil
}

// pickExpected removes the members of got that want does not have, so that both are equal if the
// result is as expected.
func pickExpected(got, want any) any {
	switch want := want.(type) {
	case map[string]any:
		members, ok := got.(map[string]any)
		if !ok {
			return got
		}
		part := make(map[string]any, len(want))
		for name, expected := range want {
			if member, ok := members[name]; ok {
				part[name] = pickExpected(member, expected)
			}
		}
		return part
	case []any:
		elements, ok := got.([]any)
		if !ok || len(elements) != len(want) {
			return got
		}
		part := make([]any, len(want))
		for i := range want {
			part[i] = pickExpected(elements[i], want[i])
		}
		return part
	default:
		return got
	}
}
