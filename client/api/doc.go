// Package api is generated from the OpenAPI description of Loadbay's API: its shapes,
// and one method for each operation. Use it by package client, which decodes
// responses, turns problems into errors, and retries.
package api

//go:generate go tool -modfile=../../.ci/tools/go.mod oapi-codegen -config config.yaml ../../shared/httpapi/openapi.yaml
