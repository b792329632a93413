// Package client is the Go client of Loadbay.
//
// The shapes, and a method for every operation of the API, are in package api, which is
// generated from the API's description; Client.API has them. What takes more than one
// request is a method of Client: sending a file of any size, waiting for an import, having
// an export written and saving it. Pages walks a list to its end; Read and Do turn any
// other operation's response into values and errors:
//
//	c, err := client.New("https://loadbay.example.org", client.WithToken(token))
//	job, err := client.Read[api.ImportJob](c.API.GetImport(ctx, id, nil))
//
// A response that is no success is an *Error with the API's code. Requests that may be
// repeated are: those that read, and those with an Idempotency-Key, which every method
// here that creates something sets by itself.
package client
