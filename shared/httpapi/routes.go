package httpapi

import (
	"net/http"
	"slices"

	"github.com/loadbay/loadbay/shared/httpapi/reference"
	"github.com/loadbay/loadbay/shared/output/export"
)

// The scopes of a caller's token.
const (
	scopeImportsRead  = "imports:read"
	scopeImportsWrite = "imports:write"
	// The person who approves a plan may be another than the one who created it.
	scopeImportsApprove = "imports:approve"
	scopeExportsRead    = "exports:read"
	scopeExportsWrite   = "exports:write"
	// Webhooks have separate scopes: the secret permits forging messages, and the address receives
	// messages about every import.
	scopeWebhooksRead  = "webhooks:read"
	scopeWebhooksWrite = "webhooks:write"
	// Settings apply to all imports of an organisation, so importing does not include changing them.
	scopeSettingsWrite = "settings:write"
)

// handler responds to a request, or returns an error for the response.
type handler func(w http.ResponseWriter, r *http.Request) error

// route is one operation of the API. A route without a scope is public.
type route struct {
	method, path, scope string
	do                  handler
}

// routes lists all operations.
func (a *api) routes() []route {
	routes := []route{
		{"GET", "/health", "", newHealth(a.Health, a.Version, a.Log).serve},
		{"GET", "/openapi.yaml", "", a.serveOpenAPI},
		{"GET", "/docs", "", a.serveReference},
		{"GET", "/redoc.js", "", reference.WriteScript},
		{"GET", "/api/auth", "", withoutQuery(a.getAuth)},

		{"GET", "/api/me", scopeImportsRead, withoutQuery(a.getMe)},
		{"GET", "/api/quotas", scopeImportsRead, withoutQuery(a.getQuotas)},
		{"GET", "/api/settings", scopeImportsRead, withoutQuery(a.getSettings)},
		{"PATCH", "/api/settings", scopeSettingsWrite, withoutQuery(a.patchSettings)},
		{"GET", "/api/contexts", scopeImportsRead, a.listContexts},
		{"GET", "/api/settings/points-calculators", scopeImportsRead, withoutQuery(a.getCalculators)},
		{"PUT", "/api/settings/points-calculators", scopeSettingsWrite, withoutQuery(a.putCalculators)},
		{"GET", "/api/references/{field}", scopeImportsRead, a.listReferences},
		{"GET", "/api/import-types", scopeImportsRead, withoutQuery(a.listTypes)},
		{"GET", "/api/import-types/{type}/template.xlsx", scopeImportsRead, a.getTemplate},
		{"GET", "/api/entities/{type}/{key}/history", scopeImportsRead, a.entityHistory},
		{"DELETE", "/api/admin/organisations/{organisationId}/persons/{key}", scopeOperator, withoutQuery(a.erasePerson)},
		{"DELETE", "/api/admin/organisations/{organisationId}/imports/{uuid}", scopeOperator, withoutQuery(a.operatorCancelImport)},
		{"DELETE", "/api/admin/organisations/{organisationId}/exports/{id}", scopeOperator, withoutQuery(a.operatorCancelExport)},
		{"POST", "/api/imports", scopeImportsWrite, withoutQuery(a.createImport)},
		{"GET", "/api/imports", scopeImportsRead, a.listImports},
		{"GET", "/api/imports/{uuid}", scopeImportsRead, a.getImport},
		{"DELETE", "/api/imports/{uuid}", scopeImportsWrite, a.deleteImport},
		{"GET", "/api/imports/{uuid}/upload", scopeImportsWrite, withoutQuery(a.getUpload)},
		{"POST", "/api/imports/{uuid}/upload/complete", scopeImportsWrite, a.completeUpload},
		{"GET", "/api/imports/{uuid}/preview", scopeImportsRead, a.previewSource},
		{"PATCH", "/api/imports/{uuid}/source", scopeImportsWrite, withoutQuery(a.reanalyzeImport)},
		{"GET", "/api/imports/{uuid}/column-mappings", scopeImportsRead, a.listColumns},
		{"PUT", "/api/imports/{uuid}/column-mappings", scopeImportsWrite, withoutQuery(a.decideColumns)},
		{"POST", "/api/imports/{uuid}/column-mappings/confirm", scopeImportsWrite, withoutQuery(a.confirmColumns)},
		{"GET", "/api/imports/{uuid}/mapping", scopeImportsRead, withoutQuery(a.getMapping)},
		{"PUT", "/api/imports/{uuid}/mapping", scopeImportsWrite, withoutQuery(a.putMapping)},
		{"POST", "/api/imports/{uuid}/mapping/preview", scopeImportsWrite, a.previewMapping},
		{"GET", "/api/imports/{uuid}/cell-mappings", scopeImportsRead, a.listCells},
		{"PUT", "/api/imports/{uuid}/cell-mappings", scopeImportsWrite, withoutQuery(a.decideCells)},
		{"GET", "/api/imports/{uuid}/cell-mappings/candidates", scopeImportsRead, a.listCandidates},
		{"POST", "/api/imports/{uuid}/cell-mappings/confirm", scopeImportsWrite, withoutQuery(a.confirmCells)},
		{"POST", "/api/imports/{uuid}/start", scopeImportsWrite, withoutQuery(a.startImport)},
		{"GET", "/api/imports/{uuid}/source", scopeImportsRead, withQuery(a.getSource, parameterRedirect)},
		{"GET", "/api/imports/{uuid}/results", scopeImportsRead, a.listResults},
		{"GET", "/api/imports/{uuid}/results/summary", scopeImportsRead, withoutQuery(a.summariseResults)},
		{"POST", "/api/imports/{uuid}/apply", scopeImportsApprove, withoutQuery(a.applyPlan)},
		{"GET", "/api/imports/{uuid}/changes", scopeImportsRead, a.listChanges},
		{"GET", "/api/imports/{uuid}/changes/summary", scopeImportsRead, a.summariseChanges},
		{"GET", "/api/imports/{uuid}/changes.ndjson", scopeImportsRead, a.downloadChanges(export.NDJSON)},
		{"GET", "/api/imports/{uuid}/changes.xlsx", scopeImportsRead, a.downloadChanges(export.XLSX)},
		{"POST", "/api/imports/{uuid}/undo", scopeImportsWrite, a.undoImport},
		{"GET", "/api/imports/{uuid}/errors.xlsx", scopeImportsRead, withQuery(a.getErrorWorkbook, parameterRedirect)},

		{"POST", "/v1/imports", scopeImportsWrite, withoutQuery(a.createImportV1)},
		{"GET", "/v1/imports", scopeImportsRead, a.listImportsV1},
		{"GET", "/v1/imports/{id}", scopeImportsRead, withoutQuery(a.getImportV1)},
		{"GET", "/v1/imports/{id}/errors", scopeImportsRead, a.listErrorsV1},
		{"POST", "/v1/imports/{id}/cancel", scopeImportsWrite, withoutQuery(a.cancelImportV1)},
	}
	return slices.Concat(routes, a.rowRoutes(), a.profileRoutes(), a.webhookRoutes(), a.quarantineRoutes(), a.facadeRoutes(), a.batchRoutes(), a.exportRoutes(), a.exportJobRoutes())
}
