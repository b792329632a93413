package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// rosterCSV is a roster that needs decisions by a person: it has an unknown column, and two
// values that match no membership type.
const rosterCSV = `First name,Last name,Email,Membership type,Favourite colour
Olga,Petrova,olga@example.org,Senior,red
Paul,Quist,paul@example.org,Veterans,blue
Rosa,Salas,rosa@example.org,Visitor,green
Sam,Tembo,sam@example.org,Veterans,red
`

// confirmMappings confirms the mappings of an import over HTTP, as a person would.
func (d *demo) confirmMappings(ctx context.Context) error {
	fmt.Fprintln(d.out, "\n── MEMBERSHIP, interactive: an unknown column and two unknown values")
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	id, err := d.uploadRoster(ctx, rosterCSV, "")
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context, string) error{d.confirmColumns, d.confirmCells} {
		if err := step(ctx, id); err != nil {
			return err
		}
	}
	if err := d.finishRoster(ctx, id); err != nil {
		return err
	}
	profile, err := d.saveProfile(ctx, id)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "   the decisions are saved as the profile %q: files that use it need no decisions\n", profile)
	if id, err = d.uploadRoster(ctx, strings.ReplaceAll(rosterCSV, "@example.org", "@example.com"), profile); err != nil {
		return err
	}
	return d.finishRoster(ctx, id)
}

// saveProfile saves the mappings of an import as a profile, and returns its name.
func (d *demo) saveProfile(ctx context.Context, id string) (string, error) {
	name := "Roster " + id
	body, err := json.Marshal(map[string]any{"name": name, "fromImport": id})
	if err != nil {
		return "", err
	}
	return name, d.api.Do(ctx, http.MethodPost, "/api/profiles", "application/json", bytes.NewReader(body), nil)
}

// finishRoster shows the result of a roster after its mappings have been confirmed.
func (d *demo) finishRoster(ctx context.Context, id string) error {
	j, err := d.waitForStatus(ctx, id, "COMPLETED")
	if err != nil {
		return err
	}
	if err := d.checkOutcome(ctx, j, rawclient.Summary{Created: 3, Skipped: 1}); err != nil {
		return err
	}
	return d.printHistory(ctx, id)
}

// uploadRoster creates an interactive import, with a profile if one is named.
func (d *demo) uploadRoster(ctx context.Context, file, profile string) (string, error) {
	period := int64(1)
	j, err := d.api.Upload(ctx, rawclient.CreateRequest{
		ImportType: "MEMBERSHIP", ContextID: &period, Filename: "roster.csv", SizeBytes: int64(len(file)), Profile: profile,
	}, strings.NewReader(file))
	if err != nil {
		return "", fmt.Errorf("import roster: %w", err)
	}
	return j.Identifier, nil
}

// waitForStatus waits for a status and prints it.
func (d *demo) waitForStatus(ctx context.Context, id, status string) (*rawclient.Job, error) {
	j, err := d.api.Wait(ctx, id, 20*time.Millisecond, nil, func(j *rawclient.Job) bool { return j.Status == status || j.Ended() })
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(d.out, "   import %s is %s\n", id, j.Status)
	if j.Status != status {
		return nil, fmt.Errorf("import %s is %s; expected %s", id, j.Status, status)
	}
	return j, nil
}

// mapping is the API's question about a column or a value.
type mapping struct {
	ID           int64  `json:"id"`
	SourceHeader string `json:"sourceHeader"`
	SourceValue  string `json:"sourceValue"`
	Status       string `json:"status"`
	RowCount     int64  `json:"rowCount"`
}

// confirmColumns ignores the unknown column.
func (d *demo) confirmColumns(ctx context.Context, id string) error {
	if _, err := d.waitForStatus(ctx, id, "COLUMN_MAPPING"); err != nil {
		return err
	}
	open, err := d.openMappings(ctx, id, "column-mappings", 1)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "   asks about the column %q; it is ignored\n", open[0].SourceHeader)
	return d.confirm(ctx, id, "column-mappings", []map[string]any{{"id": open[0].ID, "ignore": true}})
}

// confirmCells matches veterans to masters, and ignores visitors.
func (d *demo) confirmCells(ctx context.Context, id string) error {
	if _, err := d.waitForStatus(ctx, id, "CELL_MAPPING"); err != nil {
		return err
	}
	open, err := d.openMappings(ctx, id, "cell-mappings", 2)
	if err != nil {
		return err
	}
	var candidates []struct {
		ID          int64  `json:"id"`
		DisplayName string `json:"displayName"`
	}
	if err := d.api.Get(ctx, "/api/imports/"+id+"/cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID", &candidates); err != nil {
		return err
	}
	masters := int64(0)
	for _, c := range candidates {
		if c.DisplayName == "Masters" {
			masters = c.ID
		}
	}
	var decisions []map[string]any
	for _, m := range open {
		document := map[string]any{"id": m.ID, "ignore": true}
		words := "its rows are skipped"
		if m.SourceValue == "Veterans" {
			document, words = map[string]any{"id": m.ID, "targetEntityId": masters}, "matched to Masters"
		}
		fmt.Fprintf(d.out, "   asks about the value %q in %d rows; %s\n", m.SourceValue, m.RowCount, words)
		decisions = append(decisions, document)
	}
	return d.confirm(ctx, id, "cell-mappings", decisions)
}

// openMappings returns the unresolved mappings once their number is as expected: values are
// looked up after the columns have been confirmed.
func (d *demo) openMappings(ctx context.Context, id, kind string, expected int) ([]mapping, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var all, open []mapping
		if err := d.api.Get(ctx, "/api/imports/"+id+"/"+kind, &all); err != nil {
			return nil, err
		}
		for _, m := range all {
			if m.Status == "UNRESOLVED" {
				open = append(open, m)
			}
		}
		if len(open) == expected {
			return open, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("import %s asks about %d %s; expected %d", id, len(open), kind, expected)
		case <-tick.C:
		}
	}
}

// confirm sends decisions and confirms them.
func (d *demo) confirm(ctx context.Context, id, kind string, decisions []map[string]any) error {
	body, err := json.Marshal(decisions)
	if err != nil {
		return err
	}
	path := "/api/imports/" + id + "/" + kind
	if err := d.api.Do(ctx, http.MethodPut, path, "application/json", bytes.NewReader(body), nil); err != nil {
		return fmt.Errorf("confirm %s: %w", kind, err)
	}
	return d.api.Do(ctx, http.MethodPost, path+"/confirm", "", nil, nil)
}
