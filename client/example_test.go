package client_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// TestMain skips the examples if no installation is configured: infra/tests/cli runs them
// against a stack (TestClientExamples).
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("LOADBAY_URL") == "" {
		if err := flag.Set("test.skip", "^Example"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// installation returns a client for the installation that the environment names.
func installation() *client.Client {
	c, err := client.New(os.Getenv("LOADBAY_URL"), client.WithToken(os.Getenv("LOADBAY_TOKEN")))
	if err != nil {
		panic(err)
	}
	return c
}

var membersCSV = []byte("email,name\nada@example.org,Ada Lovelace\nblaise@example.org,Blaise Pascal\nnonsense,Nobody\n")

// Import a file, wait for the result and list the rows with errors.
func ExampleClient_Import() {
	ctx, c := context.Background(), installation()
	upsert, start := api.ModeUpsert, true
	job, err := c.Import(ctx, "", api.Creation{Filename: "members.csv", ImportType: "USER", Mode: &upsert, AutoStart: &start}, bytes.NewReader(membersCSV), int64(len(membersCSV)), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	id := job.Identifier.String()
	if job, err = c.Wait(ctx, id, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.Status, job.SuccessCount, "of", job.TotalRows)
	wrong := api.OutcomeERROR
	for row, err := range client.Pages[api.RowResult](ctx, c)(c.API.ListResults(ctx, id, &api.ListResultsParams{Outcome: &wrong})) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("row", row.RowNumber, row.Faults[0].Message)
	}
	// Output:
	// COMPLETED 2 of 3
	// row 4 Email: This is not an e-mail address, such as ada@example.org.
}

// Answer the questions of an import: here, the column Mail is confirmed and Who is the name.
func ExampleClient_Decide() {
	ctx, c := context.Background(), installation()
	file := []byte("Mail,Who\ngrace@example.org,Grace Hopper\n")
	upsert, always := api.ModeUpsert, api.ReviewAlways
	job, err := c.Import(ctx, "", api.Creation{Filename: "grace.csv", ImportType: "USER", Mode: &upsert, Review: &always}, bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	job, err = c.Decide(ctx, job.Identifier.String(), func(q client.Question) client.Answer {
		if q.Column != nil && q.Column.SourceHeader == "Who" {
			return client.Answer{Column: &api.ColumnAnswer{TargetField: new("NAME")}}
		}
		return client.Answer{}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.Status, job.SuccessCount, "of", job.TotalRows)
	// Output: COMPLETED 1 of 1
}

// Write exactly the changes of a plan, and undo them.
func ExampleClient_Apply() {
	ctx, c := context.Background(), installation()
	file := []byte("email,name\nada@example.org,Ada King\n")
	upsert := api.ModeUpsert
	plan, err := c.Plan(ctx, "", api.Creation{Filename: "ada.csv", ImportType: "USER", Mode: &upsert}, bytes.NewReader(file), int64(len(file)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(client.AwaitsApproval(plan), plan.UpdatedCount)
	job, err := c.Apply(ctx, plan, api.OnStaleSkip)
	if err != nil {
		fmt.Println(err)
		return
	}
	undo, err := c.Undo(ctx, "", job.Identifier.String(), api.UndoModeSafe)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.Status, undo.Status)
	// Output:
	// true 1
	// COMPLETED COMPLETED
}

// Correct the cell of a row in error, and import the row.
func ExampleClient_Correct() {
	ctx, c := context.Background(), installation()
	file := []byte("email,name\nemmy,Emmy Noether\n")
	upsert := api.ModeUpsert
	job, err := c.Import(ctx, "", api.Creation{Filename: "emmy.csv", ImportType: "USER", Mode: &upsert, AutoStart: new(true)}, bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	id := job.Identifier.String()
	if _, err := c.Wait(ctx, id, nil); err != nil {
		fmt.Println(err)
		return
	}
	retry, err := c.Correct(ctx, "", id, map[int64]map[string]string{2: {"EMAIL": "emmy@example.org"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(retry.Status, retry.SuccessCount)
	// Output: COMPLETED 1
}

// Operations without a method of Client are called through c.API and decoded by Read.
func ExampleRead() {
	c := installation()
	types, err := client.Read[[]api.ImportType](c.API.ListImportTypes(context.Background()))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range *types {
		if t.Resource == "users" {
			fmt.Println(t.Name, t.Modes)
		}
	}
	// Output: USER [insert upsert]
}

// An API error is an *Error, with a code for programs and a message for people.
func ExampleHasCode() {
	c := installation()
	_, err := client.Read[api.ImportJob](c.API.GetImport(context.Background(), "00000000-0000-4000-8000-000000000000", nil))
	fmt.Println(client.HasCode(err, "NOT_FOUND"))
	var refused *client.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Status, refused.RequestID != "")
	}
	// Output:
	// true
	// 404 true
}

// The exported file can be imported again.
func ExampleClient_Export() {
	c := installation()
	var file bytes.Buffer
	fields := []string{"name"}
	job, err := c.Export(context.Background(), "", client.ExportRequest{ResourceType: "users", Fields: &fields}, &file, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.Status, bytes.Contains(file.Bytes(), []byte("Ada Lovelace")))
	// Output: completed true
}

// A small export arrives in the response itself, or in the stream that it redirects to.
func ExampleClient_Save() {
	ctx, c := context.Background(), installation()
	var file bytes.Buffer
	ndjson := api.ExportFormatNdjson
	n, err := c.Save(ctx, &file)(c.API.StreamBulkExport(ctx, &api.StreamBulkExportParams{Resource: "users", Format: &ndjson}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n == int64(file.Len()), bytes.Contains(file.Bytes(), []byte(`"blaise@example.org"`)))
	// Output: true true
}
