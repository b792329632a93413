package httpapi

import (
	"net/http"
	"slices"

	"github.com/loadbay/loadbay/shared/httpapi/reference"
	"github.com/loadbay/loadbay/shared/output/export"
)

// The scopes that a caller's token may hold.
const (
	scopeImportsRead  = "imports:read"
	scopeImportsWrite = "imports:write"
	// Whoever makes a plan need not be who lets it be written.
	scopeImportsApprove = "imports:approve"
	scopeExportsRead    = "exports:read"
	scopeExportsWrite   = "exports:write"
	// Webhooks have their own: whoever sees the secret can forge messages, and whoever
	// sets the address hears of every import.
	scopeWebhooksRead  = "webhooks:read"
	scopeWebhooksWrite = "webhooks:write"
	// What holds for all imports of an organisation is not for everybody who imports.
	scopeSettingsWrite = "settings:write"
)

// handler responds to a request, or returns what is wrong with it.
type handler func(w http.ResponseWriter, r *http.Request) error

// route is one operation of the API. Without a scope it is open to everybody.
type route struct {
	method, path, scope string
	do                  handler
}

// routes lists every operation.
func (a *api) routes() []route {
	routes := []route{
		{"GET", "/health", "", newHealth(a.Health, a.Version, a.Log).serve},
		{"GET", "/openapi.yaml", "", a.openAPI},
		{"GET", "/docs", "", a.reference},
		{"GET", "/redoc.js", "", reference.WriteScript},
		{"GET", "/api/auth", "", noQuery(a.getAuth)},

		{"GET", "/api/me", scopeImportsRead, noQuery(a.getMe)},
		{"GET", "/api/quotas", scopeImportsRead, noQuery(a.getQuotas)},
		{"GET", "/api/settings", scopeImportsRead, noQuery(a.getSettings)},
		{"PATCH", "/api/settings", scopeSettingsWrite, noQuery(a.patchSettings)},
		{"GET", "/api/contexts", scopeImportsRead, a.listContexts},
		{"GET", "/api/settings/points-calculators", scopeImportsRead, noQuery(a.getCalculators)},
		{"PUT", "/api/settings/points-calculators", scopeSettingsWrite, noQuery(a.putCalculators)},
		{"GET", "/api/references/{field}", scopeImportsRead, a.listReferences},
		{"GET", "/api/import-types", scopeImportsRead, noQuery(a.listTypes)},
		{"GET", "/api/import-types/{type}/template.xlsx", scopeImportsRead, a.getTemplate},
		{"GET", "/api/entities/{type}/{key}/history", scopeImportsRead, a.entityHistory},
		{"DELETE", "/api/admin/organisations/{organisationId}/persons/{key}", scopeOperator, noQuery(a.erasePerson)},
		{"DELETE", "/api/admin/organisations/{organisationId}/imports/{uuid}", scopeOperator, noQuery(a.operatorCancelsImport)},
		{"DELETE", "/api/admin/organisations/{organisationId}/exports/{id}", scopeOperator, noQuery(a.operatorCancelsExport)},
		{"POST", "/api/imports", scopeImportsWrite, noQuery(a.createImport)},
		{"GET", "/api/imports", scopeImportsRead, a.listImports},
		{"GET", "/api/imports/{uuid}", scopeImportsRead, a.getImport},
		{"DELETE", "/api/imports/{uuid}", scopeImportsWrite, a.deleteImport},
		{"GET", "/api/imports/{uuid}/upload", scopeImportsWrite, noQuery(a.getUpload)},
		{"POST", "/api/imports/{uuid}/upload/complete", scopeImportsWrite, a.completeUpload},
		{"GET", "/api/imports/{uuid}/preview", scopeImportsRead, a.previewSource},
		{"PATCH", "/api/imports/{uuid}/source", scopeImportsWrite, noQuery(a.changeSource)},
		{"GET", "/api/imports/{uuid}/column-mappings", scopeImportsRead, a.listColumns},
		{"PUT", "/api/imports/{uuid}/column-mappings", scopeImportsWrite, noQuery(a.decideColumns)},
		{"POST", "/api/imports/{uuid}/column-mappings/confirm", scopeImportsWrite, noQuery(a.confirmColumns)},
		{"GET", "/api/imports/{uuid}/mapping", scopeImportsRead, noQuery(a.getMapping)},
		{"PUT", "/api/imports/{uuid}/mapping", scopeImportsWrite, noQuery(a.putMapping)},
		{"POST", "/api/imports/{uuid}/mapping/preview", scopeImportsWrite, a.tryMapping},
		{"GET", "/api/imports/{uuid}/cell-mappings", scopeImportsRead, a.listCells},
		{"PUT", "/api/imports/{uuid}/cell-mappings", scopeImportsWrite, noQuery(a.decideCells)},
		{"GET", "/api/imports/{uuid}/cell-mappings/candidates", scopeImportsRead, a.listCandidates},
		{"POST", "/api/imports/{uuid}/cell-mappings/confirm", scopeImportsWrite, noQuery(a.confirmCells)},
		{"POST", "/api/imports/{uuid}/start", scopeImportsWrite, noQuery(a.startImport)},
		{"GET", "/api/imports/{uuid}/source", scopeImportsRead, onlyQuery(a.getSource, parameterRedirect)},
		{"GET", "/api/imports/{uuid}/results", scopeImportsRead, a.listResults},
		{"GET", "/api/imports/{uuid}/results/summary", scopeImportsRead, noQuery(a.summariseResults)},
		{"POST", "/api/imports/{uuid}/apply", scopeImportsApprove, noQuery(a.applyPlan)},
		{"GET", "/api/imports/{uuid}/changes", scopeImportsRead, a.listChanges},
		{"GET", "/api/imports/{uuid}/changes/summary", scopeImportsRead, a.summariseChanges},
		{"GET", "/api/imports/{uuid}/changes.ndjson", scopeImportsRead, a.downloadChanges(export.NDJSON)},
		{"GET", "/api/imports/{uuid}/changes.xlsx", scopeImportsRead, a.downloadChanges(export.XLSX)},
		{"POST", "/api/imports/{uuid}/undo", scopeImportsWrite, a.undoImport},
		{"GET", "/api/imports/{uuid}/errors.xlsx", scopeImportsRead, onlyQuery(a.getErrorBook, parameterRedirect)},

		{"POST", "/v1/imports", scopeImportsWrite, noQuery(a.createV1)},
		{"GET", "/v1/imports", scopeImportsRead, a.listV1},
		{"GET", "/v1/imports/{id}", scopeImportsRead, noQuery(a.getV1)},
		{"GET", "/v1/imports/{id}/errors", scopeImportsRead, a.listErrorsV1},
		{"POST", "/v1/imports/{id}/cancel", scopeImportsWrite, noQuery(a.cancelV1)},
	}
	return slices.Concat(routes, a.rowRoutes(), a.profileRoutes(), a.webhookRoutes(), a.quarantineRoutes(), a.facades(), a.batches(), a.exportRoutes(), a.exportJobRoutes())
}
