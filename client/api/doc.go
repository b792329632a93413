// Package api is generated from the OpenAPI description of Loadbay's API: its shapes,
// and one method for each operation. Use it by package client, which decodes
// responses, turns problems into errors, and retries.
//
// Tested by client: every method sends its requests with this package.
package api

//go:generate env GOWORK=off go tool -modfile=../../.ci/tools/go.mod oapi-codegen -config config.yaml ../../shared/httpapi/openapi.yaml
