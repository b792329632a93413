// Package client is the Go client of Loadbay.
//
// Package api contains the types and a method for every operation. It is generated from the
// OpenAPI description, and Client.API exposes it. Client itself has methods for work that takes
// more than one request: sending a file of any size, waiting for an import, deciding about its
// questions, planning, applying, undoing and correcting it, requesting an export and saving it. Pages
// iterates over a list to its end; Read and Do turn the response of any other operation into values
// and errors:
//
//	c, err := client.New("https://loadbay.example.org", client.WithToken(token))
//	job, err := client.Read[api.ImportJob](c.API.GetImport(ctx, id, nil))
//
// An unsuccessful response is an *Error with the API's code. Requests are retried if that is
// safe: reads, and requests with an Idempotency-Key, which every creating method of this package
// sets.
package client
